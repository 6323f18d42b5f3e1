// SPDX-License-Identifier: Apache-2.0
// The words of the command line for the library's enums, and the values that need parsing.
#pragma once

#include "experiment/training.hpp"

#include <colla/lifelong_agent.hpp>

#include <map>
#include <string>

namespace colla::cli {

extern const std::map<std::string, Algorithm> algorithm_names;
extern const std::map<std::string, Problem> problem_names;
extern const std::map<std::string, Codes> codes_names;
extern const std::map<std::string, Solver> solver_names;

template <typename Value>
const std::string& name_of(const std::map<std::string, Value>& names, Value value) {
  for (const auto& [name, candidate] : names) {
    if (candidate == value) return name;
  }
  static const std::string none;
  return none;
}

template <typename Value>
std::string choices(const std::map<std::string, Value>& names) {
  std::string text;
  for (const auto& entry : names) text += (text.empty() ? "" : "|") + entry.first;
  return text;
}

/// The number of exchanges at time step t (from 1): K, or K1+K2/t rounded up.
struct ExchangePlan {
  Index constant = 1;
  Index decaying = 0;

  Index at(Index step) const { return constant + (decaying + step - 1) / step; }
};

/// Throws OptionError unless the text is K or K1+K2/t with whole numbers and K >= 1.
ExchangePlan parse_exchange_plan(const std::string& text);

}  // namespace colla::cli
