// SPDX-License-Identifier: Apache-2.0
#include "learners/logistic.hpp"

#include "linalg/gram_factor.hpp"
#include "linalg/lapack.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

constexpr double gradient_goal = 1e-13;      // stop at once
constexpr double gradient_accepted = 1e-10;  // called converged
constexpr double value_precision = 1e-11;    // of the objective, with room for M roundings
constexpr Index most_steps = 500;

// f(th) = a sum_i log(1 + exp(-y_i x_i.th)) + ridge |th|^2 + prior(th) and its derivatives, with
// a = weight/M and ridge = weight gamma.
class DampedNewton {
 public:
  DampedNewton(const SamplesView& X, const VectorView& y, double gamma, double weight,
               const QuadraticPrior* prior)
      : X_(X),
        y_(y),
        row_weight_(weight / static_cast<double>(X.rows())),
        ridge_(weight * gamma),
        prior_(prior),
        theta_(prior != nullptr ? prior->alpha : Vector(Vector::Zero(X.cols()))),
        margins_(X * theta_),
        exponentials_(X.rows()),
        pull_(X.rows()),
        curvatures_(X.rows()),
        slope_(X.rows()),
        tried_margins_(X.rows()),
        gradient_(X.cols()),
        step_(X.cols()),
        column_scale_(X.cwiseAbs().colwise().mean().transpose()),
        weighted_rows_(X.rows(), X.cols()),
        hessian_(X.cols(), X.cols()) {
    // A column without entries can still be pulled by the prior.
    if (prior != nullptr) column_scale_ = (column_scale_.array() > 0.0).select(column_scale_, 1.0);
  }

  LogisticFit minimise() {
    FitSummary summary;
    double objective = value(0.0);
    differentiate();
    summary.gradient = scaled_gradient();
    while (summary.gradient > gradient_goal && summary.newton_steps < most_steps) {
      find_direction();
      const double reached = move(objective);
      ++summary.newton_steps;
      differentiate();
      const double gradient = scaled_gradient();
      const bool improves = gradient < summary.gradient || reached < objective;
      objective = reached;
      // At the limit of rounding neither the value nor the gradient falls any more.
      const bool at_limit = gradient <= gradient_accepted && gradient > 0.25 * summary.gradient;
      summary.gradient = gradient;
      if (!improves || at_limit) break;
    }
    const bool converged = summary.gradient <= gradient_accepted;
    summary.status = converged ? FitStatus::converged : FitStatus::stalled;
    return {theta_, curvatures_, summary};
  }

 private:
  // f at th + t step, from the margins alone.
  double value(double t) {
    if (t == 0.0) {
      tried_margins_ = margins_;
    } else {
      tried_margins_ = margins_ + t * slope_;
    }
    // log(1 + exp(-m)) = max(-m, 0) + log1p(exp(-|m|))
    double loss = 0.0;
    for (Index i = 0; i < y_.size(); ++i) {
      const double m = y_[i] * tried_margins_[i];
      exponentials_[i] = std::exp(-std::abs(m));
      loss += std::max(-m, 0.0) + std::log1p(exponentials_[i]);
    }
    double penalty = ridge_ * theta_.squaredNorm();
    if (t != 0.0) {
      penalty += ridge_ * t * (2.0 * theta_.dot(step_) + t * step_.squaredNorm());
    }
    return row_weight_ * loss + penalty + prior_value(t);
  }

  double prior_value(double t) const {
    if (prior_ == nullptr) return 0.0;
    Vector offset = theta_ - prior_->alpha;
    if (t != 0.0) offset += t * step_;
    return prior_->weight * offset.dot(prior_->gamma * offset);
  }

  // gradient = -a X'(y sigma(-y m)) + 2 ridge th + 2 w Gamma (th - alpha);  curvatures = p(1 - p)
  void differentiate() {
    for (Index i = 0; i < y_.size(); ++i) {
      const double e = exponentials_[i];
      const double small = e / (1.0 + e);  // the smaller of p and 1 - p
      curvatures_[i] = small / (1.0 + e);
      const bool wrong_side = y_[i] * margins_[i] < 0.0;
      pull_[i] = y_[i] * (wrong_side ? 1.0 / (1.0 + e) : small);
    }
    gradient_.noalias() = X_.transpose() * pull_;
    gradient_ = 2.0 * ridge_ * theta_ - row_weight_ * gradient_;
    if (prior_ != nullptr) {
      gradient_ += 2.0 * prior_->weight * (prior_->gamma * (theta_ - prior_->alpha));
    }
  }

  double scaled_gradient() const {
    double largest = 0.0;
    for (Index j = 0; j < gradient_.size(); ++j) {
      if (column_scale_[j] > 0.0) {
        largest = std::max(largest, std::abs(gradient_[j]) / column_scale_[j]);
      }
    }
    return largest;
  }

  // H step = -gradient, H = a X'WX + 2 ridge I + 2 w Gamma
  void find_direction() {
    weighted_rows_ = (row_weight_ * curvatures_).cwiseSqrt().asDiagonal() * X_;
    hessian_.setZero();
    if (prior_ != nullptr) hessian_ = 2.0 * prior_->weight * prior_->gamma;
    add_gram(weighted_rows_, 1.0, hessian_);
    hessian_.diagonal().array() += 2.0 * ridge_;
    if (prior_ == nullptr) {
      factor_gram(weighted_rows_, 1.0, 2.0 * ridge_, hessian_);
    } else if (!cholesky_in_place(hessian_)) {
      // A prior is at least as well conditioned as its ridge; its diagonal is a safe metric.
      hessian_ = (2.0 * (prior_->weight * prior_->gamma.diagonal().array() + ridge_))
                     .sqrt()
                     .matrix()
                     .asDiagonal();
    }
    step_ = -gradient_;
    cholesky_solve_in_place(hessian_, step_);
    slope_.noalias() = X_ * step_;
  }

  // Halves the step until the value falls as much as a convex function must. Near the minimum,
  // where values differ by no more than their rounding, the full step is taken.
  double move(double objective) {
    const double descent = gradient_.dot(step_);
    const bool is_near = -descent < value_precision * objective;
    double t = 1.0;
    double reached = value(t);
    while (!is_near && !(reached <= objective + 1e-4 * t * descent) && t > 1e-12) {
      t *= 0.5;
      reached = value(t);
    }
    theta_ += t * step_;
    margins_.swap(tried_margins_);
    return reached;
  }

  const SamplesView& X_;
  const VectorView& y_;
  const double row_weight_;
  const double ridge_;
  const QuadraticPrior* prior_;
  Vector theta_;
  Vector margins_;       // X th
  Vector exponentials_;  // exp(-|margin|), of the margins tried last
  Vector pull_;          // -dloss/dmargin
  Vector curvatures_;    // p(1 - p)
  Vector slope_;         // X step
  Vector tried_margins_;
  Vector gradient_;
  Vector step_;
  Vector column_scale_;  // mean |x_j|
  Samples weighted_rows_;
  Matrix hessian_;
};

}  // namespace

LogisticFit minimise_logistic(const SamplesView& X, const VectorView& y, double gamma,
                              double weight, const QuadraticPrior* prior) {
  if (prior != nullptr || X.rows() >= X.cols()) {
    return DampedNewton(X, y, gamma, weight, prior).minimise();
  }
  // Fewer rows than features: the minimiser lies in the span of the rows. X' = Q R gives
  // X th = R' z and |th| = |z| for th = Q z, a problem of M unknowns.
  const Eigen::HouseholderQR<Matrix> qr(X.transpose());
  const Samples small = Samples(
      qr.matrixQR().topRows(X.rows()).triangularView<Eigen::Upper>().toDenseMatrix().transpose());
  LogisticFit fit = DampedNewton(small, y, gamma, weight, nullptr).minimise();
  Vector padded = Vector::Zero(X.cols());
  padded.head(X.rows()) = fit.theta;
  fit.theta = qr.householderQ() * padded;
  return fit;
}

Curvature logistic_curvature(const SamplesView& X, const VectorView& curvatures, double gamma,
                             CurvatureForm form) {
  const double half = 0.5 / static_cast<double>(X.rows());
  Samples rows = (half * curvatures).cwiseSqrt().asDiagonal() * X;
  if (form == CurvatureForm::factored && X.rows() < X.cols()) {
    return Curvature::from_factor(std::move(rows), gamma);
  }
  Matrix hessian = Matrix::Zero(X.cols(), X.cols());
  add_gram(rows, 1.0, hessian);
  hessian.diagonal().array() += gamma;
  if (form == CurvatureForm::dense) {
    mirror_lower(hessian);
    return Curvature::from_dense(std::move(hessian));
  }
  factor_gram(rows, 1.0, gamma, hessian);
  return Curvature::from_cholesky(hessian);
}

SingleTaskModel fit_logistic(const SamplesView& X, const VectorView& y, double gamma,
                             CurvatureForm form, FitSummary* summary) {
  const LogisticFit fit = minimise_logistic(X, y, gamma, 1.0, nullptr);
  if (summary != nullptr) *summary = fit.summary;
  return {fit.theta,
          std::make_shared<Curvature>(logistic_curvature(X, fit.curvatures, gamma, form)),
          X.rows()};
}

}  // namespace colla
