// SPDX-License-Identifier: Apache-2.0
// One task under a prior that tasks have in common:
//
//     y = X theta + noise of variance sigma^2   (or logistic),   theta ~ N(m, D),  D = F F'.
//
//   m      mean of the tasks' coefficients, d     theta   mean of the task's posterior, d
//   F      root of D: its diagonal (d x 1),       V       its covariance, d x d
//          or lower triangle (d x d)              B       I + Z'Z/sigma^2, or I + Z'WZ
//
// All is computed in the coordinates beta with theta = m + F beta, where the prior is N(0, I): with
// Z = X F, V = F B^-1 F'. A feature with F = 0 keeps the coefficient m. Where a task has fewer rows
// than features, beta lies in the span of Z', and no matrix is larger than d x M.
//
// What was released of rows, G + E and c + e, is an observation of theta with noise of its own:
//
//     (c + e) - (G + E) theta = X'noise + e - E theta,   of covariance W = sigma^2 G + s I,
//     s = var e + var E (|m|^2 + tr D)
//
// (Bernstein and Sheldon 2019 estimate so from private sums). In W, and as the rate at which theta
// shows, G is what G + E says of it: its eigenvalues drawn to their mean by the share of noise in
// how they differ (Ledoit and Wolf 2004), none below a hundredth of the noise.
#pragma once

#include <colla/task_statistics.hpp>

#include <vector>

namespace colla {

struct Prior {
  Vector mean;         ///< m
  Matrix root;         ///< F
  double noise = 1.0;  ///< sigma^2; not used in classification

  bool is_diagonal() const { return root.cols() == 1; }
  /// x'D x
  double variance(const Eigen::Ref<const Eigen::RowVectorXd>& x) const;
  /// The diagonal of D.
  Vector variances() const { return root.cwiseAbs2().rowwise().sum(); }
};

/// How far a task is from the prior: |beta|^2, and its mean and variance for tasks with these rows
/// that are drawn from the prior, tr(I - B^-1) and 2 tr((I - B^-1)^2).
struct PriorDistance {
  double squares = 0.0;
  double expected = 0.0;
  double variance = 0.0;
};

class Posterior {
 public:
  /// Exact in regression; in classification the mode and the curvature there (Laplace). `start` is
  /// where Newton's method begins, such as an earlier theta; the result does not depend on it
  /// beyond rounding.
  Posterior(Problem problem, const TaskStatistics& task, const Prior& prior,
            const Vector* start = nullptr);

  const Vector& theta() const { return theta_; }
  /// x'V x
  double variance(const Eigen::Ref<const Eigen::RowVectorXd>& x) const;
  /// The diagonal of V.
  Vector variances() const;
  /// V
  Matrix covariance() const;
  /// log p(y | X, prior); in classification by Laplace's method; of noisy statistics, of X'y given
  /// X'X.
  double evidence() const { return evidence_; }
  /// |y - X theta|^2 at the mean, in regression. Of noisy statistics, an estimate of
  /// |noise|^2 that may be negative.
  double residual_squares() const { return squares_; }
  /// tr(X V X')/sigma^2, in regression: how many rows the estimate uses up.
  double known_rows() const { return known_rows_; }
  /// The expectation of |y - X theta|^2, in regression.
  double expected_squares() const { return squares_ + noise_ * known_rows_; }
  PriorDistance distance() const;
  /// False if Newton's method ended before its accuracy.
  bool converged() const { return converged_; }

 private:
  void use_rows(const TaskStatistics& task, Samples& Z);
  void reduce(Samples& Z);
  void fit_regression(const TaskStatistics& task, const Prior& prior);
  void fit_classification(const TaskStatistics& task, const Prior& prior, const Vector* start);
  void fit_noisy(Problem problem, const TaskStatistics& task, const Prior& prior);
  Vector solve_regression(const MatrixView& gram, const VectorView& products, double squares,
                          Index rows, double noise);
  void set_theta(const Prior& prior, const VectorView& beta);
  Vector first_beta(const Prior& prior, const Vector* start) const;
  Vector whitened(const Eigen::Ref<const Eigen::RowVectorXd>& x) const;

  std::vector<Index> active_;  // features whose coefficients vary
  Matrix root_;                // F of these
  Index features_ = 0;
  bool is_diagonal_ = true;
  Matrix span_;      // Q, orthonormal columns that span Z'; empty: all of the space
  Matrix cholesky_;  // of B in the span, lower triangle
  Vector theta_;
  double length_ = 0.0;  // |beta|^2
  double evidence_ = 0.0;
  double squares_ = 0.0;
  double known_rows_ = 0.0;
  double noise_ = 0.0;
  bool converged_ = true;
};

}  // namespace colla
