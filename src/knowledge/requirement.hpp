// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/error.hpp>

#include <string>

namespace colla {

/// Throws OptionError: "`option` `rule`".
inline void require(bool condition, const char* option, const char* rule) {
  if (!condition) throw OptionError(std::string(option) + " " + rule, "", "");
}

}  // namespace colla
