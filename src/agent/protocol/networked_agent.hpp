// SPDX-License-Identifier: Apache-2.0
// One agent of a network whose agents are separate programs. It takes messages in any order in
// which neighbours may send them, in pieces, after restarts of either side, and computes the same
// bits as an agent in one process. No clock, no sockets, no files: its owner carries its messages
// and keeps its state.
//
// A neighbour's messages form one sequence, and so do an agent's own, the same to all neighbours:
//
//     (step, exchange)   what it says
//     (t, 0)             "I have begun step t"; no values, they are those of the step before
//     (t, 1) ... (t, K)  the dictionary after that exchange; with a collective prior, the means
//
// so that a position in the sequence says everything: what was received, what is due, what to send
// again. An agent begins step t + 1 only after its state at the end of step t is safe. After a
// restart it repeats the unfinished step from the neighbours' messages: neighbours keep those of
// the current and the previous step. It begins a new step only after all neighbours have greeted
// it: one that has received more than the agent knows of shows that the agent's state is old.
#pragma once

#include "agent/protocol/growth_limit.hpp"

#include <colla/exchange_plan.hpp>
#include <colla/participant.hpp>

#include <compare>
#include <cstdint>
#include <deque>
#include <memory>

namespace colla {

/// A place in an agent's sequence of messages. (0, 0) is before the first.
struct Position {
  std::uint64_t step = 0;
  std::uint32_t exchange = 0;
  auto operator<=>(const Position&) const = default;  // NOLINT(modernize-use-nullptr)
};

std::string to_string(const Position& position);

struct Message {
  Position position;
  /// Checksum of the values; at exchange 0, of those that the receiver should have.
  std::uint32_t checksum = 0;
  Matrix dictionary;  ///< d x u, or means of a collective prior; empty at exchange 0
};

std::uint32_t checksum(const MatrixView& dictionary);

/// No larger value is exchanged: results computed from such values stay finite.
inline constexpr double largest_value = 1e150;

/// The sequence of messages: how many each step has, and which begin a round.
struct StepPlan {
  ExchangePlan exchanges;
  Index refresh = 0;
  bool has_edges = true;  ///< in the whole network

  /// Of a step, from 1.
  StepRounds rounds(std::uint64_t step) const {
    return step_rounds(exchanges.at(static_cast<Index>(step)), refresh, has_edges);
  }
  /// Over all rounds of a step; 0 for step 0.
  std::uint32_t last_exchange(std::uint64_t step) const;
  Position end_of(std::uint64_t step) const { return {step, last_exchange(step)}; }
  /// The first exchange of a step, or the first after a refresh of the codes.
  bool begins_round(const Position& position) const;
  /// The next in the sequence.
  Position after(const Position& position) const;
};

inline StepPlan plan_of(const NetworkOptions& options, bool has_edges) {
  return {options.exchanges, options.refresh, has_edges};
}

/// What an agent's owner keeps besides the participant.
struct Kept {
  std::vector<std::shared_ptr<const Message>> sent;  ///< in the last finished step
  bool has_begun = false;  ///< the step after that: neighbours may have messages of it
};

class NetworkedAgent {
 public:
  /// `participant` is between two steps: new, or as it was at the end of its last step.
  NetworkedAgent(Participant participant, const Graph& graph, StepPlan plan, Kept kept = {});

  /// Finished and safe.
  std::uint64_t steps() const { return participant_.step() - (in_step_ ? 1 : 0); }
  bool is_in_step() const { return in_step_; }
  /// A neighbour has begun the next step.
  bool is_called() const;
  /// A new step may begin: no neighbour is ahead of what this agent knows. A step begun before a
  /// restart need not wait for this.
  bool has_met_neighbours() const;

  /// Learns the task, if there is one, or forgets it if it is given without rows, and goes as far
  /// as messages allow. Between two steps only; the owner must have saved its choice of task, since
  /// a restart must choose the same. Throws DataError, as `receive` does, if the dictionary grows
  /// beyond `largest_value`, or as only rounding makes it: it is not sent, and the agent can no
  /// longer be used.
  void begin_step(const TaskRows* task);
  /// All exchanges of the step are done: the owner saves the state, then calls `end_step`.
  bool is_step_over() const;
  void end_step();

  /// The neighbour connects and names the last message it received, with its checksum. Throws
  /// NetworkError if this agent cannot have sent it, or no longer keeps what follows it.
  void greet(std::size_t neighbour, const Position& received, std::uint32_t checksum);
  /// Takes the neighbour's next message and proceeds as far as possible. Throws NetworkError, with
  /// nothing changed, if it is not the expected one, its values are not a dictionary, or they grow
  /// as no honest agent's can.
  void receive(std::size_t neighbour, std::shared_ptr<const Message> message);
  /// The last message accepted from a neighbour, and its checksum; 0 before the first.
  const Position& received(std::size_t neighbour) const { return inboxes_[neighbour].received; }
  std::uint32_t received_checksum(std::size_t neighbour) const {
    return inboxes_[neighbour].checksum;
  }

  /// The message at a position, if it exists already and is still kept.
  std::shared_ptr<const Message> sent(const Position& position) const;
  /// Of the current and the previous step, in order.
  const std::deque<std::shared_ptr<const Message>>& sent() const { return sent_; }

  /// The neighbours that hold the agent up: within a step, those whose next message is missing;
  /// between two steps, those that have not greeted.
  std::vector<std::size_t> awaited() const;
  /// Exchanges done in this step.
  std::uint32_t exchanges() const { return done_; }
  /// Dictionaries recomputed here or by a neighbour that differ from those sent before: another
  /// type of processor, damage, or an older copy of a store.
  std::uint64_t disagreements() const { return disagreements_; }
  /// How many of a neighbour's dictionaries were refused because of their growth.
  std::uint64_t probes(std::size_t neighbour) const { return inboxes_[neighbour].probes; }

  /// Of all steps of this process, not of earlier ones.
  Numerics numerics() const;

  const Participant& participant() const { return participant_; }
  const StepPlan& plan() const { return plan_; }
  std::size_t neighbours() const { return inboxes_.size(); }

 private:
  struct Inbox {
    GrowthLimit growth;
    Position received;           // in the inbox or taken in
    Position taken;              // by the participant
    std::uint32_t checksum = 0;  // of what was received last
    Position they_have = {};     // of what this agent sends
    std::uint32_t they_have_checksum = 0;
    Position disagreed = {};  // about it
    bool has_greeted = false;
    std::uint64_t probes = 0;
    std::deque<std::shared_ptr<const Message>> waiting = {};
  };

  Index neighbour(std::size_t n) const { return participant_.edge_states()[n].neighbour; }
  std::uint32_t taken_from(std::size_t n) const;
  void check_history(const Position& received, std::uint32_t checksum) const;
  void check_kept(const Position& wanted) const;
  void compare_history(Inbox& inbox);
  Position answered_by(std::size_t n, const Position& position) const;
  void check(std::size_t n, const Message& message) const;
  void check_growth(std::size_t n, const Message& message);
  void take_up(const TaskRows& task);
  void advance();
  bool take(std::size_t n);
  bool is_ready(std::size_t n) const;
  bool can_exchange() const;
  void exchange();
  std::string exchanged() const;
  void check_bound(const Matrix& matrix, double bound) const;
  void check_rounding(double size) const;
  void send(Message message);

  Participant participant_;
  StepPlan plan_;
  std::vector<Inbox> inboxes_;
  std::deque<std::shared_ptr<const Message>> sent_;
  Position last_sent_;
  Position sent_before_;  // at most, by an earlier process
  double largest_sent_;   // size of a dictionary of this step
  bool in_step_ = false;
  std::uint32_t done_ = 0;
  std::uint64_t disagreements_ = 0;
  Numerics numerics_;  // of finished steps
};

}  // namespace colla
