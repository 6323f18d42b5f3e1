// SPDX-License-Identifier: Apache-2.0
// Means over trials and their uncertainty. A NaN, from a trial that does not define the value, is
// left out.
#pragma once

#include "report/report.hpp"

#include <vector>

namespace colla {

/// The mean m of n values x and its standard error, sqrt( sum (x - m)^2 / (n - 1) / n ); 0 for a
/// single value; NaN and NaN for none.
Estimate estimate(const std::vector<double>& values);

/// The mean over trials of (a - b), with its 95 % confidence interval by Student's t with n - 1
/// degrees of freedom; the interval is the whole line for a single trial, NaN for none.
struct Interval {
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;
};
Interval paired_interval(const std::vector<double>& a, const std::vector<double>& b);

/// The x with P(|t| <= x) = probability for Student's t with `degrees` >= 1 degrees of freedom;
/// 0 <= probability < 1.
double student_t_quantile(double probability, double degrees);

double median(std::vector<double> values);

}  // namespace colla
