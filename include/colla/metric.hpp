// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>

namespace colla {

/// An agent's A, about, as a Kronecker product: the mean of s s' over its tasks (u x u) and the
/// mean of Gamma (d x d). 1 x 1: multiples of the identity. Empty: not known.
struct Share {
  Matrix codes;
  Matrix features;
  bool is_known() const { return codes.size() > 0; }
};

/// M_e = S kron Gamma + ridge I, weight included; without S, ridge I.
class Metric {
 public:
  Metric() = default;
  /// weight I
  explicit Metric(double weight) : ridge_(weight) {}
  /// weight (1/2 (S_a + S_b) kron 1/2 (Gamma_a + Gamma_b) + lambda I)
  Metric(const Share& a, const Share& b, double lambda, double weight);

  bool is_isotropic() const { return codes_.size() == 0; }
  const Matrix& codes() const { return codes_; }
  const Matrix& features() const { return features_; }
  double ridge() const { return ridge_; }

  /// sum <- sum + M X
  void add_product(const MatrixView& X, Eigen::Ref<Matrix> sum) const;
  /// M^-1 R
  Matrix solve(const MatrixView& R) const;

 private:
  Matrix codes_;
  Matrix features_;
  double ridge_ = 0.0;
};

}  // namespace colla
