// SPDX-License-Identifier: Apache-2.0
// Log lines that others can cause, as often as they like. A few are shown at once and a few more a
// minute, of each kind and of all together; a line says how many of its kind were left out before.
#pragma once

#include "daemon/log.hpp"
#include "daemon/rate.hpp"

#include <map>
#include <optional>

namespace colla {

class Notices {
 public:
  explicit Notices(const Log& log) : log_(log) {}

  /// `kind` must not hold anything that a stranger chooses.
  void info(const std::string& kind, const std::string& text);
  void warning(const std::string& kind, const std::string& text);

 private:
  static constexpr double lines_at_once = 6, lines_a_minute = 4;
  static constexpr double of_a_kind_at_once = 4, of_a_kind_a_minute = 2;

  struct Kind {
    Rate rate{of_a_kind_at_once, of_a_kind_a_minute / 60};
    std::uint64_t left_out = 0;
  };

  /// The line as it is to be shown; none if it is left out.
  std::optional<std::string> admitted(const std::string& kind, const std::string& text);

  const Log& log_;
  Rate all_{lines_at_once, lines_a_minute / 60};
  std::map<std::string, Kind> kinds_;
};

}  // namespace colla
