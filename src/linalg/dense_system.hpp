// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linalg/dictionary_system.hpp"
#include "linalg/tiled_cholesky.hpp"

namespace colla {

/// Keeps A and one Cholesky factor, which every solve until the next `prepare` reuses. Memory and
/// cost do not depend on the number of tasks, once there are u of them.
///
/// As long as the codes span fewer than u directions (r of them), A acts on these alone: with Q, u
/// x r, an orthonormal basis of the codes,
///
///     A = (Q kron I) A_Q (Q' kron I),    A_Q = sum_t (Q's_t s_t'Q) kron Gamma_t    of order dr,
///     L = [(weight A_Q + shift I)^-1 R Q] Q' + R (I - QQ') / shift.
///
/// Each task adds at most one direction, so that the first u - 1 tasks of an agent, and every task
/// of one whose codes leave atoms unused, cost less. At r = u the basis is dropped.
class DenseSystem final : public DictionarySystem {
 public:
  DenseSystem(Index features, Index atoms);

  std::unique_ptr<DictionarySystem> clone() const override;
  void add(const VectorView& code, std::shared_ptr<const Curvature> gamma) override;
  void remove(const VectorView& code, const std::shared_ptr<const Curvature>& gamma) override;
  void clear() override;
  SystemSums sums() const override;
  void set_sums(const SystemSums& sums) override;
  void prepare(double weight, double shift) override;
  SolveSummary solve(const MatrixView& R, Eigen::Ref<Matrix> L) override;
  CurvatureForm preferred_form() const override { return CurvatureForm::dense; }

  /// A, in its lower triangle.
  Matrix statistics() const;

 private:
  bool spans_all() const { return basis_.cols() == atoms_; }
  Index order() const { return features_ * basis_.cols(); }
  Vector coordinates(const VectorView& code);
  void extend_basis(const Vector& direction);
  void accumulate(const VectorView& code, const Curvature& gamma, double sign);

  Index features_;
  Index atoms_;
  Matrix basis_;  // Q; the unit matrix from r = u on
  Matrix A_;      // its first dr rows and columns hold A_Q, in the lower triangle
  double shift_ = 0.0;
  TiledCholesky factor_;
};

}  // namespace colla
