// SPDX-License-Identifier: Apache-2.0
// How good predictions are, task by task. A measure that the rows do not define (AUC with one
// class) is NaN; predictions that are NaN are as bad as can be.
#pragma once

#include <colla/matrix.hpp>
#include <colla/problem.hpp>

#include <string>

namespace colla {

/// sqrt(mean (y - prediction)^2)
double rmse(const VectorView& y, const VectorView& predictions);

/// 1 - sum (y - prediction)^2 / sum (y - mean y)^2; NaN for a constant y.
double explained_variance(const VectorView& y, const VectorView& predictions);

/// The chance that a random positive row has a higher score than a random negative one; a tie
/// counts half. y = -1 or +1.
double auc(const VectorView& y, const VectorView& scores);

/// The share of rows whose label (+1 from score 0 on) is y.
double accuracy(const VectorView& y, const VectorView& scores);

/// The measure of a problem's learning curves: RMSE or AUC.
double main_measure(Problem problem, const VectorView& y, const VectorView& scores);
/// Its name: "rmse" or "auc".
std::string main_measure_name(Problem problem);

/// The mean of the values added that are not NaN.
class DefinedMean {
 public:
  void add(double value);
  /// NaN if there is none.
  double value() const;

 private:
  double sum_ = 0.0;
  Index count_ = 0;
};

}  // namespace colla
