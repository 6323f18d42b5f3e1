// SPDX-License-Identifier: Apache-2.0
// One agent's side of CoLLA's exchanges (extended ADMM). All an agent needs from others is its
// neighbours' dictionaries; the engine carries them.
//
//   L_i   own dictionary, d x u            Z_l   dual of edge l = (i, j), i < j, d x u
//   N(i)  neighbours of agent i            rho   penalty on disagreement
//
// One exchange k of agent i:
//
//     receive L_j^(k+1) of every smaller neighbour j < i
//     (A_i/T_i + (rho/2 |N(i)| + lambda) I) vec L_i
//         = b_i/T_i + vec(-1/2 sum_l (+-) Z_l + rho/2 sum_{j in N(i)} L_j)
//     receive L_j^(k+1) of every larger neighbour j > i
//     Z_l <- Z_l + rho (L_i - L_j), i < j the ends of l
//
// with + at the end i and - at the end j of an edge. Both ends compute Z_l from the two
// dictionaries that both have, by the same operations: bitwise the same, and never sent.
// docs/privacy.md says what L_i reveals about the tasks in A_i and b_i.
//
// With a collective prior, agents exchange means in place of dictionaries: the same rule, with the
// A_i and b_i of prior_agent.hpp and lambda = 0.
//
// By the rule that heals (healing.hpp), a participant receives its neighbours' x just the same: as
// no message is lost here, both ends of an edge can keep z_ij and z_ji and compute all y.
#pragma once

#include <colla/exchange_order.hpp>
#include <colla/graph.hpp>
#include <colla/healing.hpp>
#include <colla/learner.hpp>

#include <optional>

namespace colla {

class Participant {
 public:
  /// Starts from `dictionary` (d x u), or from a random one drawn from the seed. All agents of a
  /// network start from the same one.
  Participant(const NetworkOptions& options, const Graph& graph, Index position,
              const std::optional<Matrix>& dictionary = {});
  /// Continues from the state of an earlier participant, bit for bit.
  Participant(const NetworkOptions& options, AgentState state, Index position);

  /// Counts the network's time step and redraws dead atoms, here and in the copies of the
  /// neighbours' dictionaries, as the neighbours do.
  void begin_step();
  /// Learns an arriving task, whose rows have passed the agent's `check_rows`; the dictionary stays
  /// until the next exchange.
  LearnSummary absorb(const std::string& task, const SamplesView& X, const VectorView& y,
                      Revisit revisit = Revisit::replace);
  /// Forgets a known task; the dictionary stays until the next exchange.
  void forget(const std::string& task);
  /// By the rule that heals, what the agent tells all neighbours of its A in this step, as numbers;
  /// empty if they need nothing. `take_shares` gets every agent's, by position.
  std::vector<double> make_share();
  void take_shares(const std::vector<std::vector<double>>& of_agents);
  /// Factorises the local system if tasks or codes have changed; otherwise the next exchange does.
  void prepare();

  /// Takes the newest dictionary of the n-th neighbour. Different threads may take different
  /// neighbours' dictionaries at the same time.
  void receive(Index n, const MatrixView& dictionary);
  /// Computes the own dictionary from the neighbours' newest ones. Does not allocate once prepared.
  void exchange();

  /// The agent's part in the residual that, with agreement, says that the exchanges have settled;
  /// from the dictionaries before and after one of them, by position.
  double squared_dual_residual(const std::vector<Matrix>& before,
                               const std::vector<Matrix>& after) const;

  /// Re-encodes the own tasks on the newest dictionary and rebuilds A and b; with a collective
  /// prior, estimates tasks again.
  void refresh_codes();

  /// Between two steps.
  AgentState state() const;

  bool has_prior() const { return learner_.has_prior(); }
  /// Only without a collective prior.
  const LifelongAgent& agent() const { return learner_.agent(); }
  /// Only with one.
  const PriorAgent& prior_agent() const { return learner_.prior_agent(); }

  // Of either.
  const Matrix& dictionary() const { return learner_.dictionary(); }
  const std::vector<TaskRecord>& records() const { return learner_.records(); }
  bool knows(const std::string& task) const { return learner_.knows(task); }
  const TaskRecord& record(const std::string& task) const { return learner_.record(task); }
  std::uint64_t step() const { return learner_.step(); }
  const Numerics& numerics() const { return learner_.numerics(); }
  /// Throws DataError if a task with these rows cannot be learned.
  void check_rows(const std::string& task, const SamplesView& X, const VectorView& y) const {
    learner_.check_rows(task, X, y);
  }

  /// Dual of the edge to the n-th neighbour.
  const Matrix& dual(Index n) const { return edge_states_[static_cast<std::size_t>(n)].dual; }
  /// In ascending order of the neighbour.
  const std::vector<EdgeState>& edge_states() const { return edge_states_; }
  /// The newest dictionary received from the n-th neighbour.
  const Matrix& neighbour_dictionary(Index n) const {
    return edge_states_[static_cast<std::size_t>(n)].dictionary;
  }
  Index position() const { return position_; }
  Rule rule() const { return rule_; }
  double rho() const { return rho_; }

  /// The part of the local system's matrix beside A_i that is a multiple of I: lambda, and the
  /// edges' rho/2 or ridges.
  double shift() const;

 private:
  bool has_shares() const;
  void set_metrics();
  void heal(EdgeState& edge, Index computed, const Matrix& x) const;
  void add_coupling(Matrix& coupling) const;

  Index position_;
  Rule rule_;
  MetricKind metric_kind_;
  double rho_;
  std::vector<EdgeState> edge_states_;  // before the learner, which takes the rest of a state
  Share share_;                         // what it told last
  Learner learner_;
  std::vector<Metric> metrics_;  // of the edges, by the rule that heals
  bool prepared_ = false;
};

}  // namespace colla
