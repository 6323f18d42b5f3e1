// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace colla {

/// The number of exchanges at time step t (from 1): K, or K1 + K2/t rounded up, or a list whose
/// last number holds for all later steps.
struct ExchangePlan {
  Index constant = 20;
  Index decaying = 0;
  std::vector<Index> listed = {};

  Index at(Index step) const {
    if (listed.empty()) return constant + (decaying + step - 1) / step;
    return listed[static_cast<std::size_t>(std::min<Index>(step, std::ssize(listed)) - 1)];
  }
};

/// Throws SettingError unless the text is K, K1+K2/t or K,K,... with whole numbers and at least one
/// exchange in every step.
ExchangePlan parse_exchange_plan(const std::string& text);
std::string to_string(const ExchangePlan& plan);

}  // namespace colla
