// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/notices.hpp"

#include <fmt/core.h>

#include <utility>

namespace colla {

std::optional<std::string> Notices::admitted(const std::string& name, const std::string& text) {
  const auto now = Rate::Clock::now();
  Kind& kind = kinds_[name];
  if (!kind.rate.allows(now) || !all_.allows(now)) {
    ++kind.left_out;
    return {};
  }
  const std::uint64_t left_out = std::exchange(kind.left_out, 0);
  return left_out == 0 ? text : fmt::format("{} (and {} more like it before)", text, left_out);
}

void Notices::info(const std::string& kind, const std::string& text) {
  if (const auto line = admitted(kind, text)) log_.info(*line);
}

void Notices::warning(const std::string& kind, const std::string& text) {
  if (const auto line = admitted(kind, text)) log_.warning(*line);
}

}  // namespace colla
