// SPDX-License-Identifier: Apache-2.0
// What the text of one cell stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace colla {

/// Empty, NA, N/A, NaN, null or ?, in upper or lower case.
bool is_missing(std::string_view cell);

/// Which decimal marks a table may use. A comma is one only where it separates no fields.
enum class DecimalMarks { point, point_or_comma };

/// A finite number within `largest_row_value`; a leading '+' is allowed. Everything else, such as
/// "inf", is a word.
std::optional<double> number_in(std::string_view cell, DecimalMarks marks = DecimalMarks::point);

/// Whether it reads as a number that rows must not hold: "1e31", "1e400", "-inf", "1e-400".
bool is_out_of_range(std::string_view cell, DecimalMarks marks);

/// The shortest text that gives the same number: "1224", "0.1".
std::string shortest_text(double number);

/// Four digits, for people.
std::string rounded_text(double number);

/// Orders words: numbers by their value before all others, these by their letters in any case, then
/// by their bytes.
bool comes_before(const std::string& a, const std::string& b);

}  // namespace colla
