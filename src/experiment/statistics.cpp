// SPDX-License-Identifier: Apache-2.0
#include "experiment/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace colla {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double confidence = 0.95;

// The continued fraction of the incomplete beta function, evaluated by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  double c = 1.0;
  double d = 1.0 / std::max(1.0 - (a + b) * x / (a + 1.0), tiny);
  double value = d;
  const auto multiply = [&](double term) {
    d = 1.0 + term * d;
    c = 1.0 + term / c;
    d = 1.0 / (std::abs(d) < tiny ? tiny : d);
    if (std::abs(c) < tiny) c = tiny;
    value *= d * c;
    return d * c;
  };
  for (int m = 1; m <= 1000; ++m) {
    const double k = m;
    multiply(k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k)));
    const double change =
        multiply(-(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0)));
    if (std::abs(change - 1.0) < 1e-16) break;
  }
  return value;
}

// I_x(a, b), the regularised incomplete beta function.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

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

// P(|t| <= x) = 1 - I_z(n/2, 1/2), z = n/(n + x^2).
double student_t_probability(double x, double degrees) {
  return 1.0 - incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + x * x));
}

double student_t_quantile(double probability, double degrees) {
  double low = 0.0;
  double high = 1.0;
  while (student_t_probability(high, degrees) < probability) high *= 2.0;
  for (int k = 0; k < 200 && low < high; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (student_t_probability(middle, degrees) < probability ? low : high) = middle;
  }
  return high;
}

double median(std::vector<double> values) {
  if (values.empty()) return undefined;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace colla
