// SPDX-License-Identifier: Apache-2.0
#include "row_privacy/privacy_options.hpp"

#include "files/text.hpp"

#include <colla/setting.hpp>

#include <charconv>
#include <cmath>
#include <set>

namespace colla {
namespace {

constexpr double largest_epsilon = 100.0;
constexpr double least_delta_value = 1e-15;
constexpr double largest_bound = 1e6;
constexpr Index most_rows_per_person = 1'000'000;
constexpr char example[] = "give epsilon=1,delta=1e-6,bound=4 or such";

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw SettingError("privacy", problem, remedy);
}

double number(const std::string& name, std::string_view text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop == end && error == std::errc() && std::isfinite(value)) return value;
  refuse(name + " is " + in_quotes(text) + ", and not a number", example);
}

Index whole_number(const std::string& name, double value) {
  if (value == std::floor(value) && std::abs(value) <= 1e9) return static_cast<Index>(value);
  refuse(name + " is not a whole number", "give 1, or how many rows a person may have");
}

void set(PrivacyOptions& options, const std::string& name, double value) {
  if (name == "epsilon") {
    options.epsilon = value;
  } else if (name == "delta") {
    options.delta = value;
  } else if (name == "bound") {
    options.bound = value;
  } else if (name == "rows_per_person") {
    options.rows_per_person = whole_number(name, value);
  } else {
    refuse("no such part: " + in_quotes(name), example);
  }
}

std::string text_of(double value) { return to_text(SettingValue(value)); }

}  // namespace

void check(const PrivacyOptions& options) {
  if (!(options.epsilon > 0.0 && options.epsilon <= largest_epsilon)) {
    refuse("epsilon is " + text_of(options.epsilon) + ", and not above 0 and at most 100",
           "1 is a common choice; smaller ones protect more");
  }
  if (!(options.delta >= least_delta_value && options.delta < 1.0)) {
    refuse("delta is " + text_of(options.delta) + ", and not between 1e-15 and 1",
           "give less than one in as many as a task has rows, such as 1e-6");
  }
  if (!(options.bound > 0.0 && options.bound <= largest_bound)) {
    refuse("bound is " + text_of(options.bound) + ", and not above 0 and at most 1e6",
           "the root of the number of features and targets is a good choice");
  }
  if (options.rows_per_person < 1 || options.rows_per_person > most_rows_per_person) {
    refuse("rows_per_person is not between 1 and 1000000",
           "give the most rows that one person has in a task");
  }
}

PrivacyOptions parse_privacy(const std::string& text) {
  PrivacyOptions options;
  std::set<std::string> found;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string_view part = std::string_view(text).substr(start, comma - start);
    start = comma + 1;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      refuse(in_quotes(part) + " is not NAME=NUMBER", example);
    }
    const std::string name(trimmed(part.substr(0, equals)));
    set(options, name, number(name, trimmed(part.substr(equals + 1))));
    if (!found.insert(name).second) refuse(name + " is given twice", "give it once");
  }
  for (const char* needed : {"epsilon", "delta", "bound"}) {
    if (found.count(needed) == 0) refuse(std::string("no ") + needed + " is given", example);
  }
  check(options);
  return options;
}

std::string to_text(const PrivacyOptions& options) {
  std::string text = "epsilon=" + text_of(options.epsilon) + ",delta=" + text_of(options.delta) +
                     ",bound=" + text_of(options.bound);
  if (options.rows_per_person != 1) {
    text += ",rows_per_person=" + std::to_string(options.rows_per_person);
  }
  return text;
}

}  // namespace colla
