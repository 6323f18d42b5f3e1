// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/single_task.hpp>

namespace colla {

/// weight |th - alpha|^2_Gamma, added to an objective.
struct QuadraticPrior {
  const Vector& alpha;
  Matrix gamma;  ///< dense, d x d
  double weight = 0.0;
};

struct LogisticFit {
  Vector theta;
  Vector curvatures;  ///< p(1 - p) of each row, M
  Matrix gram;        ///< X'WX, W the diagonal of `curvatures`, lower triangle; empty where M < d
  FitSummary summary;
};

/// argmin weight ((1/M) sum log(1 + exp(-y x.th)) + gamma |D th|^2) + prior, by damped Newton.
LogisticFit minimise_logistic(const SamplesView& X, const VectorView& y, const Ridge& ridge,
                              double weight, const QuadraticPrior* prior);

/// X'WX/(2M) + gamma D at the fit of these rows.
Curvature logistic_curvature(const SamplesView& X, const LogisticFit& fit, const Ridge& ridge,
                             CurvatureForm form);

}  // namespace colla
