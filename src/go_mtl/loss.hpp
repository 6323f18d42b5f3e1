// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/single_task.hpp>

#include <memory>
#include <vector>

namespace colla {

/// f(m) = (1/M) loss(m, y) of one task as a function of its margins m = X theta, with the rows
/// themselves. In regression, more than d + 1 rows are replaced by the triangle R of [X y] = Q R,
/// which gives every theta the same loss.
class TaskLoss {
 public:
  TaskLoss(Problem problem, const SamplesView& X, const VectorView& y);

  const Samples& rows() const { return X_; }
  /// Newton's method is exact after one step.
  bool is_quadratic() const { return problem_ == Problem::regression; }

  double value(const VectorView& margins) const;
  /// slope <- df/dm and curvature <- d2f/dm2, one entry per row.
  void differentiate(const VectorView& margins, Vector& slope, Vector& curvature) const;
  /// X' diag(curvature) X, the Hessian of f in theta.
  std::shared_ptr<const Curvature> hessian(const VectorView& curvature, CurvatureForm form) const;

 private:
  Problem problem_;
  double weight_;  // 1/M
  Samples X_;
  Vector y_;
  mutable std::shared_ptr<const Curvature> constant_hessian_;  // formed once if quadratic
};

struct Penalties {
  double lambda = 0.0;
  double mu = 0.0;
};

/// F(L, S) = (1/T) sum_t [f_t(X_t L s_t) + mu |s_t|_1] + lambda |L|^2.
double regularised_loss(const std::vector<TaskLoss>& tasks, Penalties penalties,
                        const MatrixView& L, const MatrixView& S);

/// The relative precision of a computed F.
constexpr double objective_rounding = 1e-13;

/// A step so short that F barely changes: Newton's method has converged, and rounding alone decides
/// about its last step.
inline bool is_last_step(double objective, double descent) {
  return !(-descent > 1e-11 * objective);
}

/// The first t = 1, 1/2, 1/4, ... with F(t) <= F(0) + 1e-4 t descent, along a direction in which F
/// falls at the rate `descent` or faster; the last step may stay level. 0 if there is none.
template <typename ValueAt>
double step_length(double objective, double descent, const ValueAt& value_at) {
  if (!(descent < 0.0)) return 0.0;
  if (is_last_step(objective, descent)) {
    return value_at(1.0) <= objective + objective_rounding * objective ? 1.0 : 0.0;
  }
  for (double t = 1.0; t > 1e-15; t *= 0.5) {
    if (value_at(t) <= objective + 1e-4 * t * descent) return t;
  }
  return 0.0;
}

}  // namespace colla
