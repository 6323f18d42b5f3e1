// SPDX-License-Identifier: Apache-2.0
#include "report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

constexpr const char* dash = "\u2013";
constexpr const char* minus = "\u2212";

std::string with_true_minus(const std::string& digits) {
  if (digits.empty() || digits[0] != '-') return digits;
  const bool is_zero = digits.find_first_of("123456789") == std::string::npos;
  return (is_zero ? "" : minus) + digits.substr(1);
}

}  // namespace

std::string fixed_text(double value, int decimals) {
  if (!std::isfinite(value)) return dash;
  if (std::abs(value) >= 1e9) return brief_text(value);
  return with_true_minus(fmt::format("{:.{}f}", value, decimals));
}

std::string estimate_text(const Estimate& estimate, int decimals) {
  std::string mean = fixed_text(estimate.mean, decimals);
  if (!std::isfinite(estimate.mean) || !(estimate.standard_error > 0.0)) return mean;
  return mean + " ± " + fixed_text(estimate.standard_error, decimals);
}

std::string percent_text(const Estimate& estimate) {
  return estimate_text({100.0 * estimate.mean, 100.0 * estimate.standard_error}, 1);
}

std::string brief_text(double value, int most_digits) {
  if (!std::isfinite(value)) return dash;
  std::string digits = fmt::format("{:.{}g}", value, most_digits);
  const std::size_t exponent = digits.find('e');
  if (exponent != std::string::npos) {
    digits =
        digits.substr(0, exponent + 1) + std::to_string(std::stoi(digits.substr(exponent + 1)));
  }
  return with_true_minus(digits);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0) return dash;
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const long long whole = std::llround(std::min(seconds, 1e12));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

int decimals_for(double magnitude, int significant_digits) {
  const double size = std::abs(magnitude);
  if (!std::isfinite(size) || size == 0.0) return significant_digits - 1;
  const int leading = static_cast<int>(std::floor(std::log10(size)));
  return std::clamp(significant_digits - 1 - leading, 0, 8);
}

}  // namespace colla
