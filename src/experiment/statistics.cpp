// SPDX-License-Identifier: Apache-2.0
#include "experiment/statistics.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace colla {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double confidence = 0.95;

}  // namespace

Estimate estimate(const std::vector<double>& values) {
  double sum = 0.0;
  double count = 0.0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    count += 1.0;
  }
  if (count == 0.0) return {undefined, undefined};
  const double mean = sum / count;
  double squares = 0.0;
  for (const double value : values) {
    if (!std::isnan(value)) squares += (value - mean) * (value - mean);
  }
  return {mean, count > 1.0 ? std::sqrt(squares / (count - 1.0) / count) : 0.0};
}

Interval paired_interval(const std::vector<double>& a, const std::vector<double>& b) {
  assert(a.size() == b.size());
  std::vector<double> differences;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!std::isnan(a[k] - b[k])) differences.push_back(a[k] - b[k]);
  }
  if (differences.empty()) return {undefined, undefined, undefined};
  const Estimate difference = estimate(differences);
  if (differences.size() == 1) return {difference.mean, -infinity, infinity};
  const double half_width =
      difference.standard_error *
      student_t_quantile(confidence, static_cast<double>(differences.size() - 1));
  return {difference.mean, difference.mean - half_width, difference.mean + half_width};
}

double student_t_quantile(double probability, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), 0.5 + 0.5 * probability);
}

double median(std::vector<double> values) {
  if (values.empty()) return undefined;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace colla
