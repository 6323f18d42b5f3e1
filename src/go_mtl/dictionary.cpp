// SPDX-License-Identifier: Apache-2.0
#include "go_mtl/steps.hpp"

namespace colla {
namespace {

// The minimum for an atom that no code uses, without the rounding of a solve.
void clear_unused_atoms(const Matrix& S, Matrix& L) {
  for (Index k = 0; k < L.cols(); ++k) {
    if (S.row(k).isZero(0.0)) L.col(k).setZero();
  }
}

}  // namespace

DictionaryStep::DictionaryStep(Index features, Index atoms, double lambda, Solver solver)
    : lambda_(lambda), newton_system_(Matrix::Zero(features, atoms), solver) {}

void DictionaryStep::minimise(const std::vector<TaskLoss>& tasks, const Matrix& S, Matrix& L) {
  const int most_steps = tasks.front().is_quadratic() ? 1 : most_newton_steps;
  for (int step = 0; step < most_steps; ++step) {
    project(tasks, L * S, margins_);
    find_direction(tasks, S, L);
    const Matrix& direction = newton_system_.dictionary();
    project(tasks, direction * S, changes_);
    const double objective = value_along(tasks, L, 0.0);
    const double descent = gradient_.reshaped().dot(direction.reshaped());
    const double length =
        step_length(objective, descent, [&](double t) { return value_along(tasks, L, t); });
    L += length * direction;
    if (length == 0.0 || is_last_step(objective, descent)) break;
  }
  clear_unused_atoms(S, L);
}

void DictionaryStep::project(const std::vector<TaskLoss>& tasks, const Matrix& thetas,
                             std::vector<Vector>& projections) const {
  projections.resize(tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    projections[t].noalias() = tasks[t].rows() * thetas.col(static_cast<Index>(t));
  }
}

// The knowledge base solves (A/T + shift I) vec D = vec(B/T + coupling). Its tasks come with
// alpha = 0, so that B = 0 and the coupling is the whole right side.
void DictionaryStep::find_direction(const std::vector<TaskLoss>& tasks, const Matrix& S,
                                    const Matrix& L) {
  SingleTaskModel model{Vector::Zero(L.rows()), nullptr, 0};
  Vector slope;
  Vector curvature;
  pulls_.resize(L.rows(), S.cols());
  newton_system_.clear();
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const Index t = static_cast<Index>(k);
    tasks[k].differentiate(margins_[k], slope, curvature);
    pulls_.col(t).noalias() = tasks[k].rows().transpose() * slope;
    model.gamma = tasks[k].hessian(curvature, newton_system_.preferred_form());
    newton_system_.add(S.col(t), model);
  }
  gradient_ = 2.0 * lambda_ * L;
  gradient_.noalias() += (1.0 / static_cast<double>(S.cols())) * pulls_ * S.transpose();
  newton_system_.prepare(2.0 * lambda_);
  newton_system_.set_dictionary(Matrix::Zero(L.rows(), L.cols()));
  Matrix descent = -gradient_;
  newton_system_.update(descent);
}

double DictionaryStep::value_along(const std::vector<TaskLoss>& tasks, const Matrix& L,
                                   double t) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    sum += tasks[k].value(margins_[k] + t * changes_[k]);
  }
  return sum / static_cast<double>(tasks.size()) +
         lambda_ * (L + t * newton_system_.dictionary()).squaredNorm();
}

}  // namespace colla
