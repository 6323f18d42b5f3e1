// SPDX-License-Identifier: Apache-2.0
// Differential privacy for rows: what the network may know of a task, made once when its rows
// arrive. Everything that is computed from it afterwards, however often, tells no more of the rows.
//
//   u      a row and its target, (x, y), scaled down to |u| <= b if it is longer
//   A      sum of u u', (d + 1) x (d + 1)         K   rows of one person, at most
//   Delta  sqrt(2) b^2 K, which one person's rows change A by at most, in the Frobenius norm:
//          |u u' - v v'|^2 = |u|^4 + |v|^4 - 2 (u.v)^2 <= 2 b^4
//
// Released is A plus symmetric normal noise of deviation sigma Delta (gaussian_mechanism.hpp).
// Neighbouring tasks have other rows of one person: how many rows a task has is no secret. Its
// eigenvalues may be negative: Posterior repairs them, knowing the noise.
//
// For classification the log-likelihood is replaced by its best quadratic for scores up to 4
// (PASS-GLM: Huggins, Adams and Broderick 2017; with this noise Kulkarni et al. 2021):
//
//     sum log p(y_i x_i.theta) = const + b_1 (sum y_i x_i).theta + b_2 theta'(sum x_i x_i') theta
#pragma once

#include "row_privacy/noise.hpp"
#include "row_privacy/privacy_options.hpp"

#include <colla/prior_options.hpp>
#include <colla/problem.hpp>

#include <atomic>
#include <memory>

namespace colla {

/// Rows that were released, and how many of them were longer than the bound.
struct ReleasedRows {
  std::atomic<Index> all = 0;
  std::atomic<Index> shortened = 0;
};

/// The deviation of the noise on the diagonal of A.
double noise_deviation(const PrivacyOptions& options);

/// u, one row each, and how many were longer than the bound.
struct BoundedRows {
  Samples u;
  Index shortened = 0;
};
BoundedRows bounded_rows(const SamplesView& X, const VectorView& y, double bound);

/// A with its noise, eigenvalues as they come out.
Matrix noisy_sum(const Samples& u, const PrivacyOptions& options, const RandomBits& bits);

/// What follows from A with noise of deviation sigma, for M rows.
TaskStatistics released_statistics(Problem problem, const Matrix& A, Index rows, double sigma);

/// For `PriorOptions::release`; may be called from several threads if `bits` may.
RowRelease release_with(const PrivacyOptions& options, Problem problem,
                        std::shared_ptr<ReleasedRows> count,
                        RandomBits bits = system_random_bits());

}  // namespace colla
