// SPDX-License-Identifier: Apache-2.0
// A recipe says how a table becomes features. It is learned from training rows only, and is applied
// to any table with the same columns.
//
//     const Table table = read_table("pupils.csv", table_options(options));
//     const Recipe recipe = learn_recipe(table, training_rows, options);
//     for (const std::string& line : description(recipe)) print(line);
//     const Prepared prepared = apply(recipe, table, Targets::wanted);
//
// Every feature has mean 0 and spread (standard deviation) 1 over the training rows in which it is
// not missing, and 0 where it is missing or unknown. docs/recipes.md has the rules.
#pragma once

#include "recipe/dates.hpp"
#include "recipe/table.hpp"

#include <colla/matrix.hpp>
#include <colla/problem.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace colla {

/// What becomes of numbers.
enum class Expansion {
  automatic,  ///< splines, where a column has rows enough for what nobody has asked for
  none,       ///< one feature each
  splines,    ///< and a hinge at each training quartile, or at each octile with many rows
};
template <>
struct Names<Expansion> {
  static constexpr Named<Expansion> all[] = {
      {Expansion::automatic, "auto"}, {Expansion::none, "none"}, {Expansion::splines, "splines"}};
};

/// What becomes of a recognised identifier or date.
enum class Recognised { leave_out, number };
template <>
struct Names<Recognised> {
  static constexpr Named<Recognised> all[] = {{Recognised::leave_out, "leave-out"},
                                              {Recognised::number, "number"}};
};

struct RecipeOptions {
  // Never features. The table may lack the first two.
  std::string task_column = "task";
  std::string agent_column = "agent";
  std::string target_column = "y";
  std::optional<Problem> problem = {};    ///< by default as the targets show
  std::vector<std::string> columns = {};  ///< features are only these, whatever they look like
  std::vector<std::string> drop = {};     ///< never features
  std::vector<std::string> words = {};    ///< categories, even if they are numbers
  Recognised identifiers = Recognised::leave_out;
  Recognised dates = Recognised::leave_out;
  Expansion expand = Expansion::none;
};

/// max(0, x - knot), standardised.
struct Hinge {
  double knot = 0.0;
  double mean = 0.0;
  double spread = 1.0;

  bool operator==(const Hinge&) const = default;
};

/// x, drawn in to [low, high], is (x - mean)/spread.
struct NumberRule {
  double mean = 0.0;
  double spread = 1.0;
  double low = 0.0;
  double high = 0.0;
  std::vector<Hinge> hinges;

  bool operator==(const NumberRule&) const = default;
};

struct Level {
  std::string name;
  double share = 0.0;  ///< of the training rows in which the column is not missing

  bool operator==(const Level&) const = default;
};

enum class Kind { number, words, date };
template <>
struct Names<Kind> {
  static constexpr Named<Kind> all[] = {
      {Kind::number, "number"}, {Kind::words, "words"}, {Kind::date, "date"}};
};

/// How one column becomes features.
struct ColumnRule {
  std::string column;
  Kind kind = Kind::number;
  NumberRule number;                     ///< of numbers and of dates as days
  DateForm form = DateForm::year_first;  ///< of dates
  std::vector<Level> levels;             ///< of words, in the order of their features
  double missing = 0.0;                  ///< share of training rows; above 0: an indicator

  bool operator==(const ColumnRule&) const = default;
};

struct LeftOut {
  std::string column;
  std::string reason;

  bool operator==(const LeftOut&) const = default;
};

struct TargetRule {
  Problem problem = Problem::regression;
  double mean = 0.0;    ///< of a regression
  double spread = 1.0;  ///< of a regression
  std::vector<std::string>
      labels;  ///< of a classification: two, of which the second is +1, or more

  bool operator==(const TargetRule&) const = default;
};

struct Recipe {
  std::string task_column;
  std::string agent_column;
  std::string target_column;
  std::size_t rows = 0;            ///< it was learned from
  std::size_t without_target = 0;  ///< training rows that were left out
  TargetRule target;
  std::vector<ColumnRule> columns;  ///< in the order of their features
  std::vector<LeftOut> left_out;

  bool operator==(const Recipe&) const = default;
};

/// Learns from `rows` of the table; no other row has any influence. Throws DataError if the table
/// cannot be prepared, SettingError if an option names a column that is not there.
Recipe learn_recipe(const Table& table, std::span<const std::size_t> rows,
                    const RecipeOptions& options);

/// The columns that `read_table` must read as words, so that "007" stays "007": tasks, agents and
/// categories. The first is for tables to learn from.
TableOptions table_options(const RecipeOptions& options);
TableOptions table_options(const Recipe& recipe);

/// One name per feature: "ses", "sector=Public", "ses>0.21", "ses missing".
std::vector<std::string> feature_names(const Recipe& recipe);

/// A change of a feature that people can picture: of a number by its standard deviation, of a hinge
/// by that of its number beyond the knot, of a word or a gap from absent to present.
struct FeatureStep {
  bool is_number = false;
  double size = 1.0;   ///< in the column's own unit
  double coded = 1.0;  ///< the same, as the feature has it
};
/// One per feature.
std::vector<FeatureStep> feature_steps(const Recipe& recipe);

/// The features that are not hinges of splines, with an intercept after the last if there is one;
/// none if there are no hinges.
std::vector<Index> linear_features(const Recipe& recipe, bool with_intercept);

/// Models needed: one per label if there are three or more, otherwise one.
std::size_t model_count(const TargetRule& target);

/// A prediction of a regression in the target's own units.
inline double in_units(const TargetRule& target, double prediction) {
  return target.mean + target.spread * prediction;
}

enum class Targets { wanted, ignored };

struct Prepared {
  Samples X;                      ///< M x features
  Samples Y;                      ///< M x models: standardised, or -1/+1; no columns if ignored
  std::vector<std::size_t> rows;  ///< M rows of the table: all, or all that have a target
  std::vector<std::string> warnings;
};

/// Columns are found by name; others are ignored. Throws DataError for a column that is missing, a
/// word in a column of numbers, a label that training did not have, or no target in any row.
/// Unknown words and values that training never missed are counted in warnings.
Prepared apply(const Recipe& recipe, const Table& table, Targets targets);

/// What a user reads: a few lines.
std::vector<std::string> description(const Recipe& recipe);

/// What anybody who has the recipe knows about the rows it was learned from: a line per column.
std::vector<std::string> disclosures(const Recipe& recipe);

/// A file that gives the same recipe, bit for bit, and that people can edit.
std::string to_toml(const Recipe& recipe);
/// `name` names the file. Throws DataError with line and key.
Recipe parse_recipe(std::string_view text, const std::string& name);
Recipe read_recipe(const std::string& path);

}  // namespace colla
