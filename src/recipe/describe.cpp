// SPDX-License-Identifier: Apache-2.0
#include "files/text.hpp"
#include "recipe/rules.hpp"

#include <algorithm>

namespace colla {
namespace {

std::string target_line(const Recipe& recipe) {
  const TargetRule& target = recipe.target;
  const std::string start = "target " + recipe.target_column + ": ";
  if (!has_labels(target.problem)) {
    return start + "a number, mean " + rounded_text(target.mean) + ", spread " +
           rounded_text(target.spread);
  }
  if (target.labels.size() == 2) {
    return start + "two classes, " + target.labels[0] + " (-1) and " + target.labels[1] + " (+1)";
  }
  return start + std::to_string(target.labels.size()) + " classes, " + listed(target.labels) +
         ", a model for each";
}

std::string levels_of(const ColumnRule& rule) {
  constexpr std::size_t few = 4;
  if (rule.levels.size() > few) return std::to_string(rule.levels.size()) + " words";
  std::vector<std::string> names;
  for (const Level& level : rule.levels) names.push_back(level.name);
  return listed(names);
}

std::string columns_line(const Recipe& recipe, Kind kind, const std::string& title) {
  std::vector<std::string> shown;
  std::size_t hinges = 0;
  for (const ColumnRule& rule : recipe.columns) {
    if (rule.kind != kind) continue;
    hinges += rule.number.hinges.size();
    shown.push_back(kind == Kind::words ? rule.column + " (" + levels_of(rule) + ")" : rule.column);
  }
  if (shown.empty()) return "";
  const std::string bent = hinges == 0 ? "" : ", with " + counted(hinges, "hinge");
  return title + ": " + listed(shown) + bent;
}

std::string missing_line(const Recipe& recipe) {
  std::vector<std::string> shown;
  for (const ColumnRule& rule : recipe.columns) {
    if (rule.missing == 0.0) continue;
    shown.push_back(rule.column + " (" + rounded_text(100.0 * rule.missing) + " %)");
  }
  return shown.empty() ? "" : "missing values, each with an indicator: " + listed(shown);
}

std::string left_out_line(const Recipe& recipe) {
  std::vector<std::string> shown;
  for (const LeftOut& each : recipe.left_out) {
    shown.push_back(each.column + " (" + each.reason + ")");
  }
  return shown.empty() ? "" : "left out: " + listed(shown);
}

}  // namespace

std::vector<std::string> description(const Recipe& recipe) {
  const std::string without =
      recipe.without_target == 0
          ? ""
          : ", " + counted(recipe.without_target, "row") + " without a target left out";
  std::vector<std::string> lines = {target_line(recipe),
                                    counted(feature_names(recipe).size(), "feature") + " from " +
                                        counted(recipe.columns.size(), "column") + " of " +
                                        counted(recipe.rows, "row") + without,
                                    columns_line(recipe, Kind::number, "numbers"),
                                    columns_line(recipe, Kind::words, "words"),
                                    columns_line(recipe, Kind::date, "dates as days"),
                                    missing_line(recipe),
                                    left_out_line(recipe)};
  std::erase(lines, "");
  for (std::string& line : lines) line = printable(line);
  return lines;
}

}  // namespace colla
