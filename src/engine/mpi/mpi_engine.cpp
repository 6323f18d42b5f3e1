// SPDX-License-Identifier: Apache-2.0
#include "engine/mpi/mpi_engine.hpp"

#include "engine/mpi/mpi.hpp"
#include "engine/mpi/packed_state.hpp"
#include "network/agent_shares.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace colla {
namespace {

int count_of(const Matrix& matrix) { return static_cast<int>(matrix.size()); }

int size_of(MPI_Comm ranks) {
  int size = 1;
  MPI_Comm_size(ranks, &size);
  return size;
}

int count_of(const std::vector<MPI_Request>& requests) { return static_cast<int>(requests.size()); }

void start_all(std::vector<MPI_Request>& requests) {
  if (!requests.empty()) MPI_Startall(count_of(requests), requests.data());
}

void wait_for_all(std::vector<MPI_Request>& requests) {
  if (!requests.empty()) MPI_Waitall(count_of(requests), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

MpiEngine::MpiEngine(Graph graph, const NetworkOptions& options,
                     const std::optional<Matrix>& dictionary)
    : Engine(std::move(graph), options) {
  check(options, graph_);
  MPI_Comm_dup(MPI_COMM_WORLD, &ranks_);
  MPI_Comm_rank(ranks_, &rank_);
  owners_ = share_agents(graph_, size_of(ranks_));
  participants_.resize(owners_.size());
  for (Index i = 0; i < graph_.agents(); ++i) {
    if (!is_local(i)) continue;
    own_.push_back(i);
    participants_[static_cast<std::size_t>(i)] =
        std::make_unique<Participant>(options, graph_, i, dictionary);
  }
  make_inboxes();
  outboxes_.resize(owners_.size());
  for (const Index agent : own_) make_outbox(agent);
}

MpiEngine::~MpiEngine() {
  // Requests are still active only if an exception ended the exchanges.
  for (MPI_Request& request : receives_) {
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  for (Outbox& outbox : outboxes_) {
    for (MPI_Request& request : outbox.requests) MPI_Request_free(&request);
  }
  MPI_Comm_free(&ranks_);
}

// A message is tagged with the agent whose dictionary it is.
void MpiEngine::make_inboxes() {
  inbox_of_.resize(owners_.size());
  for (Index j = 0; j < graph_.agents(); ++j) {
    if (is_local(j)) continue;
    const auto [rows, columns] = exchanged_size(options_.agent);
    Inbox inbox{j, Matrix(rows, columns), {}, 0};
    for (const Link& link : graph_.links(j)) {
      if (is_local(link.neighbour)) inbox.readers.push_back(link.neighbour);
    }
    if (inbox.readers.empty()) continue;
    inbox_of_[static_cast<std::size_t>(j)] = inboxes_.size();
    inboxes_.push_back(std::move(inbox));
  }
  for (Inbox& inbox : inboxes_) {
    MPI_Recv_init(inbox.dictionary.data(), count_of(inbox.dictionary), MPI_DOUBLE,
                  owner(inbox.agent), static_cast<int>(inbox.agent), ranks_,
                  &receives_.emplace_back());
  }
}

void MpiEngine::make_outbox(Index agent) {
  std::set<int> readers;
  for (const Link& link : graph_.links(agent)) {
    if (!is_local(link.neighbour)) readers.insert(owner(link.neighbour));
  }
  if (readers.empty()) return;
  Outbox& outbox = outboxes_[static_cast<std::size_t>(agent)];
  const auto [rows, columns] = exchanged_size(options_.agent);
  outbox.dictionary.resize(rows, columns);
  for (const int reader : readers) {
    MPI_Send_init(outbox.dictionary.data(), count_of(outbox.dictionary), MPI_DOUBLE, reader,
                  static_cast<int>(agent), ranks_, &outbox.requests.emplace_back());
  }
}

// Only an arrival's owner looks at its rows; all throw what it finds.
void MpiEngine::check_everywhere(std::span<const Arrival> arrivals) const {
  constexpr int none = std::numeric_limits<int>::max();
  int bad = none;
  std::string message;
  for (std::size_t a = 0; a < arrivals.size() && bad == none; ++a) {
    const Arrival& arrival = arrivals[a];
    if (!is_local(arrival.agent)) continue;
    try {
      participant(arrival.agent).check_rows(arrival.task, arrival.X, arrival.y);
    } catch (const DataError& error) {
      bad = static_cast<int>(a);
      message = error.what();
    }
  }
  int first = none;
  MPI_Allreduce(&bad, &first, 1, MPI_INT, MPI_MIN, ranks_);
  if (first == none) return;
  const int finder = owner(arrivals[static_cast<std::size_t>(first)].agent);
  auto length = static_cast<int>(message.size());
  MPI_Bcast(&length, 1, MPI_INT, finder, ranks_);
  message.resize(static_cast<std::size_t>(length));
  MPI_Bcast(message.data(), length, MPI_CHAR, finder, ranks_);
  throw DataError(message, "", "");
}

void MpiEngine::begin_step(std::span<const Arrival> arrivals) {
  check_everywhere(arrivals);
  for (const Index agent : own_) at(agent)->begin_step();
  for (const Arrival& arrival : arrivals) {
    if (!is_local(arrival.agent)) continue;
    at(arrival.agent)->absorb(arrival.task, arrival.X, arrival.y, arrival.revisit);
  }
  if (options_.rule != Rule::healing) return;
  const std::vector<Numbers> shares = gathered(
      [this](const Participant& participant) { return at(participant.position())->make_share(); },
      Audience::everyone);
  for (const Index agent : own_) at(agent)->take_shares(shares);
}

void MpiEngine::refresh_codes() {
  for (const Index agent : own_) at(agent)->refresh_codes();
}

void MpiEngine::exchange(Index count) {
  if (count == 0) return;
  for (const Index agent : own_) at(agent)->prepare();
  for (Inbox& inbox : inboxes_) inbox.received = 0;
  start_all(receives_);
  for (Index k = 1; k <= count; ++k) {
    for (const Index agent : own_) {
      wait_for_neighbours(agent, k, count);
      at(agent)->exchange();
      send(agent);
    }
  }
  for (const Inbox& inbox : inboxes_) {
    while (inbox.received < count) take_messages(count);
  }
  for (Outbox& outbox : outboxes_) wait_for_all(outbox.requests);
}

void MpiEngine::wait_for_neighbours(Index agent, Index exchange, Index count) {
  for (const Link& link : graph_.links(agent)) {
    if (is_local(link.neighbour)) continue;
    const Inbox& inbox = inboxes_[inbox_of_[static_cast<std::size_t>(link.neighbour)]];
    while (inbox.received < exchange_taken(agent, link.neighbour, exchange)) take_messages(count);
  }
}

// An agent is never more than one exchange ahead of a neighbour: readers may take a dictionary as
// soon as it arrives, and the next is sent only after all of them have used it.
void MpiEngine::take_messages(Index count) {
  std::vector<int> arrived(receives_.size());
  int arrivals = 0;
  MPI_Waitsome(count_of(receives_), receives_.data(), &arrivals, arrived.data(),
               MPI_STATUSES_IGNORE);
  for (int n = 0; n < arrivals; ++n) {
    const auto position = static_cast<std::size_t>(arrived[static_cast<std::size_t>(n)]);
    Inbox& inbox = inboxes_[position];
    for (const Index reader : inbox.readers) {
      at(reader)->receive(graph_.slot(reader, inbox.agent), inbox.dictionary);
    }
    if (++inbox.received < count) MPI_Start(&receives_[position]);
  }
}

// Sends the own dictionary to every neighbour, once per other rank.
void MpiEngine::send(Index agent) {
  const Matrix& dictionary = at(agent)->dictionary();
  Outbox& outbox = outboxes_[static_cast<std::size_t>(agent)];
  if (!outbox.requests.empty()) {
    wait_for_all(outbox.requests);
    outbox.dictionary = dictionary;
    start_all(outbox.requests);
  }
  for (const Link& link : graph_.links(agent)) {
    if (!is_local(link.neighbour)) continue;
    at(link.neighbour)->receive(graph_.slot(link.neighbour, agent), dictionary);
  }
}

std::vector<Numbers> MpiEngine::collect(
    const std::function<Numbers(const Participant&)>& of) const {
  return gathered(of, Audience::everyone);
}

std::vector<AgentState> MpiEngine::states() const {
  const std::vector<Numbers> all = gathered(
      [](const Participant& participant) {
        return packed(participant.state(), participant.position());
      },
      Audience::first);
  if (all.empty()) return {};
  std::vector<AgentState> states = unpacked(all, graph_, options_);
  for (const Index agent : own_) {
    AgentState& own = states[static_cast<std::size_t>(agent)];
    own.records = participant(agent).records();
  }
  return states;
}

std::vector<Numbers> MpiEngine::gathered(const std::function<Numbers(const Participant&)>& of,
                                         Audience audience) const {
  std::vector<int> counts(owners_.size(), 0);
  Numbers own;
  for (const Index agent : own_) {
    const Numbers numbers = of(participant(agent));
    counts[static_cast<std::size_t>(agent)] = static_cast<int>(numbers.size());
    own.insert(own.end(), numbers.begin(), numbers.end());
  }
  MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(counts.size()), MPI_INT, MPI_SUM,
                ranks_);
  const Numbers all = gather(own, counts, audience);
  if (audience == Audience::first && rank_ != 0) return {};
  // Rank by rank, and within a rank agent by agent.
  std::vector<Numbers> of_agent(owners_.size());
  auto next = all.begin();
  for (int rank = 0; rank < size_of(ranks_); ++rank) {
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      if (owners_[i] != rank) continue;
      of_agent[i].assign(next, next + counts[i]);
      next += counts[i];
    }
  }
  return of_agent;
}

// The numbers of every rank, one after the other; nothing outside the audience.
Numbers MpiEngine::gather(const Numbers& own, const std::vector<int>& counts_of_agents,
                          Audience audience) const {
  const auto ranks = static_cast<std::size_t>(size_of(ranks_));
  std::vector<std::int64_t> counts(ranks, 0);
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    counts[static_cast<std::size_t>(owners_[i])] += counts_of_agents[i];
  }
  const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (total > std::numeric_limits<int>::max()) {
    throw SettingError(
        "engine", "the network's state has more than 2^31 numbers, too many for MPI to collect",
        "keep neither the state nor the model");
  }
  const std::vector<int> sizes(counts.begin(), counts.end());
  std::vector<int> starts(ranks, 0);
  std::partial_sum(sizes.begin(), sizes.end() - 1, starts.begin() + 1);
  const auto own_size = static_cast<int>(own.size());
  Numbers all;
  if (audience == Audience::everyone || rank_ == 0) all.resize(static_cast<std::size_t>(total));
  if (audience == Audience::everyone) {
    MPI_Allgatherv(own.data(), own_size, MPI_DOUBLE, all.data(), sizes.data(), starts.data(),
                   MPI_DOUBLE, ranks_);
  } else {
    MPI_Gatherv(own.data(), own_size, MPI_DOUBLE, all.data(), sizes.data(), starts.data(),
                MPI_DOUBLE, 0, ranks_);
  }
  return all;
}

std::unique_ptr<Engine> make_mpi_engine(Graph graph, const NetworkOptions& options,
                                        const std::optional<Matrix>& dictionary) {
  return std::make_unique<MpiEngine>(std::move(graph), options, dictionary);
}

}  // namespace colla
