// SPDX-License-Identifier: Apache-2.0
#include "files/text.hpp"
#include "recipe/rules.hpp"

namespace colla {
namespace {

std::string percent(double share) { return rounded_text(100.0 * share) + " %"; }

std::string size_of(double mean, double spread) {
  return "mean " + rounded_text(mean) + ", spread " + rounded_text(spread);
}

std::string known_of(const NumberRule& rule) {
  std::string text = size_of(rule.mean, rule.spread) + ", bounds " + rounded_text(rule.low) +
                     " and " + rounded_text(rule.high);
  std::vector<std::string> knots;
  for (const Hinge& hinge : rule.hinges) knots.push_back(rounded_text(hinge.knot));
  return knots.empty() ? text : text + ", quantiles " + listed(knots);
}

std::string known_of(const std::vector<Level>& levels) {
  std::vector<std::string> shares;
  for (const Level& level : levels) shares.push_back(level.name + " " + percent(level.share));
  return listed(shares);
}

std::string known_of(const TargetRule& target) {
  return has_labels(target.problem) ? "labels " + listed(target.labels)
                                    : size_of(target.mean, target.spread);
}

std::string known_of(const ColumnRule& rule) {
  std::string known = rule.kind == Kind::words ? known_of(rule.levels) : known_of(rule.number);
  if (rule.missing > 0.0) known += ", missing in " + percent(rule.missing) + " of the rows";
  return known;
}

}  // namespace

std::vector<std::string> disclosures(const Recipe& recipe) {
  std::vector<std::string> lines = {recipe.target_column + ": " + known_of(recipe.target)};
  for (const ColumnRule& rule : recipe.columns)
    lines.push_back(rule.column + ": " + known_of(rule));
  for (std::string& line : lines) line = printable(line);
  return lines;
}

}  // namespace colla
