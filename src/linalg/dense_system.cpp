// SPDX-License-Identifier: Apache-2.0
#include "linalg/dense_system.hpp"

#include "linalg/lapack.hpp"

#include <algorithm>
#include <limits>

namespace colla {

DenseSystem::DenseSystem(Index features, Index atoms)
    : features_(features),
      A_(Matrix::Zero(features * atoms, features * atoms)),
      factor_(Matrix::Zero(features * atoms, features * atoms)) {}

std::unique_ptr<DictionarySystem> DenseSystem::clone() const {
  auto copy = std::make_unique<DenseSystem>(features_, A_.rows() / features_);
  copy->A_ = A_;
  copy->factor_ = factor_;
  return copy;
}

void DenseSystem::add(const VectorView& code, std::shared_ptr<const Curvature> gamma) {
  accumulate(code, *gamma, 1.0);
}

void DenseSystem::remove(const VectorView& code, const std::shared_ptr<const Curvature>& gamma) {
  accumulate(code, *gamma, -1.0);
}

void DenseSystem::clear() { A_.setZero(); }

// Block (a, b) of A, a >= b, gets s_a s_b Gamma: only the atoms that the code uses are touched.
void DenseSystem::accumulate(const VectorView& code, const Curvature& gamma, double sign) {
  const bool is_dense = gamma.form() == CurvatureForm::dense;
  const Matrix expanded = is_dense ? Matrix() : gamma.dense();
  const Matrix& weights = is_dense ? gamma.dense_matrix() : expanded;
  for (Index b = 0; b < code.size(); ++b) {
    if (code[b] == 0.0) continue;
    for (Index a = b; a < code.size(); ++a) {
      if (code[a] == 0.0) continue;
      A_.block(a * features_, b * features_, features_, features_) +=
          (sign * code[a] * code[b]) * weights;
    }
  }
}

void DenseSystem::prepare(double weight, double shift) {
  const Index n = A_.rows();
  auto scale_and_shift = [&](double diagonal) {
    for (Index column = 0; column < n; ++column) {
      factor_.col(column).tail(n - column) = weight * A_.col(column).tail(n - column);
    }
    factor_.diagonal().array() += diagonal;
  };
  scale_and_shift(shift);
  if (cholesky_in_place(factor_)) return;
  // The shift is lost in A's rounding: raise it to what double precision can tell from zero.
  const double largest = std::max(weight * A_.diagonal().maxCoeff(), shift);
  double raised = std::numeric_limits<double>::epsilon() * static_cast<double>(n) * largest;
  for (;; raised *= 10.0) {
    scale_and_shift(shift + raised);
    if (cholesky_in_place(factor_) || !(raised < largest)) return;
  }
}

SolveSummary DenseSystem::solve(const MatrixView& R, Eigen::Ref<Matrix> L) {
  L = R;
  cholesky_solve_in_place(factor_, Eigen::Map<Vector>(L.data(), L.size()));
  return {};
}

}  // namespace colla
