// SPDX-License-Identifier: Apache-2.0
#include "row_privacy/row_release.hpp"

#include "row_privacy/gaussian_mechanism.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace colla {
namespace {

// Of log(1/(1 + exp(-s))) in Chebyshev polynomials for |s| <= 4, up to the second.
constexpr double b_1 = 0.5;
constexpr double b_2 = -0.08166776013192258;

}  // namespace

double noise_deviation(const PrivacyOptions& options) {
  const double sensitivity = std::numbers::sqrt2 * options.bound * options.bound *
                             static_cast<double>(options.rows_per_person);
  return sensitivity * least_noise(options.epsilon, options.delta);
}

BoundedRows bounded_rows(const SamplesView& X, const VectorView& y, double bound) {
  BoundedRows rows;
  rows.u.resize(X.rows(), X.cols() + 1);
  rows.u << X, y;
  for (Index i = 0; i < rows.u.rows(); ++i) {
    const double length = rows.u.row(i).stableNorm();
    if (length <= bound) continue;
    rows.u.row(i) *= bound / length;
    ++rows.shortened;
  }
  return rows;
}

Matrix noisy_sum(const Samples& u, const PrivacyOptions& options, const RandomBits& bits) {
  const double sigma = noise_deviation(options);
  const double step = release_step(sigma);
  Matrix sum = symmetric_noise(bits, u.cols(), sigma);
  sum += u.transpose() * u;
  sum = (sum / step).array().round() * step;
  sum.triangularView<Eigen::StrictlyUpper>() = sum.transpose();
  return sum;
}

TaskStatistics released_statistics(Problem problem, const Matrix& A, Index rows, double sigma) {
  const Index d = A.rows() - 1;
  TaskStatistics task;
  task.rows = rows;
  task.gram = A.topLeftCorner(d, d);
  task.products = A.col(d).head(d);
  task.target_squares = A(d, d);
  task.gram_noise = task.products_noise = sigma / std::numbers::sqrt2;
  if (!has_labels(problem)) return task;
  task.gram *= -2.0 * b_2;
  task.gram_noise *= -2.0 * b_2;
  task.products *= b_1;
  task.products_noise *= b_1;
  return task;
}

RowRelease release_with(const PrivacyOptions& options, Problem problem,
                        std::shared_ptr<ReleasedRows> count, RandomBits bits) {
  check(options);
  return [options, problem, count = std::move(count), bits = std::move(bits)](
             const std::string& /*task*/, const SamplesView& X, const VectorView& y) {
    const BoundedRows rows = bounded_rows(X, y, options.bound);
    count->all += X.rows();
    count->shortened += rows.shortened;
    return released_statistics(problem, noisy_sum(rows.u, options, bits), X.rows(),
                               noise_deviation(options));
  };
}

}  // namespace colla
