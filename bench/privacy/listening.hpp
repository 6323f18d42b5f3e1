// SPDX-License-Identifier: Apache-2.0
// What a neighbour learns about an agent's tasks from the dictionaries that cross their edge. It
// uses only these and what all agents of a network agree on. docs/privacy.md has the mathematics.
//
//   d, u   features, atoms               s      code of a task, u; q = s/|s|
//   L      the agent's dictionary, d x u  T      number of its tasks
#pragma once

#include <colla/matrix.hpp>

#include <span>
#include <vector>

namespace colla::privacy {

/// What an agent's exchange reveals to its neighbour.
struct Answer {
  Matrix dictionary;  ///< L, as the agent sent it
  /// coupling - shift L, with the neighbour's own part of the coupling. For a leaf there is no
  /// other part, and this is (1/T) sum_t Gamma_t (L s_t - alpha_t) s_t'.
  Matrix residual;
};

/// A neighbour's end of an edge: keeps its part of the agent's coupling.
class Listener {
 public:
  /// Both ends start from `first`; `comes_first`: the neighbour comes before the agent in the
  /// network. The shift is the agent's, rho/2 |N(i)| + lambda.
  Listener(const Matrix& first, bool comes_first, double rho, double shift);

  /// The neighbour sends a dictionary.
  void sent(const Matrix& dictionary);
  /// The agent answers.
  Answer heard(const Matrix& dictionary);

 private:
  void settle();

  bool comes_first_;
  double rho_;
  double shift_;
  Matrix own_;    // sent last
  Matrix heard_;  // of the agent
  Matrix pull_;   // what the dual of the edge adds to the agent's coupling
};

/// A task's part of T residual, (P L q - c) q'.
struct Share {
  Matrix P;  ///< |s|^2 Gamma
  Vector c;  ///< |s| Gamma alpha
  Vector q;  ///< s/|s|, up to its sign
};

/// A task's statistics. alpha is known up to its sign: rows with targets y and -y give the same
/// dictionaries.
struct Statistics {
  Matrix gamma;
  Vector alpha;
};

/// q, up to its sign, from residuals whose rows are multiples of it.
Vector code_direction(std::span<const Answer> answers);

/// residual q = P (L q) - c: the pairs (L q, residual q), as columns.
struct Pairs {
  Matrix input;
  Matrix output;
};

Pairs pairs_along(const Vector& q, std::span<const Answer> answers);

/// The share of a leaf's only task. Needs d + 1 answers, or as many as the task has rows and two
/// more if these are fewer.
Share identify(std::span<const Answer> answers);

/// The answers of a leaf with `tasks` tasks, all but one known, as if it had only the unknown one.
std::vector<Answer> without(std::span<const Share> known, std::span<const Answer> answers,
                            Index tasks);

/// |s|, if the last feature is 1 in every row: then Gamma_dd = 1 + ridge (regression).
double code_size_by_intercept(const Share& share, double ridge);
/// |s| from the dictionary on which the task was encoded: there
/// 2 L_j'Gamma (alpha - L s) = mu sign(s_j) where s_j is not 0; mu > 0.
double code_size_by_penalty(const Share& share, const Matrix& L, double mu);

Statistics statistics(const Share& share, double code_size);

}  // namespace colla::privacy
