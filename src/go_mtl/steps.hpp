// SPDX-License-Identifier: Apache-2.0
// The two halves of one alternation of GO-MTL. Each minimises F over some of its unknowns, from
// where they stand, and raises F by no more than its rounding. Symbols as in colla/go_mtl.hpp.
#pragma once

#include "go_mtl/loss.hpp"

#include <colla/knowledge_base.hpp>
#include <colla/sparse_coding.hpp>

#include <vector>

namespace colla {

/// Of one minimisation in classification; regression needs one.
inline constexpr int most_newton_steps = 100;

/// s <- argmin f(X L s) + mu |s|_1 for one task: proximal Newton. With P = X L, each step goes
/// towards
///
///     z = argmin g'(z - s) + (z - s)'H(z - s)/2 + mu |z|_1,   g = P'df/dm,   H = P' diag(d2f/dm2)
///     P,
///
/// cut by a line search on the objective itself. With squared loss the first z is the answer.
class CodeStep {
 public:
  CodeStep(Index atoms, double mu);
  void minimise(const TaskLoss& task, const MatrixView& L, Eigen::Ref<Vector> s);

 private:
  void find_target(const TaskLoss& task, const VectorView& s);
  double value_along(const TaskLoss& task, const VectorView& s, double t);

  double mu_;
  SparseCoder coder_;
  Samples projected_;  // P, M x u
  Samples weighted_;   // the rows of P, times the root of their curvature
  Vector margins_, tried_margins_, slope_, curvature_, change_;  // M each; change = P direction
  Vector gradient_, linear_, target_, direction_;                // u each
  Matrix half_hessian_;                                          // H/2, u x u
};

/// L <- argmin (1/T) sum_t f_t(X_t L s_t) + lambda |L|^2: Newton. Each step goes along D,
///
///     (1/T) sum_t H_t D s_t s_t' + 2 lambda D = -G,   H_t = X_t' diag(d2f/dm2) X_t,
///     G = (1/T) sum_t X_t'(df/dm) s_t' + 2 lambda L,
///
/// a system that a knowledge base solves: by Cholesky, or by conjugate gradients if du is large.
class DictionaryStep {
 public:
  DictionaryStep(Index features, Index atoms, double lambda, Solver solver);
  void minimise(const std::vector<TaskLoss>& tasks, const Matrix& S, Matrix& L);

 private:
  void project(const std::vector<TaskLoss>& tasks, const Matrix& thetas,
               std::vector<Vector>& projections) const;
  void find_direction(const std::vector<TaskLoss>& tasks, const Matrix& S, const Matrix& L);
  double value_along(const std::vector<TaskLoss>& tasks, const Matrix& L, double t) const;

  double lambda_;
  KnowledgeBase newton_system_;
  std::vector<Vector> margins_, changes_;  // X_t L s_t and X_t D s_t
  Matrix pulls_;                           // column t: X_t' df/dm, d x T
  Matrix gradient_;                        // d x u
};

}  // namespace colla
