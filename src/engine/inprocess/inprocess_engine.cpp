// SPDX-License-Identifier: Apache-2.0
#include <colla/inprocess_engine.hpp>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace colla {

// An exchange waits for a message of every neighbour (`exchange_taken`). No agent can be more than
// one exchange ahead of a neighbour, so that every message is for the exchange its receiver waits
// for, and one counter per agent is enough.
class InProcessEngine::Schedule {
 public:
  Schedule(InProcessEngine& engine, int threads)
      : engine_(engine),
        first_wait_(engine.participants_.size()),
        done_(engine.participants_.size()),
        missing_(engine.participants_.size()) {
    for (Index i = 0; i < engine.graph_.agents(); ++i) {
      for (const Link& link : engine.graph_.links(i)) {
        first_wait_[at(i)] += exchange_taken(i, link.neighbour, 1);
      }
    }
    if (threads == 1) return;
    using tbb::global_control;
    int most = tbb::task_arena::automatic;
    if (threads > 0) {
      const auto allowed = global_control::active_value(global_control::max_allowed_parallelism);
      most = std::min(threads, static_cast<int>(allowed));
    }
    arena_.emplace(most);
  }

  void run(Index count) {
    if (count == 0) return;
    if (arena_) {
      run_on_threads(count);
      return;
    }
    // The agents between the first and the last exchange of a portion should fit into the cache.
    constexpr Index portion = 32;
    for (Index done = 0; done < count; done += portion) {
      run_nearest_first(std::min(portion, count - done));
    }
  }

  void for_each_agent(const std::function<void(Index)>& work) {
    if (arena_) {
      arena_->execute([&] { tbb::parallel_for(Index{0}, engine_.graph_.agents(), work); });
    } else {
      for (Index i = 0; i < engine_.graph_.agents(); ++i) work(i);
    }
  }

 private:
  static std::size_t at(Index agent) { return static_cast<std::size_t>(agent); }

  // Start every agent that waits for nobody; `begin` gets agents in ascending order.
  template <typename Begin>
  void begin_all(Index count, const Begin& begin) {
    count_ = count;
    for (std::size_t i = 0; i < first_wait_.size(); ++i) {
      done_[i] = 0;
      missing_[i] = first_wait_[i];
    }
    for (Index i = 0; i < engine_.graph_.agents(); ++i) {
      if (first_wait_[at(i)] == 0) begin(i);
    }
  }

  void run_on_threads(Index count) {
    arena_->execute([this, count] {
      tbb::task_group group;
      begin_all(count, [&](Index agent) { start(group, agent); });
      group.wait();
    });
  }

  void start(tbb::task_group& group, Index agent) {
    group.run([this, &group, agent] { advance(agent, [&](Index next) { start(group, next); }); });
  }

  // An agent continues as soon as it can, while it and its neighbours are in the cache: where the
  // numbering allows it, many exchanges read a large network from memory only once.
  void run_nearest_first(Index count) {
    std::vector<Index> ready;
    begin_all(count, [&](Index first) {
      ready.push_back(first);
      while (!ready.empty()) {
        const Index agent = ready.back();
        ready.pop_back();
        advance(agent, [&](Index neighbour) { ready.push_back(neighbour); });
      }
    });
  }

  // An agent's next exchange, and `start` for every neighbour that can now do its own.
  template <typename Start>
  void advance(Index agent, const Start& start) {
    const auto links = engine_.graph_.links(agent);
    do {
      engine_.participants_[at(agent)].exchange();
      ++done_[at(agent)];
    } while (links.empty() && done_[at(agent)] < count_);
    // Before any neighbour can answer.
    missing_[at(agent)].store(std::ssize(links), std::memory_order_relaxed);
    engine_.send(agent);
    for (const Link& link : links) {
      const std::size_t neighbour = at(link.neighbour);
      const bool is_last = missing_[neighbour].fetch_sub(1, std::memory_order_acq_rel) == 1;
      if (is_last && done_[neighbour] < count_) start(link.neighbour);
    }
  }

  InProcessEngine& engine_;
  std::optional<tbb::task_arena> arena_;  // none with one thread
  Index count_ = 0;
  std::vector<Index> first_wait_;  // messages that an agent's first exchange waits for
  std::vector<Index> done_;
  std::vector<std::atomic<Index>> missing_;
};

namespace {

std::vector<Participant> new_participants(const Graph& graph, const NetworkOptions& options,
                                          const std::optional<Matrix>& dictionary) {
  check(options, graph);
  std::vector<Participant> participants;
  participants.reserve(static_cast<std::size_t>(graph.agents()));
  for (Index i = 0; i < graph.agents(); ++i) {
    participants.emplace_back(options, graph, i, dictionary);
  }
  return participants;
}

}  // namespace

InProcessEngine::InProcessEngine(const Graph& graph, const NetworkOptions& options,
                                 const std::optional<Matrix>& dictionary)
    : InProcessEngine(graph, options, new_participants(graph, options, dictionary)) {}

InProcessEngine::InProcessEngine(Graph graph, const NetworkOptions& options,
                                 std::vector<Participant> participants)
    : Engine(std::move(graph), options), participants_(std::move(participants)) {
  for (Index i = 0; i < graph_.agents(); ++i) {
    auto& slots = slots_.emplace_back();
    for (const Link& link : graph_.links(i)) slots.push_back(graph_.slot(link.neighbour, i));
  }
  schedule_ = std::make_unique<Schedule>(*this, options.threads);
}

InProcessEngine::~InProcessEngine() = default;

const Participant& InProcessEngine::participant(Index agent) const {
  return participants_[static_cast<std::size_t>(agent)];
}

std::vector<Numbers> InProcessEngine::collect(
    const std::function<Numbers(const Participant&)>& of) const {
  std::vector<Numbers> all(participants_.size());
  for_each_agent([&](Index i) { all[static_cast<std::size_t>(i)] = of(participant(i)); });
  return all;
}

std::vector<AgentState> InProcessEngine::states() const {
  std::vector<AgentState> all(participants_.size());
  for_each_agent([&](Index i) {
    AgentState& state = all[static_cast<std::size_t>(i)];
    state = participant(i).state();
    state.knowledge = {};
  });
  return all;
}

void InProcessEngine::for_each_agent(const std::function<void(Index)>& work) const {
  schedule_->for_each_agent(work);
}

void InProcessEngine::begin_step(std::span<const Arrival> arrivals) {
  for (const Arrival& arrival : arrivals) {
    participant(arrival.agent).check_rows(arrival.task, arrival.X, arrival.y);
  }
  for (Participant& participant : participants_) participant.begin_step();
  std::vector<std::vector<const Arrival*>> of_agent(participants_.size());
  for (const Arrival& arrival : arrivals) {
    of_agent[static_cast<std::size_t>(arrival.agent)].push_back(&arrival);
  }
  for_each_agent([&](Index i) {
    Participant& participant = participants_[static_cast<std::size_t>(i)];
    for (const Arrival* arrival : of_agent[static_cast<std::size_t>(i)]) {
      participant.absorb(arrival->task, arrival->X, arrival->y, arrival->revisit);
    }
    // As long as its statistics are in the cache.
    if (options_.rule == Rule::paper) participant.prepare();
  });
  if (options_.rule == Rule::healing) share();
}

void InProcessEngine::share() {
  std::vector<Numbers> shares(participants_.size());
  for_each_agent([&](Index i) {
    shares[static_cast<std::size_t>(i)] = participants_[static_cast<std::size_t>(i)].make_share();
  });
  for_each_agent([&](Index i) {
    participants_[static_cast<std::size_t>(i)].take_shares(shares);
    participants_[static_cast<std::size_t>(i)].prepare();
  });
}

void InProcessEngine::refresh_codes() {
  for_each_agent([this](Index i) {
    participants_[static_cast<std::size_t>(i)].refresh_codes();
    participants_[static_cast<std::size_t>(i)].prepare();
  });
}

void InProcessEngine::exchange(Index count) { schedule_->run(count); }

// Sends the own dictionary to every neighbour.
void InProcessEngine::send(Index agent) {
  const auto from = static_cast<std::size_t>(agent);
  const auto links = graph_.links(agent);
  for (std::size_t n = 0; n < links.size(); ++n) {
    participants_[static_cast<std::size_t>(links[n].neighbour)].receive(
        slots_[from][n], participants_[from].dictionary());
  }
}

}  // namespace colla
