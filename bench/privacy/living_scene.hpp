// SPDX-License-Identifier: Apache-2.0
// A real agent that lives, and neighbours that work together. They use what they are sent and what
// all agents of a network agree on. All of the agent's neighbours are of them, and all do the same:
// together they know its whole coupling, as the one neighbour of a leaf does.
//
//     (A + sum_e M_e) x = b + sum_e M_e z,    y = 2 x - z    (healing.hpp)
#pragma once

#include <colla/living_agent.hpp>

#include <functional>

namespace colla::privacy {

/// What a wake of the agent tells.
struct Sighting {
  Matrix before;  ///< x until then: under which a collective prior's tasks were estimated again
  Matrix x;
  /// sum_e M_e (z - x) - lambda x: of dictionaries (1/T) sum_t Gamma_t (L s_t - alpha_t) s_t'.
  Matrix residual;
};

class LivingScene {
 public:
  LivingScene(const NetworkOptions& options, Index neighbours);

  LivingAgent& agent() { return agent_; }
  /// What the agent has told of its A.
  const colla::Share& share() const { return share_; }
  /// The agent wakes and tells its neighbours.
  Sighting wake();
  /// They tell it y, and it wakes.
  Sighting answer(const Matrix& y);
  /// The only neighbour follows the protocol: one message each way.
  Sighting listen(LivingAgent& neighbour);
  /// They tell it what moves its z by this.
  Sighting nudge(const Matrix& change) { return answer(z_ + change / taken); }
  /// They tell it what makes its coupling `wanted`, and leave it there: two exchanges.
  Sighting couple(const Matrix& wanted);
  /// Sum_e of the metrics, where they are multiples of I.
  double shift() const { return static_cast<double>(names_.size()) * metric_.ridge(); }

 private:
  static constexpr double taken = 0.9;  // of a difference, by the rule

  void use_shares(const colla::Share& agent, const colla::Share& neighbours);
  LivingMessage hear();

  double lambda_;
  double weight_ = 0.0;
  std::vector<std::string> names_;
  LivingAgent agent_;
  colla::Share share_;
  colla::Share own_;  // the neighbours'
  Metric metric_;
  Matrix x_;
  Matrix z_;
  Matrix heard_;  // the y that the agent takes at every wake
  std::uint64_t number_ = 0;
  std::uint64_t metric_hash_ = 0;
  std::uint64_t share_hash_ = 0;
  std::uint64_t own_hash_ = 0;
};

/// With a collective prior: sums over the agent's tasks, and the prior under which these were
/// estimated.
struct PriorSighting {
  Prior prior;
  Vector sums;  ///< of the first candidate
};

PriorSighting sighting_of(const Sighting& seen, const AgentOptions& options);
/// A coupling that makes x, if the agent's sums stay what they were, this prior.
Matrix coupling_for(const Prior& wanted, const Sighting& last, double shift,
                    const AgentOptions& options);

/// A task's X'X and X'y.
struct Products {
  Matrix gram;
  Vector products;
};

/// theta under known priors gives equations that are linear in both:
///
///     X'X theta - X'y = -sigma^2 D^-1 (theta - m)
Products identify(const std::vector<Prior>& priors, const std::vector<Vector>& thetas);

/// theta under the prior.
Vector estimate(const Products& task, const Prior& prior);

}  // namespace colla::privacy
