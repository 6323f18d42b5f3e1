// SPDX-License-Identifier: Apache-2.0
#include "go_mtl/steps.hpp"

namespace colla {

CodeStep::CodeStep(Index atoms, double mu)
    : mu_(mu), coder_(atoms), gradient_(atoms), half_hessian_(atoms, atoms) {}

void CodeStep::minimise(const TaskLoss& task, const MatrixView& L, Eigen::Ref<Vector> s) {
  projected_.noalias() = task.rows() * L;
  margins_.noalias() = projected_ * s;
  for (int step = 0; step < (task.is_quadratic() ? 1 : most_newton_steps); ++step) {
    const double objective = task.value(margins_) + mu_ * s.lpNorm<1>();
    find_target(task, s);
    const double descent = gradient_.dot(direction_) + mu_ * (target_.lpNorm<1>() - s.lpNorm<1>());
    const double length =
        step_length(objective, descent, [&](double t) { return value_along(task, s, t); });
    if (length == 0.0) return;
    if (length == 1.0) {
      s = target_;  // its zeros are exact
    } else {
      s += length * direction_;
    }
    if (is_last_step(objective, descent)) return;
    margins_.noalias() = projected_ * s;
  }
}

// In the coder's terms: z = argmin z'(H/2)z - 2 c'z + mu |z|_1 with c = (H s - g)/2.
void CodeStep::find_target(const TaskLoss& task, const VectorView& s) {
  task.differentiate(margins_, slope_, curvature_);
  weighted_ = curvature_.cwiseSqrt().asDiagonal() * projected_;
  gradient_.noalias() = projected_.transpose() * slope_;
  half_hessian_.noalias() = 0.5 * (weighted_.transpose() * weighted_);
  linear_ = -0.5 * gradient_;
  linear_.noalias() += half_hessian_ * s;
  target_ = s;
  coder_.solve(half_hessian_, linear_, mu_, target_);
  direction_ = target_ - s;
  change_.noalias() = projected_ * direction_;
}

double CodeStep::value_along(const TaskLoss& task, const VectorView& s, double t) {
  tried_margins_ = margins_ + t * change_;
  return task.value(tried_margins_) + mu_ * (s + t * direction_).lpNorm<1>();
}

}  // namespace colla
