// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linalg/dictionary_system.hpp"

namespace colla {

/// Keeps A (du x du, lower triangle) and one Cholesky factor, which every solve until the next
/// `prepare` reuses. Memory and cost do not depend on the number of tasks.
class DenseSystem final : public DictionarySystem {
 public:
  DenseSystem(Index features, Index atoms);

  std::unique_ptr<DictionarySystem> clone() const override;
  void add(const VectorView& code, std::shared_ptr<const Curvature> gamma) override;
  void remove(const VectorView& code, const std::shared_ptr<const Curvature>& gamma) override;
  void clear() override;
  void prepare(double weight, double shift) override;
  SolveSummary solve(const MatrixView& R, Eigen::Ref<Matrix> L) override;
  CurvatureForm preferred_form() const override { return CurvatureForm::dense; }

  /// A, in its lower triangle.
  const Matrix& statistics() const { return A_; }

 private:
  void accumulate(const VectorView& code, const Curvature& gamma, double sign);

  Index features_;
  Matrix A_;
  Matrix factor_;
};

}  // namespace colla
