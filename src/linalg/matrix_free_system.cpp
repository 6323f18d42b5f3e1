// SPDX-License-Identifier: Apache-2.0
#include "linalg/matrix_free_system.hpp"

#include "linalg/lapack.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace colla {
namespace {

// Both paths agree to 1e-8 although |L - L*| may exceed the residual by the condition of P^-1 A.
constexpr double tolerance = 1e-12;
constexpr Index most_iterations = 2000;

double dot(const Matrix& a, const Matrix& b) { return a.reshaped().dot(b.reshaped()); }

}  // namespace

MatrixFreeSystem::MatrixFreeSystem(Index features, Index atoms)
    : features_(features), atoms_(atoms), gamma_sum_(Matrix::Zero(features, features)) {
  for (Matrix* room :
       {&start_, &residual_, &direction_, &image_, &preconditioned_, &rotated_, &half_rotated_}) {
    *room = Matrix::Zero(features, atoms);
  }
}

std::unique_ptr<DictionarySystem> MatrixFreeSystem::clone() const {
  auto copy = std::make_unique<MatrixFreeSystem>(features_, atoms_);
  copy->size_ = size_;
  copy->contributions_ = contributions_;
  copy->gamma_sum_ = gamma_sum_;
  if (codes_.size() > 0) copy->prepare(weight_, shift_);
  return copy;
}

void MatrixFreeSystem::add(const VectorView& code, std::shared_ptr<const Curvature> gamma) {
  gamma->add_to(gamma_sum_, 1.0);
  size_ += gamma->size();
  contributions_.push_back({code, std::move(gamma)});
}

std::vector<MatrixFreeSystem::Contribution>::iterator MatrixFreeSystem::find(
    const std::shared_ptr<const Curvature>& gamma) {
  const auto found = std::find_if(contributions_.begin(), contributions_.end(),
                                  [&](const Contribution& c) { return c.gamma == gamma; });
  assert(found != contributions_.end());
  return found;
}

void MatrixFreeSystem::remove(const VectorView& /*code*/,
                              const std::shared_ptr<const Curvature>& gamma) {
  gamma->add_to(gamma_sum_, -1.0);
  size_ -= gamma->size();
  contributions_.erase(find(gamma));
}

void MatrixFreeSystem::replace(const VectorView& /*code*/,
                               const std::shared_ptr<const Curvature>& gamma,
                               const VectorView& new_code,
                               std::shared_ptr<const Curvature> new_gamma) {
  gamma->add_to(gamma_sum_, -1.0);
  new_gamma->add_to(gamma_sum_, 1.0);
  size_ += new_gamma->size() - gamma->size();
  *find(gamma) = {new_code, std::move(new_gamma)};
}

void MatrixFreeSystem::clear() {
  contributions_.clear();
  gamma_sum_.setZero();
  size_ = 0;
}

void MatrixFreeSystem::copy_to(DictionarySystem& other) const {
  for (const Contribution& c : contributions_) other.add(c.code, c.gamma);
}

void MatrixFreeSystem::prepare(double weight, double shift) {
  weight_ = weight;
  shift_ = shift;
  const Index tasks = static_cast<Index>(contributions_.size());
  codes_.resize(atoms_, tasks);
  projected_.resize(features_, tasks);
  weighted_.resize(features_, tasks);
  Index most_rows = 0;
  for (Index t = 0; t < tasks; ++t) {
    const Contribution& c = contributions_[static_cast<std::size_t>(t)];
    codes_.col(t) = c.code;
    most_rows = std::max(most_rows, c.gamma->factor_rows());
  }
  inner_.resize(most_rows);

  weighted_codes_ = weight * codes_.transpose();

  // P = S kron G + shift I, S = weight sum s s', G = sum Gamma / tasks.
  const double mean = 1.0 / static_cast<double>(std::max<Index>(1, tasks));
  code_vectors_ = codes_ * weighted_codes_;
  gamma_vectors_ = mean * gamma_sum_;
  Vector code_values;
  Vector gamma_values;
  const bool decomposed = symmetric_eigen_in_place(code_vectors_, code_values) &&
                          symmetric_eigen_in_place(gamma_vectors_, gamma_values);
  if (!decomposed) {
    code_vectors_.setIdentity(atoms_, atoms_);
    gamma_vectors_.setIdentity(features_, features_);
    code_values = Vector::Ones(atoms_);
    gamma_values = Vector::Ones(features_);
  }
  inverse_spectrum_ = gamma_values.cwiseMax(0.0) * code_values.cwiseMax(0.0).transpose();
  inverse_spectrum_ = (inverse_spectrum_.array() + shift).inverse();
}

// product <- weight sum_t Gamma_t V s_t s_t' + shift V
void MatrixFreeSystem::multiply(const MatrixView& V, Eigen::Ref<Matrix> product) {
  projected_.noalias() = V * codes_;
  for (Index t = 0; t < codes_.cols(); ++t) {
    contributions_[static_cast<std::size_t>(t)].gamma->multiply(projected_.col(t), weighted_.col(t),
                                                                inner_);
  }
  product = shift_ * V;
  product.noalias() += weighted_ * weighted_codes_;
}

// result <- P^-1 V
void MatrixFreeSystem::precondition(const MatrixView& V, Eigen::Ref<Matrix> result) {
  half_rotated_.noalias() = gamma_vectors_.transpose() * V;
  rotated_.noalias() = half_rotated_ * code_vectors_;
  rotated_.array() *= inverse_spectrum_.array();
  half_rotated_.noalias() = rotated_ * code_vectors_.transpose();
  result.noalias() = gamma_vectors_ * half_rotated_;
}

SolveSummary MatrixFreeSystem::solve(const MatrixView& R, Eigen::Ref<Matrix> L) {
  SolveSummary summary;
  const double scale = R.norm();
  if (scale == 0.0) {
    L.setZero();
    return summary;
  }
  multiply(L, image_);
  residual_ = R - image_;
  precondition(residual_, preconditioned_);
  direction_ = preconditioned_;
  double energy = dot(residual_, preconditioned_);
  summary.relative_residual = residual_.norm() / scale;
  start_ = L;
  const double first = summary.relative_residual;
  while (summary.relative_residual > tolerance && summary.iterations < most_iterations) {
    multiply(direction_, image_);
    const double step = energy / dot(direction_, image_);
    L += step * direction_;
    residual_ -= step * image_;
    precondition(residual_, preconditioned_);
    const double next_energy = dot(residual_, preconditioned_);
    direction_ = preconditioned_ + (next_energy / energy) * direction_;
    energy = next_energy;
    summary.relative_residual = residual_.norm() / scale;
    ++summary.iterations;
  }
  summary.converged = summary.relative_residual <= tolerance;
  // Rounding can make the iteration diverge: a result that is worse than the start, or not finite,
  // is dropped.
  if (!summary.converged && !(summary.relative_residual <= first)) {
    L = start_;
    summary.relative_residual = first;
  }
  return summary;
}

}  // namespace colla
