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
#pragma once

#include <colla/exchange_order.hpp>
#include <colla/graph.hpp>
#include <colla/network_options.hpp>

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
  /// Factorises the local system if tasks or codes have changed; otherwise the next exchange does.
  void prepare();

  /// Takes the newest dictionary of the n-th neighbour. Different threads may take different
  /// neighbours' dictionaries at the same time.
  void receive(Index n, const MatrixView& dictionary);
  /// Computes the own dictionary from the neighbours' newest ones. Does not allocate once prepared.
  void exchange();

  /// Re-encodes the own tasks on the newest dictionary and rebuilds A and b.
  void refresh_codes();

  /// Between two steps.
  AgentState state() const;

  const LifelongAgent& agent() const { return agent_; }
  const Matrix& dictionary() const { return agent_.dictionary(); }
  /// Dual of the edge to the n-th neighbour.
  const Matrix& dual(Index n) const { return edge_states_[static_cast<std::size_t>(n)].dual; }
  /// In ascending order of the neighbour.
  const std::vector<EdgeState>& edge_states() const { return edge_states_; }
  /// The newest dictionary received from the n-th neighbour.
  const Matrix& neighbour_dictionary(Index n) const {
    return edge_states_[static_cast<std::size_t>(n)].dictionary;
  }
  Index position() const { return position_; }
  double rho() const { return rho_; }

  /// rho/2 |N(i)| + lambda
  double shift() const;

 private:
  Index position_;
  double rho_;
  std::vector<EdgeState> edge_states_;  // before the agent, which takes the rest of a state
  LifelongAgent agent_;
  bool prepared_ = false;
};

}  // namespace colla
