// SPDX-License-Identifier: Apache-2.0
#include "files/toml_section.hpp"

#include "files/text.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

std::string listed_all(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool is_in(TomlRange range, double value) {
  if (!std::isfinite(value) || value < 0.0) return false;
  if (range == TomlRange::not_negative) return true;
  return value > 0.0 && (range == TomlRange::positive || value < 1.0);
}

bool is_number(const toml::node& node, TomlRange range) {
  return node.is_number() && is_in(range, *node.value<double>());
}

const char* rule_of(TomlRange range) {
  switch (range) {
    case TomlRange::positive:
      return "give one above 0";
    case TomlRange::not_negative:
      return "give one of 0 or above";
    case TomlRange::share:
      return "give one above 0 and below 1";
  }
  return "";
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& name) {
  check_text(text, name);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw DataError("is not TOML: " + std::string(error.description()),
                    name + ", line " + std::to_string(error.source().begin.line), "");
  }
}

std::string toml_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      constexpr char digits[] = "0123456789ABCDEF";
      quoted += {'\\', 'u', '0', '0', digits[byte >> 4U], digits[byte & 15U]};
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

TomlSection::TomlSection(const toml::table& table, std::string file, std::string name)
    : table_(table), file_(std::move(file)), name_(std::move(name)) {}

void TomlSection::text(const std::string& key, std::string& value) {
  const toml::node* node = take(key);
  if (node == nullptr) return;
  const auto found = node->value_exact<std::string>();
  if (!found) refuse(node, key, "is not a text", "write it in quotes");
  if (found->empty()) refuse(node, key, "is empty", "give a text, or leave the key out");
  value = *found;
}

void TomlSection::flag(const std::string& key, bool& value) {
  const toml::node* node = take(key);
  if (node == nullptr) return;
  const auto found = node->value_exact<bool>();
  if (!found) refuse(node, key, "is neither true nor false", "give one of them");
  value = *found;
}

void TomlSection::setting(const std::string& key,
                          const std::function<void(const SettingValue&)>& set) {
  const toml::node* node = take(key);
  if (node == nullptr) return;
  try {
    set(scalar(*node, key));
  } catch (const SettingError& error) {
    refuse(node, key, error.problem(), error.remedy());
  }
}

void TomlSection::whole_number(const std::string& key, Index& value, Index least, Index most) {
  const toml::node* node = take(key);
  if (node != nullptr) value = whole_number_of(*node, key, least, most);
}

void TomlSection::number(const std::string& key, double& value, TomlRange range) {
  const toml::node* node = take(key);
  if (node != nullptr) value = number_of(*node, key, range);
}

void TomlSection::whole_numbers(const std::string& key, std::vector<Index>& values, Index least,
                                Index most) {
  const toml::node* node = take(key);
  if (node == nullptr) return;
  values.clear();
  for (const toml::node& entry : list_of(*node, key, "give a list such as [1, 2, 4]")) {
    values.push_back(whole_number_of(entry, key, least, most));
  }
}

void TomlSection::range(const std::string& key, double& low, double& high) {
  const toml::node* node = take(key);
  if (node == nullptr) return;
  const toml::array* array = node->as_array();
  if (array == nullptr || array->size() != 2 || !is_number(*array->get(0), TomlRange::positive) ||
      !is_number(*array->get(1), TomlRange::positive)) {
    refuse(node, key, "is not a range of finite numbers above 0", "give [low, high]");
  }
  low = *array->get(0)->value<double>();
  high = *array->get(1)->value<double>();
  if (low > high) refuse(node, key, "ends below its start", "give [low, high]");
}

std::vector<TomlSection> TomlSection::sections(const std::string& key) {
  std::vector<TomlSection> result;
  const toml::node* node = take(key);
  if (node == nullptr) return result;
  const std::string path = path_of(key);
  const std::string remedy = "start each with [[" + path.substr(1, path.size() - 2) + "]]";
  const toml::array* array = node->as_array();
  if (array == nullptr) refuse(node, key, "is not a list of tables", remedy);
  for (const toml::node& entry : *array) {
    if (entry.as_table() == nullptr) refuse(&entry, key, "is not a table", remedy);
    result.emplace_back(*entry.as_table(), file_, path_of(key));
  }
  return result;
}

const toml::array& TomlSection::list_of(const toml::node& node, const std::string& key,
                                        const std::string& remedy) const {
  const toml::array* array = node.as_array();
  if (array == nullptr) refuse(&node, key, "is not a list", remedy);
  if (array->empty()) refuse(&node, key, "is an empty list", remedy);
  return *array;
}

const toml::node* TomlSection::take(const std::string& key) {
  if (std::find(taken_.begin(), taken_.end(), key) == taken_.end()) taken_.push_back(key);
  return table_.get(key);
}

void TomlSection::require(const std::string& key, const std::string& remedy) {
  if (take(key) == nullptr) refuse(nullptr, key, "is missing", remedy);
}

void TomlSection::finish() const {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (std::find(taken_.begin(), taken_.end(), name) != taken_.end()) continue;
    throw DataError("no such key", place_of(key.source()) + ", " + path_of(name),
                    "use one of " + listed_all(taken_));
  }
}

void TomlSection::refuse(const toml::node* node, const std::string& key, const std::string& what,
                         const std::string& remedy) const {
  throw DataError(what, where(node, key), remedy);
}

std::string TomlSection::where(const toml::node* node, const std::string& key) const {
  const toml::node& place = node != nullptr ? *node : table_;
  return place_of(place.source()) + ", " + path_of(key);
}

std::string TomlSection::path_of(const std::string& key) const {
  return in_quotes(name_.empty() ? key : name_.substr(1, name_.size() - 2) + "." + key);
}

std::string TomlSection::place_of(const toml::source_region& region) const {
  return file_ + ", line " + std::to_string(region.begin.line);
}

SettingValue TomlSection::scalar(const toml::node& node, const std::string& key) const {
  if (const auto number = node.value_exact<std::int64_t>()) return whole_value(*number);
  if (const auto number = node.value_exact<double>()) return *number;
  if (const auto text = node.value_exact<std::string>()) return *text;
  refuse(&node, key, "is neither a number nor a text", "give one of them");
}

Index TomlSection::whole_number_of(const toml::node& node, const std::string& key, Index least,
                                   Index most) const {
  const auto found = node.value_exact<std::int64_t>();
  if (!found || *found < least || *found > most) {
    refuse(&node, key, "is not a whole number in its range",
           "give one from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *found;
}

double TomlSection::number_of(const toml::node& node, const std::string& key,
                              TomlRange range) const {
  if (!is_number(node, range)) {
    refuse(&node, key, "is not a finite number in its range", rule_of(range));
  }
  return *node.value<double>();
}

}  // namespace colla
