// SPDX-License-Identifier: Apache-2.0
// One agent of a living network, where nobody waits: tasks are learned at once, and whenever the
// agent wakes it brings its knowledge closer to its neighbours' by the exchange that heals itself
// (healing.hpp). A program carries its messages; simulated networks run the same class.
//
//     wakes      when a message has come in, a task was learned or the neighbours changed
//     tells      a neighbour y, if it differs from what that neighbour has; else nothing
//     rests      when all neighbours have its y, and theirs agree with its own x
//
// Messages may be lost, late, repeated or out of order. A neighbour acknowledges the newest y that
// it took; until then the agent repeats it. Both ends must compute with the same metric: messages
// say which, and what an end does not know of the other's share is attached to the next one.
#pragma once

#include <colla/learner.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace colla {

struct LivingMessage {
  std::uint64_t session = 0;  ///< of the sender's end of the edge; another one: it began anew
  std::uint64_t number = 0;   ///< of y in the session, from 1; 0: there is no y
  std::uint64_t heard_session = 0;
  std::uint64_t heard = 0;   ///< the newest y taken from the receiver, in its session
  std::uint64_t metric = 0;  ///< with which y was computed
  std::uint64_t share_hash = 0;
  std::uint64_t heard_share = 0;  ///< the share of the receiver that the sender knows
  std::optional<Share> share = {};
  Matrix y = {};
};

/// What became of a message.
enum class Verdict {
  taken,
  repeated,   ///< of a y that is known, or older
  set_aside,  ///< of another metric: the ends settle that first
  refused,    ///< of another size, or with numbers that are not finite or too large
};

struct LivingOptions {
  /// A neighbour is told of changes above a fifth of this, relative to x.
  double tolerance = 1e-9;
  /// Old tasks are estimated again once x has changed by this since, and neighbours agree on it.
  double estimate_tolerance = 1e-4;
  /// The same of a dictionary: its codes come to rest so slowly that predictions do not notice.
  double code_tolerance = 1e-2;
};

class LivingAgent {
 public:
  /// Of `options.rule` and the numbers of exchanges nothing is heeded: `refresh` above 0 says that
  /// old tasks are estimated again. `session` is a random number, another one at every start.
  LivingAgent(const NetworkOptions& options, const LivingOptions& living, std::uint64_t session,
              const std::optional<Matrix>& dictionary = {});
  /// Continues with the tasks and knowledge of an earlier agent.
  LivingAgent(const NetworkOptions& options, const LivingOptions& living, std::uint64_t session,
              AgentState state);

  /// Throws DataError if a task with these rows cannot be learned.
  void check_rows(const std::string& task, const SamplesView& X, const VectorView& y) const {
    learner_.check_rows(task, X, y);
  }
  /// Learns a task, which can be predicted from now on. The rows have passed `check_rows`.
  LearnSummary learn(const std::string& task, const SamplesView& X, const VectorView& y,
                     Revisit revisit = Revisit::replace);
  /// Throws DataError for an unknown task.
  void forget(const std::string& task);

  /// The neighbours with their edges' weights (`edge_weight`), and the number of agents in the
  /// network. Edges that end leave no trace; those that begin or begin again start from x.
  void set_neighbours(const std::map<std::string, double>& weights, Index agents);

  /// Whether anything has changed since it last woke.
  bool has_reason_to_wake() const { return has_reason_ || pending_ > 0; }
  /// Estimates some old tasks again if x has moved, and computes x.
  void wake();

  /// What there is to tell a neighbour, if anything.
  std::optional<LivingMessage> next_message(const std::string& neighbour);
  /// Whether the neighbour has all it was told.
  bool is_heard(const std::string& neighbour) const;
  /// Whether it also has all that there is to tell.
  bool knows_newest(const std::string& neighbour) const;
  /// The newest y once more: it, or its acknowledgement, may be lost.
  LivingMessage repeat(const std::string& neighbour);
  Verdict receive(const std::string& neighbour, const LivingMessage& message);

  /// How far x is from agreement with the neighbours, as their newest messages say, relative to x.
  double distance() const;
  /// Nothing to do, nothing to tell, everything heard.
  bool is_settled() const;

  const Learner& learner() const { return learner_; }
  const Matrix& dictionary() const { return learner_.dictionary(); }
  AgentState state() const { return learner_.state(); }

 private:
  struct Edge {
    double weight = 0.0;
    Matrix z;
    Metric metric;
    std::uint64_t metric_hash = 0;
    Share share;  // the neighbour's
    std::uint64_t share_hash = 0;
    std::uint64_t told_share = 0;  // of the own shares, the one it knows
    std::uint64_t session = 0;     // the neighbour's
    std::uint64_t heard = 0;
    Matrix heard_y;            // every wake takes it again, until z is there
    bool is_new = true;        // nothing has been taken
    std::uint64_t number = 0;  // of the newest y for it
    Matrix told;               // that y
    bool is_heard = true;
    bool has_news = false;
    bool owes_answer = false;
    double apart = 0.0;
  };

  Edge& edge(const std::string& neighbour);
  void own_tasks_changed();
  void update_share();
  void set_share(const Share& share);
  void set_metric(Edge& edge);
  double least_movement() const;
  void estimate_again();
  double unrest() const;
  void solve();
  bool can_be_told() const;
  void forget_others();
  bool has_heard_nothing() const;
  void take_y(Edge& edge);
  static bool stands_still(const Edge& edge);
  void begin_again(Edge& edge);
  double relative_size(const Matrix& difference, const Metric& metric) const;
  double movement(const Matrix& since) const;
  LivingMessage addressed(const Edge& edge) const;
  bool take_share(Edge& edge, const LivingMessage& message);
  void note_heard(Edge& edge, const LivingMessage& message) const;

  NetworkOptions options_;
  LivingOptions living_;
  std::uint64_t session_;
  bool is_new_ = false;  // has never taken a y, nor continues from a state
  Learner learner_;
  std::map<std::string, Edge> edges_;
  Share share_;
  std::uint64_t share_hash_ = 0;
  std::uint64_t last_number_ = 0;  // of a y; edges that end and begin again go on from there
  bool has_reason_ = true;
  bool is_prepared_ = false;
  std::size_t pending_ = 0;  // old tasks to estimate again
  Matrix estimated_at_;      // x, when they were last
};

}  // namespace colla
