// SPDX-License-Identifier: Apache-2.0
// One agent of a network whose agents are programs of their own. It takes messages in any order in
// which neighbours may send them, in pieces, after restarts of either side, and computes what an
// agent in one process computes, to the same bits. No clock, no sockets, no files: whoever owns it
// carries its messages and keeps its state.
//
// A neighbour's messages form one sequence, and so do an agent's own, the same to all neighbours:
//
//     (step, exchange)   what it says
//     (t, 0)             "I have begun step t"; no values, they are those of the step before
//     (t, 1) ... (t, K)  the dictionary after that exchange
//
// so that a position in the sequence says everything: what was received, what is expected, what has
// to be sent again. An agent begins step t + 1 only after its state at the end of step t is safe.
// A restarted one computes the unfinished step again, from the neighbours' messages: they keep
// those of the current and of the previous step.
#pragma once

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
  /// Of the values; at exchange 0 of those that the receiver should have.
  std::uint32_t checksum = 0;
  Matrix dictionary;  ///< d x u; empty at exchange 0
};

std::uint32_t checksum(const MatrixView& dictionary);

/// How many exchanges a step has.
struct StepPlan {
  ExchangePlan exchanges;
  Index refresh = 0;
  bool has_edges = true;  ///< of the whole network; without, one exchange is all there is to do

  /// Over all rounds of a step; 0 for step 0.
  std::uint32_t last_exchange(std::uint64_t step) const;
  /// The next in the sequence.
  Position after(const Position& position) const;
};

/// What one step learns.
struct TaskRows {
  std::string name;
  Samples X;
  Vector y;
  Revisit revisit = Revisit::replace;
};

class NetworkedAgent {
 public:
  /// A participant between two steps: a new one, or as it was at the end of its last step, with the
  /// messages it sent in that step.
  NetworkedAgent(Participant participant, StepPlan plan,
                 std::vector<std::shared_ptr<const Message>> sent = {});

  /// Finished and safe.
  std::uint64_t steps() const { return participant_.agent().step() - (in_step_ ? 1 : 0); }
  bool is_in_step() const { return in_step_; }
  /// A neighbour has begun the next step.
  bool is_called() const;

  /// Learns the task, if there is one, and goes as far as messages allow. Between two steps only;
  /// whatever made the owner choose the task must be safe, since a restart must choose it again.
  void begin_step(const TaskRows* task);
  /// All exchanges of the step are done: the owner makes the state safe, then calls `end_step`.
  bool is_step_over() const;
  void end_step();

  /// The neighbour connects and says what it has received. Throws NetworkError if it has received
  /// more than this agent can have sent, or needs what is no longer kept.
  void greet(std::size_t neighbour, const Position& received);
  /// Takes the neighbour's next message and goes on as far as possible. Throws NetworkError, with
  /// nothing changed, if it is not the expected one or its values are not a dictionary.
  void receive(std::size_t neighbour, std::shared_ptr<const Message> message);
  /// The last message accepted from a neighbour.
  const Position& received(std::size_t neighbour) const { return inboxes_[neighbour].received; }

  /// The message at a position, if there is one already or still.
  std::shared_ptr<const Message> sent(const Position& position) const;
  const Position& last_sent() const { return last_sent_; }
  /// Of the current and the previous step, in order.
  const std::deque<std::shared_ptr<const Message>>& sent() const { return sent_; }

  /// The neighbours without whose next message the step cannot go on.
  std::vector<std::size_t> awaited() const;
  /// Exchanges done in this step.
  std::uint32_t exchanges() const { return done_; }
  /// Neighbours' dictionaries that were not what they should have been at the beginning of a step:
  /// another type of processor, or damage.
  std::uint64_t disagreements() const { return disagreements_; }

  const Participant& participant() const { return participant_; }
  const StepPlan& plan() const { return plan_; }
  std::size_t neighbours() const { return inboxes_.size(); }

 private:
  struct Inbox {
    Position received;   // in the inbox or taken in
    Position taken;      // by the participant
    Position they_have;  // of what this agent sends
    std::deque<std::shared_ptr<const Message>> waiting = {};
  };

  bool is_smaller(std::size_t n) const;
  Position answered_by(std::size_t n, const Position& position) const;
  void check(std::size_t n, const Message& message) const;
  void advance();
  bool take(std::size_t n);
  bool is_ready(std::size_t n) const;
  bool can_exchange() const;
  void exchange();
  void check_finite(const Matrix& matrix) const;
  void send(Message message);

  Participant participant_;
  StepPlan plan_;
  std::vector<Inbox> inboxes_;
  std::deque<std::shared_ptr<const Message>> sent_;
  Position last_sent_;
  bool in_step_ = false;
  std::uint32_t done_ = 0;
  std::uint64_t disagreements_ = 0;
};

}  // namespace colla
