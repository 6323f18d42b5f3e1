// SPDX-License-Identifier: Apache-2.0
// A network of living agents in virtual time. The agents are the very LivingAgent that a program
// runs; what carries their messages is simulated, and all of it follows from one seed:
//
//     wakes      an agent with reason to wake does so after a random pause, 1 on average
//     messages   arrive after random delays, so in any order; or never, or twice
//     repeats    what a neighbour has not heard is told again, as a program does
//     rosters    reach the members one by one; until then, ends compute with different weights
//     faults     agents that are away, start again or from an old copy; a network in two parts
//
// The unit of time is the mean pause. Only one thread may use a network.
#pragma once

#include <colla/graph.hpp>
#include <colla/living_agent.hpp>
#include <colla/random.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace colla {

/// What may happen to messages.
struct SimulatedLinks {
  double loss = 0.0;        ///< the chance that a message is lost
  double duplicates = 0.0;  ///< the chance that one comes twice
  double delay = 0.2;       ///< on average; a delay is uniform between 0 and twice this
};

/// Since the beginning, of all agents.
struct SimulationCounts {
  std::uint64_t wakes = 0;
  std::uint64_t messages = 0;  ///< sent
  std::uint64_t lost = 0;      ///< by the links, or because an end was away
  std::uint64_t set_aside = 0;
  std::uint64_t refused = 0;
};

class SimulatedNetwork {
 public:
  /// Agents are numbered from 0, as in the graph; those that join go on from there. They start from
  /// `dictionary`, or from a random one drawn from the options' seed.
  SimulatedNetwork(const NetworkOptions& options, const LivingOptions& living, const Graph& graph,
                   std::uint64_t seed, std::optional<Matrix> dictionary = {});

  /// The agent must be up. Rows and errors as of LivingAgent.
  LearnSummary learn(Index agent, const std::string& task, const SamplesView& X,
                     const VectorView& y, Revisit revisit = Revisit::replace);
  void forget(Index agent, const std::string& task);

  void set_links(const SimulatedLinks& links) { links_ = links; }
  /// Away with all that it knows: it neither sends nor receives until it is back.
  void pause(Index agent);
  void resume(Index agent);
  /// Another process in its place: what it kept for its edges is lost.
  void restart(Index agent, AgentState state);
  /// Messages between agents of different parts are lost; `part` has an entry for every agent, up
  /// to the last of `members`. Those that join later are with their first neighbour.
  void split(std::vector<int> part) { part_ = std::move(part); }
  void unite() { part_.clear(); }
  /// What a bad member or line does to messages on their way; null: nothing.
  using Tampering = std::function<void(Index from, LivingMessage&)>;
  void tamper(Tampering tampering) { tampering_ = std::move(tampering); }
  /// A new member, which starts without tasks.
  Index join(std::span<const Index> neighbours);
  /// What it knew is gone. Its neighbours become a line, so that the rest stays connected. At least
  /// two other members stay.
  void leave(Index agent);

  /// Up to and with `time`.
  void run_until(double time);
  /// Until nothing is left to do; false if something is at `time`.
  bool run_until_settled(double time);
  double now() const { return now_; }

  const LivingAgent& agent(Index agent) const { return *at(agent).agent; }
  bool is_up(Index agent) const { return at(agent).is_up; }
  /// By the newest roster, in ascending order.
  const std::vector<Index>& members() const { return roster_->members; }
  /// Between the members, by their places in `members`.
  const Graph& graph() const { return roster_->graph; }
  const SimulationCounts& counts() const { return counts_; }
  const NetworkOptions& options() const { return options_; }
  /// How often tasks or members have changed.
  std::uint64_t changes() const { return changes_; }

 private:
  struct Roster {
    std::uint64_t version = 0;
    std::vector<Index> members;
    Graph graph;
  };
  struct Member {
    std::string name;
    std::unique_ptr<LivingAgent> agent;  // null: it has left
    std::shared_ptr<const Roster> roster;
    std::vector<Index> neighbours;  // by its roster, ascending
    bool is_up = true;
    bool will_wake = false;
    bool will_repeat = false;
  };
  struct Letter {
    Index from = 0;
    LivingMessage message;
  };
  enum class Kind { wake, repeat, letter, roster };
  struct Event {
    double time = 0.0;
    std::uint64_t number = 0;  // of two at the same time, the older comes first
    Kind kind = Kind::wake;
    Index agent = 0;
    std::shared_ptr<const Letter> letter = {};
  };
  static bool is_later(const Event& a, const Event& b);

  Member& at(Index agent) { return members_[static_cast<std::size_t>(agent)]; }
  const Member& at(Index agent) const { return members_[static_cast<std::size_t>(agent)]; }
  void add_member();
  void change_roster(std::vector<Index> members, std::vector<Edge> edges);
  void take_roster(Index agent);
  bool are_joined(Index a, Index b) const;

  void plan(double after, Kind kind, Index agent, std::shared_ptr<const Letter> letter = {});
  void handle(const Event& event);
  void plan_wake(Index agent);
  void wake(Index agent);
  void plan_repeat(Index agent);
  void repeat(Index agent);
  void deliver(Index agent, const Letter& letter);
  void tell(Index agent, Index neighbour);
  void send(Index from, Index to, LivingMessage message);
  double pause_of(double mean) { return 2.0 * mean * random_.uniform(); }

  NetworkOptions options_;
  LivingOptions living_;
  std::optional<Matrix> dictionary_;
  Random random_;
  SimulatedLinks links_;
  std::vector<Member> members_;
  std::vector<int> part_;
  Tampering tampering_;
  std::shared_ptr<const Roster> roster_;
  std::vector<Event> events_;  // a heap
  std::uint64_t planned_ = 0;
  double now_ = 0.0;
  SimulationCounts counts_;
  std::uint64_t changes_ = 0;
};

}  // namespace colla
