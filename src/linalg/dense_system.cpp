// SPDX-License-Identifier: Apache-2.0
#include "linalg/dense_system.hpp"

#include "linalg/lanes.hpp"
#include "linalg/lapack.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace colla {
namespace {

// A code whose part outside the basis is smaller than this, relative to the code, lies in it.
constexpr double in_span = 1e-14;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Block (a, b) of A, a >= b, gets weight s_a s_b Gamma: touches only the atoms that the code uses,
// column by column, in memory order.
COLLA_FOR_EACH_PROCESSOR
void add_kronecker(const double* s, Index r, const double* gamma, Index d, double weight, double* A,
                   Index stride) {
  for (Index b = 0; b < r; ++b) {
    if (s[b] == 0.0) continue;
    for (Index j = 0; j < d; ++j) {
      double* column = A + (b * d + j) * stride;
      for (Index a = b; a < r; ++a) {
        if (s[a] == 0.0) continue;
        const double factor = weight * s[a] * s[b];
        for (Index i = 0; i < d; ++i) column[a * d + i] += factor * gamma[j * d + i];
      }
    }
  }
}

// (Q kron I) A (Q' kron I) of a symmetric A, in the lower triangle.
Matrix rotated(const Matrix& Q, Matrix A, Index d) {
  mirror_lower(A);
  const Index r = Q.cols();
  thread_local Matrix half;  // shared by all agents: allocating costs as much as the sums
  half.resize(Q.rows() * d, r * d);
  for (Index column = 0; column < r * d; ++column) {
    const Eigen::Map<const Matrix> blocks(A.col(column).data(), d, r);
    Eigen::Map<Matrix>(half.col(column).data(), d, Q.rows()).noalias() = blocks * Q.transpose();
  }
  A.setZero(Q.rows() * d, Q.rows() * d);
  for (Index a = 0; a < Q.rows(); ++a) {
    for (Index k = 0; k < r; ++k) A.middleCols(a * d, d) += Q(a, k) * half.middleCols(k * d, d);
  }
  return A;
}

}  // namespace

DenseSystem::DenseSystem(Index features, Index atoms)
    : features_(features),
      atoms_(atoms),
      basis_(atoms, 0),
      A_(Matrix::Zero(features * atoms, features * atoms)) {}

std::unique_ptr<DictionarySystem> DenseSystem::clone() const {
  auto copy = std::make_unique<DenseSystem>(features_, atoms_);
  copy->basis_ = basis_;
  copy->A_ = A_;
  copy->shift_ = shift_;
  copy->factor_ = factor_;
  return copy;
}

void DenseSystem::add(const VectorView& code, std::shared_ptr<const Curvature> gamma) {
  accumulate(code, *gamma, 1.0);
}

void DenseSystem::remove(const VectorView& code, const std::shared_ptr<const Curvature>& gamma) {
  accumulate(code, *gamma, -1.0);
}

void DenseSystem::clear() {
  basis_.resize(atoms_, 0);
  A_.setZero();
}

SystemSums DenseSystem::sums() const { return {basis_, A_.topLeftCorner(order(), order())}; }

void DenseSystem::set_sums(const SystemSums& sums) {
  basis_ = sums.basis;
  A_.setZero();
  A_.topLeftCorner(order(), order()) = sums.sum;
}

// Q's, after adding the code's direction to Q.
Vector DenseSystem::coordinates(const VectorView& code) {
  Vector rest = code;
  // Twice: the second pass removes what rounding left in the first.
  for (int pass = 0; pass < 2; ++pass) rest -= basis_ * (basis_.transpose() * rest);
  if (rest.norm() > in_span * code.norm()) extend_basis(rest.normalized());
  return spans_all() ? Vector(code) : Vector(basis_.transpose() * code);
}

void DenseSystem::extend_basis(const Vector& direction) {
  basis_.conservativeResize(atoms_, basis_.cols() + 1);
  basis_.rightCols(1) = direction;
  if (!spans_all()) return;
  A_ = rotated(basis_, std::move(A_), features_);
  basis_.setIdentity();
}

void DenseSystem::accumulate(const VectorView& code, const Curvature& gamma, double sign) {
  const bool is_dense = gamma.form() == CurvatureForm::dense;
  const Matrix expanded = is_dense ? Matrix() : gamma.dense();
  const Matrix& weights = is_dense ? gamma.dense_matrix() : expanded;
  const Vector s = spans_all() ? Vector(code) : coordinates(code);
  add_kronecker(s.data(), s.size(), weights.data(), features_, sign, A_.data(), A_.outerStride());
}

void DenseSystem::prepare(double weight, double shift) {
  const Index n = order();
  shift_ = shift;
  thread_local Matrix system;
  system.resize(n, n);
  const auto scale_and_shift = [&](double whole_shift) {
    for (Index column = 0; column < n; ++column) {
      system.col(column).tail(n - column) = weight * A_.col(column).segment(column, n - column);
    }
    system.diagonal().array() += whole_shift;
  };
  scale_and_shift(shift);
  if (!cholesky_in_place(system)) {
    // The shift would vanish in A's rounding: raise it to the smallest that counts in double
    // precision.
    const double largest = std::max(weight * A_.diagonal().head(n).maxCoeff(), shift);
    double raised = epsilon * static_cast<double>(n) * largest;
    do {
      scale_and_shift(shift + raised);
      raised *= 10.0;
    } while (!cholesky_in_place(system) && raised < largest);
  }
  factor_.assign(system);
}

SolveSummary DenseSystem::solve(const MatrixView& R, Eigen::Ref<Matrix> L) {
  if (spans_all()) {
    L = R;
    factor_.solve_in_place(Eigen::Map<Vector>(L.data(), L.size()));
    return {};
  }
  thread_local Matrix inside;
  inside.noalias() = R * basis_;
  L = R;
  L.noalias() -= inside * basis_.transpose();
  // The part of R outside the span is at least this, or else rounding that a small shift would
  // amplify.
  const double least = 4.0 * epsilon * R.cwiseAbs().maxCoeff();
  L = (L.array().abs() > least).select(L / shift_, 0.0);
  factor_.solve_in_place(Eigen::Map<Vector>(inside.data(), inside.size()));
  L.noalias() += inside * basis_.transpose();
  return {};
}

Matrix DenseSystem::statistics() const {
  if (spans_all()) return A_;
  return rotated(basis_, A_.topLeftCorner(order(), order()), features_);
}

}  // namespace colla
