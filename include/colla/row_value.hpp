// SPDX-License-Identifier: Apache-2.0
// The one bound for numbers in rows: features and targets, for learning, prediction and testing.
#pragma once

#include <colla/error.hpp>

#include <charconv>
#include <cmath>

namespace colla {

/// Far beyond any unit of measurement, and low enough that sums of squares and of products with
/// models stay far from infinity.
inline constexpr double largest_row_value = 1e30;

/// False for NaN too.
inline bool is_row_value(double value) { return std::abs(value) <= largest_row_value; }

/// The error for a value at `where` beyond the bound.
inline DataError beyond_row_values(double value, const std::string& where) {
  char digits[32];
  const std::string shortest(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return {shortest + " is beyond 1e30", where, "scale such values down, or remove the row"};
}

}  // namespace colla
