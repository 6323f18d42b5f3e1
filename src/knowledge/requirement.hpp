// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/error.hpp>

#include <cmath>
#include <string>

namespace colla {

inline bool is_positive(double x) { return std::isfinite(x) && x > 0.0; }
inline bool is_not_negative(double x) { return std::isfinite(x) && x >= 0.0; }

/// Throws OptionError: "`option` `rule`".
inline void require(bool condition, const char* option, const char* rule) {
  if (!condition) throw OptionError(std::string(option) + " " + rule, "", "");
}

}  // namespace colla
