// SPDX-License-Identifier: Apache-2.0
// Gamma, the weight matrix of a task (d x d, symmetric, positive definite), in one of two forms.
#pragma once

#include <colla/matrix.hpp>

namespace colla {

enum class CurvatureForm {
  dense,     ///< d x d
  factored,  ///< R'R + ridge I with R of min(M, d) rows: never forms a d x d matrix when M < d,
             ///< unless the intercept is free
};

class Curvature {
 public:
  Curvature() = default;
  static Curvature from_dense(Matrix gamma);
  static Curvature from_factor(Samples factor, double ridge);
  /// C C' for C in the lower triangle of `factor`, kept in the factored form.
  static Curvature from_cholesky(const MatrixView& factor);

  CurvatureForm form() const { return form_; }
  Index features() const { return form_ == CurvatureForm::dense ? dense_.rows() : factor_.cols(); }
  /// The number of doubles kept.
  Index size() const { return dense_.size() + factor_.size(); }

  /// product <- Gamma V, for V of d x k.
  void multiply(const MatrixView& V, Eigen::Ref<Matrix> product) const;
  /// product <- Gamma v; `inner` has room for the rows of the factor.
  void multiply(const VectorView& v, Eigen::Ref<Vector> product, Eigen::Ref<Vector> inner) const;
  /// sum <- sum + weight Gamma, lower triangle.
  void add_to(Eigen::Ref<Matrix> sum, double weight) const;
  Matrix dense() const;
  double trace() const;
  Index factor_rows() const { return factor_.rows(); }

  /// The dense matrix itself; only in the dense form.
  const Matrix& dense_matrix() const { return dense_; }
  /// R and the ridge; only in the factored form.
  const Samples& factor() const { return factor_; }
  double ridge() const { return ridge_; }

  bool operator==(const Curvature& other) const;

 private:
  CurvatureForm form_ = CurvatureForm::dense;
  Matrix dense_;
  Samples factor_;
  double ridge_ = 0.0;
};

/// weight_a A + weight_b B; factored, with at most d rows, if both are.
Curvature combine(const Curvature& A, double weight_a, const Curvature& B, double weight_b);

}  // namespace colla
