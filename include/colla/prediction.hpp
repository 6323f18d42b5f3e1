// SPDX-License-Identifier: Apache-2.0
// From a linear model theta to predictions. In classification the score is the log-odds of +1.
#pragma once

#include <colla/matrix.hpp>

#include <cmath>

namespace colla {

/// x.theta of one row: the value that `colla predict` prints, independent of the other rows.
double score(const Eigen::Ref<const Eigen::RowVectorXd>& x, const VectorView& theta);

/// X theta: the prediction itself in regression.
Vector scores(const SamplesView& X, const VectorView& theta);

/// 1 / (1 + exp(-score)), without overflow.
inline double probability(double score) {
  const double e = std::exp(-std::abs(score));
  return score >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

/// +1 where the probability is at least one half, else -1.
inline double label(double score) { return probability(score) >= 0.5 ? 1.0 : -1.0; }

}  // namespace colla
