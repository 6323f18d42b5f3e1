// SPDX-License-Identifier: Apache-2.0
#include "row_privacy/gaussian_mechanism.hpp"

#include <cmath>
#include <numbers>

namespace colla {
namespace {

// The two terms are nearly the same where epsilon is small: delta needs the longer digits.
using Long = long double;

Long normal_probability(Long x) { return 0.5L * std::erfc(-x / std::numbers::sqrt2_v<Long>); }

Long delta_of(Long sigma, Long epsilon) {
  const Long half = 0.5L / sigma;
  return normal_probability(half - epsilon * sigma) -
         std::exp(epsilon) * normal_probability(-half - epsilon * sigma);
}

}  // namespace

double least_delta(double sigma, double epsilon) {
  return static_cast<double>(delta_of(sigma, epsilon));
}

double least_noise(double epsilon, double delta) {
  double low = 1.0;
  double high = 1.0;
  while (delta_of(low, epsilon) < delta) low *= 0.5;
  while (delta_of(high, epsilon) > delta) high *= 2.0;
  while (true) {
    const double middle = 0.5 * (low + high);
    if (!(low < middle && middle < high)) return high;
    (delta_of(middle, epsilon) > delta ? low : high) = middle;
  }
}

}  // namespace colla
