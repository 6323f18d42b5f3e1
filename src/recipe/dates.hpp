// SPDX-License-Identifier: Apache-2.0
// Dates as text: 2024-12-31, 31.12.2024, 12/31/2024, with or without a time of day.
#pragma once

#include <colla/names.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colla {

/// The order of year, month and day.
enum class DateForm { year_first, day_first, month_first };

template <>
struct Names<DateForm> {
  static constexpr Named<DateForm> all[] = {{DateForm::year_first, "year-month-day"},
                                            {DateForm::day_first, "day-month-year"},
                                            {DateForm::month_first, "month-day-year"}};
};

/// Days since 1970-01-01 and the share of the day. Between the parts stands '-', '/' or '.', the
/// same twice; years have four digits. A time, "T14:05", " 14:05:59.5", with or without "Z", may
/// follow. Nothing if the text is no such date.
std::optional<double> days_in(std::string_view text, DateForm form);

/// The forms in which all of the texts are dates; two if days and months cannot be told apart.
std::vector<DateForm> date_forms(const std::vector<std::string>& texts);

}  // namespace colla
