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
  const SettingError wrong("exchanges", "invalid value '" + text + "'",
                           "give K, K1+K2/t or K,K,... with at least 1 in every step");
  const auto number = [&wrong](const std::string& part) {
    const auto value = whole_number(part);
    if (!value) throw wrong;
    return *value;
  };
  ExchangePlan plan;
  if (text.find(',') != std::string::npos) {
    for (std::size_t first = 0; first <= text.size();) {
      const std::size_t end = std::min(text.find(',', first), text.size());
      plan.listed.push_back(number(text.substr(first, end - first)));
      if (plan.listed.back() < 1) throw wrong;
      first = end + 1;
    }
    return plan;
  }
  const std::size_t plus = text.find('+');
  plan.constant = number(text.substr(0, plus));
  if (plus != std::string::npos) {
    const std::string rest = text.substr(plus + 1);
    if (rest.size() < 3 || rest.substr(rest.size() - 2) != "/t") throw wrong;
    plan.decaying = number(rest.substr(0, rest.size() - 2));
  }
  if (plan.constant + plan.decaying < 1) throw wrong;
  return plan;
}

std::string to_string(const ExchangePlan& plan) {
  if (!plan.listed.empty()) {
    std::string text;
    for (const Index count : plan.listed) text += (text.empty() ? "" : ",") + std::to_string(count);
    return text;
  }
  std::string text = std::to_string(plan.constant);
  if (plan.decaying > 0) text += "+" + std::to_string(plan.decaying) + "/t";
  return text;
}

}  // namespace colla
