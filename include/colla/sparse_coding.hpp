// SPDX-License-Identifier: Apache-2.0
// The code of a task on a dictionary,
//
//     s = argmin |alpha - L s|^2_Gamma + mu |s|_1
//       = argmin s'G s - 2 c's + mu |s|_1 + const,   G = L'Gamma L (u x u),  c = L'Gamma alpha (u).
//
// With g = 2 (G s - c), s is a solution if and only if g_j = -mu sign(s_j) where s_j is not 0 and
// |g_j| <= mu where it is.
#pragma once

#include <colla/single_task.hpp>

namespace colla {

struct CodeSummary {
  Index steps = 0;
  /// Largest violation of the conditions above, relative to the largest of mu, 2 |c_j| and 2 sum_k
  /// |G_jk s_k| (g is the difference of the last two).
  double kkt_residual = 0.0;
  bool converged = true;  ///< residual at most 1e-10
};

/// An active-set method: a Newton step on the atoms in use, cut where a coefficient would change
/// its sign, then the atom that violates its condition most enters. Each step lowers the objective,
/// so it ends after finitely many, at a solution up to rounding. Atoms that depend on those in use
/// (collinear ones) enter along the null direction, in exchange for one that leaves.
/// Keeps its working memory: solving does not allocate.
class SparseCoder {
 public:
  explicit SparseCoder(Index atoms);

  Index atoms() const { return sign_.size(); }

  /// `s` comes in as a first guess (zero if there is none) and goes out as the solution. Only the
  /// lower triangle of G is read.
  CodeSummary solve(const MatrixView& G, const VectorView& c, double mu, Eigen::Ref<Vector> s);

 private:
  void start(const MatrixView& G, const VectorView& c, Eigen::Ref<Vector> s);
  void differentiate(const VectorView& c, const VectorView& s);
  bool append_to_factor(Index atom);
  void leave(Index position, Eigen::Ref<Vector> s);
  void solve_active(Eigen::Ref<Vector> x) const;
  double active_residual(double mu) const;
  Index most_violating(double mu) const;
  bool newton_step(double mu, Eigen::Ref<Vector> s);
  void enter(Index atom, double mu, Eigen::Ref<Vector> s);
  double length_to_first_zero(const VectorView& s) const;
  bool advance(double length, double first_zero, Eigen::Ref<Vector> s);

  Index count_ = 0;                      // atoms in use
  Eigen::Matrix<Index, -1, 1> active_;   // their numbers: the first count_ entries
  Eigen::Matrix<bool, -1, 1> excluded_;  // in use, or kept out by rounding
  Matrix G_;                             // symmetric
  Matrix factor_;                        // Cholesky factor of G on the atoms in use, in their order
  Vector sign_;                          // of each coefficient in use
  Vector gradient_;                      // G s - c
  Vector direction_;                     // of the atoms in use, in their order
};

/// G and c of a task on a dictionary, with the workspace to form them.
struct CodingProblem {
  Matrix G;         ///< L'Gamma L, u x u
  Vector c;         ///< L'Gamma alpha, u
  Matrix weighted;  ///< Gamma L, d x u

  void form(const MatrixView& L, const SingleTaskModel& task);
};

/// The code of a task on a dictionary; `guess` is where the search starts, u zeros if there is
/// nothing better.
Vector encode(const MatrixView& L, const SingleTaskModel& task, double mu, const VectorView& guess,
              CodeSummary* summary = nullptr);

}  // namespace colla
