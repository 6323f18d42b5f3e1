// SPDX-License-Identifier: Apache-2.0
#include <colla/error.hpp>
#include <colla/setting.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace colla {
namespace {

template <typename Number>
SettingValue parsed(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return text;
  return number;
}

std::optional<SettingValue> within(const WholeNumbers& domain, const SettingValue& value) {
  const auto* number = std::get_if<std::uint64_t>(&value);
  if (number == nullptr || *number < domain.least || *number > domain.most) return {};
  return value;
}

std::optional<SettingValue> within(RealNumbers domain, const SettingValue& value) {
  if (std::holds_alternative<std::string>(value)) return {};
  const auto* whole = std::get_if<std::uint64_t>(&value);
  const double number = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
  const bool is_in = domain == RealNumbers::positive ? number > 0.0 : number >= 0.0;
  if (!std::isfinite(number) || !is_in) return {};
  return number;
}

std::optional<SettingValue> within(const Words& domain, const SettingValue& value) {
  const auto* word = std::get_if<std::string>(&value);
  if (word == nullptr || std::find(domain.all.begin(), domain.all.end(), *word) == domain.all.end())
    return {};
  return value;
}

std::optional<SettingValue> within(const Notation& /*domain*/, const SettingValue& value) {
  if (!std::holds_alternative<std::string>(value)) return {};
  return value;
}

struct Description {
  std::string operator()(const WholeNumbers& domain) const {
    return "a whole number from " + std::to_string(domain.least) + " to " +
           std::to_string(domain.most);
  }
  std::string operator()(RealNumbers domain) const {
    return domain == RealNumbers::positive ? "a number above 0" : "a number of 0 or above";
  }
  std::string operator()(const Words& domain) const {
    std::string text;
    for (const std::string& word : domain.all) text += (text.empty() ? "" : "|") + word;
    return text;
  }
  std::string operator()(const Notation& domain) const { return "a text, " + domain.form; }
};

struct Text {
  std::string operator()(std::uint64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
  }
  std::string operator()(const std::string& text) const { return text; }
};

}  // namespace

std::string description(const Domain& domain) { return std::visit(Description(), domain); }

SettingValue parse_value(const Domain& domain, const std::string& text) {
  if (std::holds_alternative<WholeNumbers>(domain)) return parsed<std::uint64_t>(text);
  if (std::holds_alternative<RealNumbers>(domain)) return parsed<double>(text);
  return text;
}

std::string to_text(const SettingValue& value) { return std::visit(Text(), value); }

namespace {

// Where whole numbers are wanted, a real one shows that it is not whole.
std::string shown(const Domain& domain, const SettingValue& value) {
  const std::string text = to_text(value);
  const bool is_wrong_kind = std::holds_alternative<WholeNumbers>(domain) &&
                             std::holds_alternative<double>(value) &&
                             text.find_first_not_of("0123456789") == std::string::npos;
  return is_wrong_kind ? text + ".0" : text;
}

}  // namespace

SettingValue accepted(const std::string& key, const Domain& domain, const SettingValue& value) {
  auto taken = std::visit([&value](const auto& own) { return within(own, value); }, domain);
  if (!taken) {
    throw SettingError(key, "invalid value '" + shown(domain, value) + "'",
                       "give " + description(domain));
  }
  return *std::move(taken);
}

}  // namespace colla
