// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>

#include <string>

namespace colla {

/// The number of exchanges at time step t (from 1): K, or K1 + K2/t rounded up.
struct ExchangePlan {
  Index constant = 20;
  Index decaying = 0;

  Index at(Index step) const { return constant + (decaying + step - 1) / step; }
};

/// Throws OptionError unless the text is K or K1+K2/t with whole numbers and at least one exchange.
ExchangePlan parse_exchange_plan(const std::string& text);
std::string to_string(const ExchangePlan& plan);

}  // namespace colla
