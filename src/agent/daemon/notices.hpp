// SPDX-License-Identifier: Apache-2.0
// Log lines that others can trigger at will. A few of each kind are shown at once, then a few a
// minute; a line says how many of its kind were left out before it.
#pragma once

#include "agent/daemon/log.hpp"
#include "agent/daemon/rate.hpp"

#include <map>
#include <optional>

namespace colla {

class Notices {
 public:
  /// `all` limits all kinds together.
  Notices(const Log& log, const Rate& all) : log_(log), all_(all) {}

  /// `kind` must not contain untrusted text.
  void info(const std::string& kind, const std::string& text);
  void warning(const std::string& kind, const std::string& text);

 private:
  struct Kind {
    Rate rate{3, 2.0 / 60};
    std::uint64_t left_out = 0;
  };

  /// The line to show; none if it is left out.
  std::optional<std::string> admitted(const std::string& kind, const std::string& text);

  const Log& log_;
  Rate all_;
  std::map<std::string, Kind> kinds_;
};

}  // namespace colla
