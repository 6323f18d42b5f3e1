// SPDX-License-Identifier: Apache-2.0
// Log lines that others can cause, as often as they like. A few of each kind are shown at once, and
// a few more a minute; a line says how many of its kind were left out before.
#pragma once

#include "daemon/log.hpp"
#include "daemon/rate.hpp"

#include <map>
#include <optional>

namespace colla {

class Notices {
 public:
  /// `all` is for the kinds together.
  Notices(const Log& log, const Rate& all) : log_(log), all_(all) {}

  /// `kind` must not hold anything that a stranger chooses.
  void info(const std::string& kind, const std::string& text);
  void warning(const std::string& kind, const std::string& text);

 private:
  struct Kind {
    Rate rate{3, 2.0 / 60};
    std::uint64_t left_out = 0;
  };

  /// The line as it is to be shown; none if it is left out.
  std::optional<std::string> admitted(const std::string& kind, const std::string& text);

  const Log& log_;
  Rate all_;
  std::map<std::string, Kind> kinds_;
};

}  // namespace colla
