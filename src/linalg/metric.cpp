// SPDX-License-Identifier: Apache-2.0
#include <colla/metric.hpp>

#include <Eigen/Eigenvalues>

namespace colla {

Metric::Metric(const Share& a, const Share& b, double lambda, double weight)
    : ridge_(weight * lambda) {
  const Matrix codes = 0.5 * weight * (a.codes + b.codes);
  const Matrix features = 0.5 * (a.features + b.features);
  if (codes.size() == 1 && features.size() == 1) {
    ridge_ += codes(0, 0) * features(0, 0);
    return;
  }
  codes_ = codes;
  features_ = features;
}

void Metric::add_product(const MatrixView& X, Eigen::Ref<Matrix> sum) const {
  sum += ridge_ * X;
  if (is_isotropic()) return;
  thread_local Matrix half;
  half.noalias() = X * codes_;
  sum.noalias() += features_ * half;
}

// S = U s U' and Gamma = V g V' give M^-1 R = V [(V'RU)_jk / (g_j s_k + ridge)] U'.
Matrix Metric::solve(const MatrixView& R) const {
  if (is_isotropic()) return R / ridge_;
  const Eigen::SelfAdjointEigenSolver<Matrix> S(codes_);
  const Eigen::SelfAdjointEigenSolver<Matrix> Gamma(features_);
  const Matrix& U = S.eigenvectors();
  const Matrix& V = Gamma.eigenvectors();
  Matrix inside = V.transpose() * R * U;
  const Vector g = Gamma.eigenvalues().cwiseMax(0.0);
  const Vector s = S.eigenvalues().cwiseMax(0.0);
  for (Index k = 0; k < inside.cols(); ++k) {
    inside.col(k).array() /= (s[k] * g).array() + ridge_;
  }
  return V * inside * U.transpose();
}

}  // namespace colla
