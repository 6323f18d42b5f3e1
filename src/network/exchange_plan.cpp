// SPDX-License-Identifier: Apache-2.0
#include <colla/error.hpp>
#include <colla/exchange_plan.hpp>

#include <charconv>
#include <optional>

namespace colla {
namespace {

std::optional<Index> whole_number(std::string_view text) {
  Index value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0 || value > 1'000'000'000) return {};
  return value;
}

}  // namespace

ExchangePlan parse_exchange_plan(const std::string& text) {
  const OptionError wrong("'" + text + "' is not a number of exchanges", "iterations",
                          "give K or K1+K2/t, with K at least 1");
  const std::size_t plus = text.find('+');
  ExchangePlan plan;
  const auto constant = whole_number(text.substr(0, plus));
  if (!constant) throw wrong;
  plan.constant = *constant;
  if (plus != std::string::npos) {
    const std::string rest = text.substr(plus + 1);
    if (rest.size() < 3 || rest.substr(rest.size() - 2) != "/t") throw wrong;
    const auto decaying = whole_number(rest.substr(0, rest.size() - 2));
    if (!decaying) throw wrong;
    plan.decaying = *decaying;
  }
  if (plan.constant + plan.decaying < 1) throw wrong;
  return plan;
}

std::string to_string(const ExchangePlan& plan) {
  std::string text = std::to_string(plan.constant);
  if (plan.decaying > 0) text += "+" + std::to_string(plan.decaying) + "/t";
  return text;
}

}  // namespace colla
