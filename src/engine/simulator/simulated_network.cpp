// SPDX-License-Identifier: Apache-2.0
#include "engine/simulator/simulated_network.hpp"

#include <colla/healing.hpp>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace colla {
namespace {

constexpr double to_wake = 1.0;
constexpr double to_repeat = 5.0;
constexpr double to_pass_rosters = 1.0;

}  // namespace

SimulatedNetwork::SimulatedNetwork(const NetworkOptions& options, const LivingOptions& living,
                                   const Graph& graph, std::uint64_t seed,
                                   std::optional<Matrix> dictionary)
    : options_(options), living_(living), dictionary_(std::move(dictionary)), random_(seed, {1}) {
  std::vector<Index> all(static_cast<std::size_t>(graph.agents()));
  std::iota(all.begin(), all.end(), Index{0});
  roster_ = std::make_shared<const Roster>(Roster{1, std::move(all), graph});
  for (Index i = 0; i < graph.agents(); ++i) add_member();
  for (Index i = 0; i < graph.agents(); ++i) take_roster(i);
}

void SimulatedNetwork::add_member() {
  Member member;
  member.name = std::to_string(members_.size());
  member.agent = std::make_unique<LivingAgent>(options_, living_, random_.bits(), dictionary_);
  members_.push_back(std::move(member));
}

// --- Tasks

LearnSummary SimulatedNetwork::learn(Index agent, const std::string& task, const SamplesView& X,
                                     const VectorView& y, Revisit revisit) {
  assert(is_up(agent));
  ++changes_;
  const LearnSummary summary = at(agent).agent->learn(task, X, y, revisit);
  plan_wake(agent);
  return summary;
}

void SimulatedNetwork::forget(Index agent, const std::string& task) {
  assert(is_up(agent));
  ++changes_;
  at(agent).agent->forget(task);
  plan_wake(agent);
}

// --- Faults

void SimulatedNetwork::pause(Index agent) { at(agent).is_up = false; }

void SimulatedNetwork::resume(Index agent) {
  Member& member = at(agent);
  member.is_up = true;
  if (member.roster != roster_) plan(pause_of(to_pass_rosters), Kind::roster, agent);
  plan_wake(agent);
  plan_repeat(agent);
}

void SimulatedNetwork::restart(Index agent, AgentState state) {
  Member& member = at(agent);
  member.agent = std::make_unique<LivingAgent>(options_, living_, random_.bits(), std::move(state));
  member.roster.reset();
  member.is_up = true;
  take_roster(agent);
}

// --- Members

Index SimulatedNetwork::join(std::span<const Index> neighbours) {
  add_member();
  const Index newest = std::ssize(members_) - 1;
  if (!part_.empty()) {
    const int part = part_[static_cast<std::size_t>(neighbours.front())];
    part_.resize(members_.size(), part);
  }
  std::vector<Index> members = roster_->members;
  members.push_back(newest);
  std::vector<Edge> edges;
  for (const Edge& edge : roster_->graph.edges()) {
    edges.push_back(
        {members[static_cast<std::size_t>(edge.i)], members[static_cast<std::size_t>(edge.j)]});
  }
  for (const Index neighbour : neighbours) edges.push_back({neighbour, newest});
  change_roster(std::move(members), std::move(edges));
  take_roster(newest);
  return newest;
}

void SimulatedNetwork::leave(Index agent) {
  std::vector<Index> members = roster_->members;
  std::vector<Edge> edges;
  std::vector<Index> orphans;
  for (const Edge& edge : roster_->graph.edges()) {
    const Index a = members[static_cast<std::size_t>(edge.i)];
    const Index b = members[static_cast<std::size_t>(edge.j)];
    if (a == agent || b == agent) {
      orphans.push_back(a == agent ? b : a);
    } else {
      edges.push_back({a, b});
    }
  }
  for (std::size_t k = 1; k < orphans.size(); ++k) {
    const Edge edge{std::min(orphans[k - 1], orphans[k]), std::max(orphans[k - 1], orphans[k])};
    if (std::find(edges.begin(), edges.end(), edge) == edges.end()) edges.push_back(edge);
  }
  std::erase(members, agent);
  at(agent).agent.reset();
  at(agent).roster.reset();
  at(agent).is_up = false;
  change_roster(std::move(members), std::move(edges));
}

// `edges` join agents by their numbers.
void SimulatedNetwork::change_roster(std::vector<Index> members, std::vector<Edge> edges) {
  std::vector<Index> place(members_.size());
  for (std::size_t k = 0; k < members.size(); ++k) {
    place[static_cast<std::size_t>(members[k])] = static_cast<Index>(k);
  }
  for (Edge& edge : edges) {
    edge = {place[static_cast<std::size_t>(edge.i)], place[static_cast<std::size_t>(edge.j)]};
  }
  ++changes_;
  const Index count = std::ssize(members);
  roster_ = std::make_shared<const Roster>(
      Roster{roster_->version + 1, std::move(members), Graph(count, std::move(edges))});
  for (const Index member : roster_->members) {
    if (is_up(member)) plan(pause_of(to_pass_rosters), Kind::roster, member);
  }
}

void SimulatedNetwork::take_roster(Index agent) {
  Member& member = at(agent);
  if (member.agent == nullptr || !member.is_up || member.roster == roster_) return;
  member.roster = roster_;
  member.neighbours.clear();
  const auto found = std::lower_bound(members().begin(), members().end(), agent);
  const Index own = found - members().begin();
  std::map<std::string, double> weights;
  for (const Link& link : graph().links(own)) {
    const Index neighbour = members()[static_cast<std::size_t>(link.neighbour)];
    member.neighbours.push_back(neighbour);
    weights[at(neighbour).name] =
        edge_weight(graph().pace(), graph().degree(own), graph().degree(link.neighbour));
  }
  member.agent->set_neighbours(weights, graph().agents());
  plan_wake(agent);
}

bool SimulatedNetwork::are_joined(Index a, Index b) const {
  if (!is_up(a) || !is_up(b)) return false;
  const std::vector<Index>& neighbours = at(b).neighbours;
  if (!std::binary_search(neighbours.begin(), neighbours.end(), a)) return false;
  return part_.empty() || part_[static_cast<std::size_t>(a)] == part_[static_cast<std::size_t>(b)];
}

// --- Events

bool SimulatedNetwork::is_later(const Event& a, const Event& b) {
  return a.time != b.time ? a.time > b.time : a.number > b.number;
}

void SimulatedNetwork::plan(double after, Kind kind, Index agent,
                            std::shared_ptr<const Letter> letter) {
  events_.push_back({now_ + after, ++planned_, kind, agent, std::move(letter)});
  std::push_heap(events_.begin(), events_.end(), is_later);
}

void SimulatedNetwork::run_until(double time) {
  while (!events_.empty() && events_.front().time <= time) {
    std::pop_heap(events_.begin(), events_.end(), is_later);
    const Event event = std::move(events_.back());
    events_.pop_back();
    now_ = event.time;
    handle(event);
  }
  now_ = std::max(now_, time);
}

bool SimulatedNetwork::run_until_settled(double time) {
  while (!events_.empty() && events_.front().time <= time) run_until(events_.front().time);
  return events_.empty();
}

void SimulatedNetwork::handle(const Event& event) {
  switch (event.kind) {
    case Kind::wake:
      return wake(event.agent);
    case Kind::repeat:
      return repeat(event.agent);
    case Kind::letter:
      return deliver(event.agent, *event.letter);
    case Kind::roster:
      return take_roster(event.agent);
  }
}

void SimulatedNetwork::plan_wake(Index agent) {
  Member& member = at(agent);
  if (member.will_wake || !member.agent->has_reason_to_wake()) return;
  member.will_wake = true;
  plan(pause_of(to_wake), Kind::wake, agent);
}

void SimulatedNetwork::wake(Index agent) {
  Member& member = at(agent);
  member.will_wake = false;
  if (!member.is_up || !member.agent->has_reason_to_wake()) return;
  member.agent->wake();
  ++counts_.wakes;
  for (const Index neighbour : member.neighbours) tell(agent, neighbour);
  plan_wake(agent);
}

void SimulatedNetwork::plan_repeat(Index agent) {
  Member& member = at(agent);
  if (member.will_repeat) return;
  member.will_repeat = true;
  plan(to_repeat, Kind::repeat, agent);
}

void SimulatedNetwork::repeat(Index agent) {
  Member& member = at(agent);
  member.will_repeat = false;
  if (!member.is_up) return;
  for (const Index neighbour : member.neighbours) {
    const std::string& name = at(neighbour).name;
    if (!member.agent->is_heard(name)) send(agent, neighbour, member.agent->repeat(name));
  }
}

void SimulatedNetwork::deliver(Index agent, const Letter& letter) {
  if (!are_joined(letter.from, agent)) {
    ++counts_.lost;
    return;
  }
  Member& member = at(agent);
  const Verdict verdict = member.agent->receive(at(letter.from).name, letter.message);
  if (verdict == Verdict::set_aside) ++counts_.set_aside;
  if (verdict == Verdict::refused) ++counts_.refused;
  tell(agent, letter.from);
  plan_wake(agent);
}

void SimulatedNetwork::tell(Index agent, Index neighbour) {
  auto message = at(agent).agent->next_message(at(neighbour).name);
  if (message) send(agent, neighbour, std::move(*message));
}

void SimulatedNetwork::send(Index from, Index to, LivingMessage message) {
  const bool has_y = message.number > 0;
  ++counts_.messages;
  if (tampering_) tampering_(from, message);
  const auto letter = std::make_shared<const Letter>(Letter{from, std::move(message)});
  if (random_.uniform() < links_.loss) {
    ++counts_.lost;
  } else {
    plan(pause_of(links_.delay), Kind::letter, to, letter);
  }
  if (random_.uniform() < links_.duplicates) {
    plan(pause_of(links_.delay), Kind::letter, to, letter);
  }
  if (has_y) plan_repeat(from);
}

}  // namespace colla
