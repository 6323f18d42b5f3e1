// SPDX-License-Identifier: Apache-2.0
// How good predictions are, task by task. A measure that the rows do not define (AUC with one
// class) is NaN; NaN predictions count as the worst possible.
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

struct Measure {
  std::string key;    ///< "rmse", in files
  std::string title;  ///< "RMSE", for people
  bool higher_is_better = false;
  double (*of)(const VectorView& y, const VectorView& scores) = nullptr;

  /// How much better `ours` is than `theirs`.
  double gain(double ours, double theirs) const {
    return higher_is_better ? ours - theirs : theirs - ours;
  }
};

/// The measure of a problem's learning curves.
const Measure& main_measure(Problem problem);
/// The second measure shown when a model is evaluated.
const Measure& second_measure(Problem problem);

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
