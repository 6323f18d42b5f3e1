// SPDX-License-Identifier: Apache-2.0
#include "learners/logistic.hpp"

#include "learners/logistic_rows.hpp"
#include "linalg/gram_factor.hpp"
#include "linalg/lapack.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

namespace colla {
namespace {

constexpr double gradient_goal = 1e-13;      // stop at once
constexpr double gradient_accepted = 1e-10;  // called converged
constexpr double value_precision = 1e-11;    // of the objective, with room for M roundings
constexpr Index most_steps = 500;

// The diagonal of gamma D.
Vector penalties(const Ridge& ridge, Index features) {
  Vector all = Vector::Constant(features, ridge.gamma);
  if (ridge.free_intercept) all[features - 1] = 0.0;
  return all;
}

// f(th) = a sum_i log(1 + exp(-y_i x_i.th)) + ridge |D th|^2 + prior(th) and its derivatives, with
// a = weight/M and ridge = weight gamma.
class DampedNewton {
 public:
  DampedNewton(const SamplesView& X, const VectorView& y, const Ridge& ridge, double weight,
               const QuadraticPrior* prior)
      : X_(X),
        rows_(X, y),
        row_weight_(weight / static_cast<double>(X.rows())),
        ridge_(weight * ridge.gamma),
        penalised_(ridge.penalised(X.cols())),
        ridges_(penalties({ridge_, ridge.free_intercept}, X.cols())),
        prior_(prior),
        theta_(prior != nullptr ? prior->alpha : Vector(Vector::Zero(X.cols()))),
        margins_(rows_.padded_rows()),
        pull_(rows_.padded_rows()),
        curvatures_(rows_.padded_rows()),
        slope_(rows_.padded_rows()),
        tried_margins_(rows_.padded_rows()),
        gradient_(X.cols()),
        step_(X.cols()),
        bend_(X.cols()),
        column_scale_(X.cwiseAbs().colwise().mean().transpose()),
        hessian_(X.cols(), X.cols()) {
    rows_.multiply(theta_, margins_);
    margins_.tail(rows_.padded_rows() - rows_.rows()).setConstant(LogisticRows::unused_margin);
    // The prior can still pull on a column of zeros.
    if (prior != nullptr) column_scale_ = (column_scale_.array() > 0.0).select(column_scale_, 1.0);
  }

  LogisticFit minimise() {
    FitSummary summary;
    double objective = value(0.0);
    differentiate();
    summary.gradient = scaled_gradient();
    double gradient_cut = 0.0;
    while (summary.gradient > gradient_goal && summary.newton_steps < most_steps) {
      // If a step cut the gradient by c, the same Hessian cuts it by about sqrt(c): keep it for the
      // last steps.
      const bool is_fresh = summary.gradient > gradient_goal * gradient_cut;
      if (is_fresh) factorise();
      find_direction();
      if (is_fresh) bend_direction();
      const double reached = move(objective);
      ++summary.newton_steps;
      differentiate();
      const double gradient = scaled_gradient();
      const bool improves = gradient < summary.gradient || reached < objective;
      gradient_cut = summary.gradient / gradient;
      objective = reached;
      // At the limit of rounding neither the value nor the gradient falls further.
      const bool at_limit = gradient <= gradient_accepted && gradient > 0.25 * summary.gradient;
      summary.gradient = gradient;
      if (!improves || at_limit) break;
    }
    const bool converged = summary.gradient <= gradient_accepted;
    summary.status = converged ? FitStatus::converged : FitStatus::stalled;
    hessian_.setZero();
    rows_.add_weighted_gram(curvatures_, 1.0, hessian_);
    return {theta_, curvatures(), hessian_, summary};
  }

 private:
  Vector curvatures() const { return curvatures_.head(rows_.rows()); }

  // f at th + t step, from the margins alone.
  double value(double t) {
    if (t == 0.0) {
      tried_margins_ = margins_;
    } else {
      tried_margins_ = margins_ + t * slope_;
    }
    const double loss = logistic_loss(tried_margins_, pull_, curvatures_);
    const auto theta = theta_.head(penalised_);
    const auto step = step_.head(penalised_);
    double penalty = ridge_ * theta.squaredNorm();
    if (t != 0.0) penalty += ridge_ * t * (2.0 * theta.dot(step) + t * step.squaredNorm());
    return row_weight_ * loss + penalty + prior_value(t);
  }

  double prior_value(double t) const {
    if (prior_ == nullptr) return 0.0;
    Vector offset = theta_ - prior_->alpha;
    if (t != 0.0) offset += t * step_;
    return prior_->weight * offset.dot(prior_->gamma * offset);
  }

  // gradient = -a Z' sigma(-m) + 2 ridge D th + 2 w Gamma (th - alpha), at the margins tried last
  void differentiate() {
    rows_.multiply_transposed(pull_, gradient_);
    gradient_ = 2.0 * ridges_.cwiseProduct(theta_) - row_weight_ * gradient_;
    if (prior_ != nullptr) {
      gradient_ += 2.0 * prior_->weight * (prior_->gamma * (theta_ - prior_->alpha));
    }
  }

  double scaled_gradient() const {
    double largest = 0.0;
    for (Index j = 0; j < gradient_.size(); ++j) {
      if (column_scale_[j] > 0.0) {
        const double size = std::abs(gradient_[j]) / column_scale_[j];
        if (!(size <= largest)) largest = size;
      }
    }
    return std::isnan(largest) ? std::numeric_limits<double>::infinity() : largest;
  }

  // H = a Z'WZ + 2 ridge D + 2 w Gamma
  void factorise() {
    hessian_.setZero();
    if (prior_ != nullptr) hessian_ = 2.0 * prior_->weight * prior_->gamma;
    rows_.add_weighted_gram(curvatures_, row_weight_, hessian_);
    hessian_.diagonal() += 2.0 * ridges_;
    if (cholesky_in_place(hessian_)) {
      // the usual case
    } else if (prior_ == nullptr) {
      const Samples weighted = curvatures().cwiseSqrt().asDiagonal() * X_;
      factor_by_orthogonal_decomposition(weighted, row_weight_, 2.0 * ridges_, hessian_);
    } else {
      // A prior's ridge bounds its condition; its diagonal is a safe metric.
      hessian_ =
          (2.0 * (prior_->weight * prior_->gamma.diagonal() + ridges_)).cwiseSqrt().asDiagonal();
    }
  }

  // H step = -gradient
  void find_direction() {
    step_ = -gradient_;
    cholesky_solve_in_place(hessian_, step_);
    rows_.multiply(step_, slope_);
  }

  // Chebyshev's correction of third order, with the same factor: H bend = -1/2 D3f[step, step]. The
  // third derivative of the loss by the margin is p(1 - p)(2p - 1), p = sigma(-m).
  void bend_direction() {
    tried_margins_ = curvatures_.array() * (2.0 * pull_.array() - 1.0) * slope_.array().square();
    rows_.multiply_transposed(tried_margins_, bend_);
    bend_ *= -0.5 * row_weight_;
    cholesky_solve_in_place(hessian_, bend_);
    const bool is_small = bend_.squaredNorm() < 0.25 * step_.squaredNorm();
    const bool descends = gradient_.dot(bend_) < -0.5 * gradient_.dot(step_);
    if (!is_small || !descends) return;
    step_ += bend_;
    rows_.multiply(step_, slope_);
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
  const LogisticRows rows_;
  const double row_weight_;
  const double ridge_;
  const Index penalised_;  // coefficients, from the first
  const Vector ridges_;    // ridge D
  const QuadraticPrior* prior_;
  Vector theta_;
  Vector margins_;     // Z th
  Vector pull_;        // sigma(-m), of the margins tried last
  Vector curvatures_;  // p(1 - p), of the margins tried last
  Vector slope_;       // Z step
  Vector tried_margins_;
  Vector gradient_;
  Vector step_;
  Vector bend_;
  Vector column_scale_;  // mean |x_j|
  Matrix hessian_;
};

}  // namespace

LogisticFit minimise_logistic(const SamplesView& X, const VectorView& y, const Ridge& ridge,
                              double weight, const QuadraticPrior* prior) {
  const Index penalised = ridge.penalised(X.cols());
  if (prior != nullptr || X.rows() >= penalised) {
    return DampedNewton(X, y, ridge, weight, prior).minimise();
  }
  // Fewer rows than penalised features: their coefficients lie in the span of the rows. X' = Q R
  // gives X th = R' z and |th| = |z| for th = Q z, a problem of M unknowns and a free intercept.
  const Eigen::HouseholderQR<Matrix> qr(X.leftCols(penalised).transpose());
  Samples small = Samples::Ones(X.rows(), X.rows() + X.cols() - penalised);
  small.leftCols(X.rows()) =
      qr.matrixQR().topRows(X.rows()).triangularView<Eigen::Upper>().toDenseMatrix().transpose();
  LogisticFit fit = DampedNewton(small, y, ridge, weight, nullptr).minimise();
  Vector padded = Vector::Zero(X.cols());
  padded.head(X.rows()) = fit.theta.head(X.rows());
  padded.head(penalised).applyOnTheLeft(qr.householderQ());
  if (ridge.free_intercept) padded[penalised] = fit.theta[X.rows()];
  fit.theta = padded;
  fit.gram.resize(0, 0);
  return fit;
}

Curvature logistic_curvature(const SamplesView& X, const LogisticFit& fit, const Ridge& ridge,
                             CurvatureForm form) {
  const double half = 0.5 / static_cast<double>(X.rows());
  const auto weighted = [&] {
    return Samples((half * fit.curvatures).cwiseSqrt().asDiagonal() * X);
  };
  Matrix hessian = half * fit.gram;
  if (X.rows() < X.cols()) {
    Samples rows = weighted();
    // A ridge on all but one coefficient has no such form.
    if (form == CurvatureForm::factored && !ridge.free_intercept) {
      return Curvature::from_factor(std::move(rows), ridge.gamma);
    }
    hessian.setZero(X.cols(), X.cols());
    add_gram(rows, 1.0, hessian);
  }
  const Vector ridges = penalties(ridge, X.cols());
  hessian.diagonal() += ridges;
  if (form == CurvatureForm::dense) {
    mirror_lower(hessian);
    return Curvature::from_dense(std::move(hessian));
  }
  if (!cholesky_in_place(hessian)) {
    factor_by_orthogonal_decomposition(weighted(), 1.0, ridges, hessian);
  }
  return Curvature::from_cholesky(hessian);
}

SingleTaskModel fit_logistic(const SamplesView& X, const VectorView& y, const Ridge& ridge,
                             CurvatureForm form, FitSummary* summary) {
  const LogisticFit fit = minimise_logistic(X, y, ridge, 1.0, nullptr);
  if (summary != nullptr) *summary = fit.summary;
  return {fit.theta, std::make_shared<Curvature>(logistic_curvature(X, fit, ridge, form)),
          X.rows()};
}

}  // namespace colla
