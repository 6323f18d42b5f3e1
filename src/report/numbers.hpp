// SPDX-License-Identifier: Apache-2.0
// Numbers for people. What is not finite is a dash.
#pragma once

#include "report/report.hpp"

#include <string>

namespace colla {

/// "2.310", with a true minus sign and never "-0.00".
std::string fixed_text(double value, int decimals);

/// "2.310 ± 0.042"; without the error where there is none.
std::string estimate_text(const Estimate& estimate, int decimals);

/// 0.514 is "51.4".
std::string percent_text(const Estimate& estimate);

/// No more significant digits than needed, powers of ten in short: "0.01", "1e-6", "120".
std::string brief_text(double value, int most_digits = 4);

/// "2 h 5 min", "3 min 20 s", "4.2 s"
std::string duration_text(double seconds);

/// How many decimals show this many significant digits of a number of this magnitude; 0 to 8.
int decimals_for(double magnitude, int significant_digits);

}  // namespace colla
