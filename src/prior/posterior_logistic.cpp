// SPDX-License-Identifier: Apache-2.0
// A task of labels under the prior: Newton's method to the mode, Laplace's method there.
#include <colla/posterior.hpp>

#include <Eigen/Cholesky>

#include <cmath>

namespace colla {
namespace {

// log(1 + exp(-t)), without overflow.
double logistic_loss(double t) { return std::max(0.0, -t) + std::log1p(std::exp(-std::abs(t))); }

// sum log(1 + exp(-y z)) + |beta|^2/2 with z = z_0 + Z beta.
class LogisticProblem {
 public:
  LogisticProblem(const Samples& Z, const Vector& first, const Vector& y)
      : Z_(Z), first_(first), y_(y) {}

  double value(const Vector& beta) const {
    const Vector z = first_ + Z_ * beta;
    double sum = 0.5 * beta.squaredNorm();
    for (Index i = 0; i < z.size(); ++i) sum += logistic_loss(y_[i] * z[i]);
    return sum;
  }

  // Gradient and Hessian at beta.
  void expand(const Vector& beta, Vector& gradient, Matrix& hessian) const {
    const Vector z = first_ + Z_ * beta;
    Vector pull(z.size());
    Vector weight(z.size());
    for (Index i = 0; i < z.size(); ++i) {
      const double e = std::exp(-std::abs(z[i]));
      const double p = z[i] >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
      pull[i] = p - (y_[i] > 0.0 ? 1.0 : 0.0);
      weight[i] = std::sqrt(e) / (1.0 + e);
    }
    gradient = beta + Z_.transpose() * pull;
    const Samples weighted = weight.asDiagonal() * Z_;
    hessian.setIdentity(beta.size(), beta.size());
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
  }

 private:
  const Samples& Z_;
  const Vector& first_;
  const Vector& y_;
};

struct Mode {
  Vector beta;
  Matrix cholesky;
  bool converged = false;
};

// The objective is strictly convex; a step is halved until it descends. One more step follows the
// first that is small: Newton's method then has all digits.
Mode find_mode(const LogisticProblem& problem, Vector beta) {
  constexpr int most_steps = 100;
  Vector gradient;
  Matrix hessian;
  bool is_last = false;
  double value = problem.value(beta);
  for (int k = 0; k < most_steps; ++k) {
    problem.expand(beta, gradient, hessian);
    const Eigen::LLT<Matrix> llt(hessian);
    if (is_last) return {beta, llt.matrixL(), true};
    const Vector step = llt.solve(gradient);
    const double decrement = gradient.dot(step);
    is_last = decrement <= 1e-12 * (1.0 + value);
    double length = 1.0;
    double next = problem.value(beta - step);
    while (!is_last && next > value - 1e-4 * length * decrement && length > 1e-100) {
      length *= 0.5;
      next = problem.value(beta - length * step);
    }
    beta -= length * step;
    value = next;
  }
  problem.expand(beta, gradient, hessian);
  return {beta, Eigen::LLT<Matrix>(hessian).matrixL(), false};
}

}  // namespace

// beta of an earlier theta.
Vector Posterior::first_beta(const Prior& prior, const Vector* start) const {
  const Index size = span_.size() > 0 ? span_.cols() : root_.rows();
  if (start == nullptr || start->size() != features_) return Vector::Zero(size);
  const Vector moved = (*start - prior.mean)(active_);
  Vector beta = is_diagonal_ ? Vector(moved.cwiseQuotient(root_.col(0)))
                             : Vector(root_.triangularView<Eigen::Lower>().solve(moved));
  if (span_.size() > 0) beta = span_.transpose() * beta;
  return beta;
}

void Posterior::fit_classification(const TaskStatistics& task, const Prior& prior,
                                   const Vector* start) {
  Samples Z;
  use_rows(task, Z);
  const Vector first = task.X * prior.mean;
  const LogisticProblem problem(Z, first, task.y);
  Vector beta = first_beta(prior, start);
  if (!(problem.value(beta) < problem.value(Vector::Zero(beta.size())))) beta.setZero();
  const Mode mode = find_mode(problem, std::move(beta));
  cholesky_ = mode.cholesky;
  converged_ = mode.converged;
  evidence_ = -problem.value(mode.beta) - cholesky_.diagonal().array().log().sum();
  set_theta(prior, mode.beta);
}

}  // namespace colla
