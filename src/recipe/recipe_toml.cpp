// SPDX-License-Identifier: Apache-2.0
// Recipes as files. Numbers have as many digits as give the same bits again.
#include "files/text.hpp"
#include "files/toml_section.hpp"
#include "recipe/rules.hpp"

#include <colla/error.hpp>
#include <colla/row_value.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace colla {
namespace {

constexpr Index newest_format = 1;
constexpr Index many = std::numeric_limits<Index>::max();
constexpr char as_written[] = "docs/recipes.md shows the form";

std::string toml_number(double number) {
  if (number == 0.0) return std::signbit(number) ? "-0.0" : "0.0";
  const std::string text = shortest_text(number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

template <typename Entries, typename Written>
std::string toml_list(const Entries& entries, Written written) {
  std::string text;
  for (const auto& entry : entries) text += (text.empty() ? "" : ", ") + written(entry);
  return "[" + text + "]";
}

std::string target_text(const TargetRule& target) {
  std::string text = "\n[target]\nproblem = " + toml_text(name_of(target.problem)) + "\n";
  if (has_labels(target.problem)) {
    return text + "labels = " + toml_list(target.labels, toml_text) + "\n";
  }
  return text + "mean = " + toml_number(target.mean) + "\nspread = " + toml_number(target.spread) +
         "\n";
}

std::string number_text(const NumberRule& rule) {
  std::string text = "mean = " + toml_number(rule.mean) + "\nspread = " + toml_number(rule.spread) +
                     "\nlow = " + toml_number(rule.low) + "\nhigh = " + toml_number(rule.high) +
                     "\n";
  if (rule.hinges.empty()) return text;
  const auto of_each = [&rule](double Hinge::*part) {
    return toml_list(rule.hinges, [part](const Hinge& hinge) { return toml_number(hinge.*part); });
  };
  return text + "knots = " + of_each(&Hinge::knot) + "\nhinge_means = " + of_each(&Hinge::mean) +
         "\nhinge_spreads = " + of_each(&Hinge::spread) + "\n";
}

std::string column_text(const ColumnRule& rule) {
  std::string text = "\n[[column]]\nname = " + toml_text(rule.column) +
                     "\nkind = " + toml_text(name_of(rule.kind)) + "\n";
  if (rule.kind == Kind::date) text += "form = " + toml_text(name_of(rule.form)) + "\n";
  if (rule.kind == Kind::words) {
    text += "levels = " +
            toml_list(rule.levels, [](const Level& level) { return toml_text(level.name); }) +
            "\nshares = " +
            toml_list(rule.levels, [](const Level& level) { return toml_number(level.share); }) +
            "\n";
  } else {
    text += number_text(rule.number);
  }
  if (rule.missing > 0.0) text += "missing = " + toml_number(rule.missing) + "\n";
  return text;
}

// Any finite number of a row's size.
double number_of(const TomlSection& section, const toml::node& node, const std::string& key) {
  const auto value = node.is_number() ? node.value<double>() : std::nullopt;
  // Bounds of the largest numbers lie a little beyond them.
  if (!value || !(std::abs(*value) <= 100.0 * largest_row_value)) {
    section.refuse(&node, key, "is not a number", "give one between -1e30 and 1e30");
  }
  return *value;
}

double number_at(TomlSection& section, const std::string& key) {
  section.require(key, as_written);
  return number_of(section, *section.take(key), key);
}

double spread_at(TomlSection& section, const std::string& key) {
  section.require(key, as_written);
  double spread = 1.0;
  section.number(key, spread, TomlRange::positive);
  return spread;
}

std::vector<double> numbers_at(TomlSection& section, const std::string& key, std::size_t count) {
  section.require(key, as_written);
  const toml::node* node = section.take(key);
  std::vector<double> numbers;
  for (const toml::node& entry : section.list_of(*node, key, "give a list of numbers")) {
    numbers.push_back(number_of(section, entry, key));
  }
  if (numbers.size() != count) {
    section.refuse(node, key, "has " + counted(numbers.size(), "number"),
                   "give " + std::to_string(count));
  }
  return numbers;
}

std::vector<std::string> texts_at(TomlSection& section, const std::string& key) {
  section.require(key, as_written);
  std::vector<std::string> texts;
  std::unordered_set<std::string> known;
  for (const toml::node& entry : section.list_of(*section.take(key), key, "give a list of texts")) {
    const auto text = entry.value_exact<std::string>();
    if (!text) section.refuse(&entry, key, "is not a text", "write it in quotes");
    if (!known.insert(*text).second) {
      section.refuse(&entry, key, in_quotes(*text) + " appears twice", "remove one");
    }
    texts.push_back(*text);
  }
  return texts;
}

void read_hinges(TomlSection& section, NumberRule& rule) {
  const toml::node* node = section.take("knots");
  if (node == nullptr) return;
  const std::size_t count = section.list_of(*node, "knots", "give a list of numbers").size();
  const std::vector<double> knots = numbers_at(section, "knots", count);
  const std::vector<double> means = numbers_at(section, "hinge_means", count);
  const std::vector<double> spreads = numbers_at(section, "hinge_spreads", count);
  for (std::size_t k = 0; k < count; ++k) {
    if (!(spreads[k] > 0.0)) {
      section.refuse(section.take("hinge_spreads"), "hinge_spreads",
                     "has a number that is not above 0", "give spreads above 0");
    }
    rule.hinges.push_back({knots[k], means[k], spreads[k]});
  }
}

// No feature may leave the range of rows, whatever the file says.
void check_reach(TomlSection& section, const NumberRule& rule) {
  constexpr double farthest = 1e12;
  const auto is_far = [](double distance, double spread) {
    return !(std::abs(distance) / spread <= farthest);
  };
  bool far =
      is_far(rule.low - rule.mean, rule.spread) || is_far(rule.high - rule.mean, rule.spread);
  for (const Hinge& hinge : rule.hinges) {
    far = far || is_far(std::max(0.0, rule.high - hinge.knot) - hinge.mean, hinge.spread) ||
          is_far(hinge.mean, hinge.spread);
  }
  if (rule.low < rule.high && !far) return;
  section.refuse(section.take("low"), "low",
                 "and high are not bounds within 1e12 spreads of the means",
                 "give low below high, as wide as the values need");
}

void read_numbers(TomlSection& section, NumberRule& rule) {
  rule.mean = number_at(section, "mean");
  rule.spread = spread_at(section, "spread");
  rule.low = number_at(section, "low");
  rule.high = number_at(section, "high");
  read_hinges(section, rule);
  check_reach(section, rule);
}

// An indicator of such a share can be standardised.
bool is_share(double share) {
  constexpr double least = 1e-12;
  return share >= least && share <= 1.0 - least;
}

[[noreturn]] void refuse_share(TomlSection& section, const std::string& key) {
  section.refuse(section.take(key), key, "is no share of rows", "give one above 0 and below 1");
}

void read_levels(TomlSection& section, ColumnRule& rule) {
  const std::vector<std::string> names = texts_at(section, "levels");
  const std::vector<double> shares = numbers_at(section, "shares", names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool is_only_one = names.size() == 1 && shares[k] == 1.0;
    if (!is_only_one && !is_share(shares[k])) refuse_share(section, "shares");
    rule.levels.push_back({names[k], shares[k]});
  }
}

ColumnRule read_column(TomlSection& section) {
  ColumnRule rule;
  section.require("name", as_written);
  section.require("kind", as_written);
  section.text("name", rule.column);
  section.word("kind", rule.kind);
  if (rule.kind == Kind::date) section.word("form", rule.form);
  if (rule.kind == Kind::words) {
    read_levels(section, rule);
  } else {
    read_numbers(section, rule.number);
  }
  if (const toml::node* node = section.take("missing")) {
    rule.missing = number_of(section, *node, "missing");
    if (!is_share(rule.missing)) refuse_share(section, "missing");
  }
  if (width_of(rule) == 0) {
    section.refuse(section.take("levels"), "levels", "gives no feature: there is one level",
                   "remove the column, or add a level");
  }
  section.finish();
  return rule;
}

TargetRule read_target(TomlSection& root) {
  root.require("target", as_written);
  const toml::node* node = root.take("target");
  if (!node->is_table()) root.refuse(node, "target", "is not a table", "begin it with [target]");
  TomlSection section(*node->as_table(), root.file(), root.path_of("target"));
  TargetRule target;
  section.require("problem", as_written);
  section.word("problem", target.problem);
  if (has_labels(target.problem)) {
    target.labels = texts_at(section, "labels");
    if (target.labels.size() < 2) {
      section.refuse(section.take("labels"), "labels", "is one label", "give two or more");
    }
  } else {
    target.mean = number_at(section, "mean");
    target.spread = spread_at(section, "spread");
  }
  section.finish();
  return target;
}

void read_format(TomlSection& root) {
  root.require("format", as_written);
  Index format = newest_format;
  root.whole_number("format", format, 1, many);
  if (format == newest_format) return;
  root.refuse(
      root.take("format"), "format",
      "is " + std::to_string(format) + ", and this program knows " + std::to_string(newest_format),
      "use a newer version of colla");
}

std::size_t count_at(TomlSection& root, const std::string& key) {
  Index count = 0;
  root.whole_number(key, count, 0, many);
  return static_cast<std::size_t>(count);
}

void read_columns(TomlSection& root, Recipe& recipe) {
  std::unordered_set<std::string> known = {recipe.task_column, recipe.agent_column,
                                           recipe.target_column};
  for (TomlSection& section : root.sections("column")) {
    recipe.columns.push_back(read_column(section));
    const std::string& name = recipe.columns.back().column;
    if (!known.insert(name).second) {
      section.refuse(section.take("name"), "name",
                     in_quotes(name) + " appears twice, or is the task, agent or target column",
                     "remove one");
    }
  }
  if (recipe.columns.empty()) {
    root.refuse(root.take("column"), "column", "is missing", "write a [[column]] for each feature");
  }
  for (TomlSection& section : root.sections("left_out")) {
    LeftOut& left_out = recipe.left_out.emplace_back();
    section.text("name", left_out.column);
    section.text("reason", left_out.reason);
    section.finish();
  }
}

}  // namespace

std::string to_toml(const Recipe& recipe) {
  std::string text =
      "# How colla turns a table into features.\nformat = " + std::to_string(newest_format) + "\n";
  const auto add_name = [&text](const std::string& key, const std::string& name) {
    if (!name.empty()) text += key + " = " + toml_text(name) + "\n";
  };
  add_name("task_column", recipe.task_column);
  add_name("agent_column", recipe.agent_column);
  add_name("target_column", recipe.target_column);
  text += "rows = " + std::to_string(recipe.rows) +
          "\nwithout_target = " + std::to_string(recipe.without_target) + "\n";
  text += target_text(recipe.target);
  for (const ColumnRule& rule : recipe.columns) text += column_text(rule);
  for (const LeftOut& each : recipe.left_out) {
    text += "\n[[left_out]]\nname = " + toml_text(each.column) +
            "\nreason = " + toml_text(each.reason) + "\n";
  }
  return text;
}

Recipe parse_recipe(std::string_view text, const std::string& name) {
  const toml::table table = parse_toml(text, name);
  TomlSection root(table, name);
  read_format(root);
  Recipe recipe;
  root.require("target_column", as_written);
  root.text("task_column", recipe.task_column);
  root.text("agent_column", recipe.agent_column);
  root.text("target_column", recipe.target_column);
  recipe.rows = count_at(root, "rows");
  recipe.without_target = count_at(root, "without_target");
  recipe.target = read_target(root);
  read_columns(root, recipe);
  root.finish();
  return recipe;
}

Recipe read_recipe(const std::string& path) { return parse_recipe(read_text_file(path), path); }

}  // namespace colla
