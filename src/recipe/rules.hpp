// SPDX-License-Identifier: Apache-2.0
// The parts of learn_recipe and apply.
#pragma once

#include "recipe/recipe.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <variant>

namespace colla {

bool contains(const std::vector<std::string>& names, const std::string& name);

/// Throws OptionError if two of the task, agent and target columns have the same name.
void check_roles(const RecipeOptions& options);

/// Those of the rows that have a target. Throws DataError if none has.
std::vector<std::size_t> rows_with_target(const Table& table, const Column& target,
                                          std::span<const std::size_t> rows);

/// A column's cells as numbers.
class NumberCells {
 public:
  using Reading = std::function<std::optional<double>(const std::string&)>;

  /// `reading` gives the number of a word. Throws DataError at the first of the rows with a word
  /// that has none, which is then not `wanted`. The column must outlive the object.
  NumberCells(const Table& table, const Column& column, std::span<const std::size_t> rows,
              const std::string& wanted, const Reading& reading);

  /// NaN where missing.
  double operator[](std::size_t row) const;

 private:
  const Column& column_;
  std::vector<double> by_level_;
};

/// The column as numbers; a word among them is refused.
NumberCells plain_numbers(const Table& table, const Column& column,
                          std::span<const std::size_t> rows);
/// The column as days; what is no date is refused.
NumberCells dates_as_numbers(const Table& table, const Column& column,
                             std::span<const std::size_t> rows, DateForm form);

/// The first of the rows with a word that is no number; nothing if there is none.
std::optional<std::size_t> first_word(const Table& table, const Column& column,
                                      std::span<const std::size_t> rows);

/// Throws DataError at the first of the rows with a number that is out of range, if the column has
/// no other words.
void check_range(const Table& table, const Column& column, std::span<const std::size_t> rows);

/// The value below which this share of the values lies, interpolated. Reorders the values.
double quantile(std::span<double> values, double share);

/// Nothing if all values are the same. The values, none of them missing, are reordered and drawn in
/// to [low, high]: 20 median deviations from the median, of the values that deviate at all. That is
/// beyond what the tails of a normal column reach, and keeps one 1e9 from setting the scale.
std::optional<NumberRule> learn_number(std::vector<double>& values, Expansion expand);

/// Throws DataError if it cannot be prepared.
std::variant<ColumnRule, LeftOut> learn_column(const Table& table, const Column& column,
                                               std::span<const std::size_t> rows,
                                               const RecipeOptions& options);

/// From rows that all have a target. Throws DataError if it cannot be learned.
TargetRule learn_target(const Table& table, const Column& column, std::span<const std::size_t> rows,
                        std::optional<Problem> problem);

/// Rows x models. Throws DataError for a label that is not known.
Samples encoded_targets(const TargetRule& target, const Table& table, const Column& column,
                        std::span<const std::size_t> rows);

/// Turns the cells of a column into features.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Row k of `rows` goes to out[k * stride], ..., one entry per feature.
  virtual void encode(std::span<const std::size_t> rows, double* out, Index stride) = 0;
  /// Lines about what was seen.
  virtual void warn(std::vector<std::string>& warnings) const = 0;
};

/// The table and the rule must outlive it. Throws DataError for cells that do not fit.
std::unique_ptr<Encoder> make_encoder(const ColumnRule& rule, const Table& table,
                                      const Column& column, std::span<const std::size_t> rows);

/// Number of features.
Index width_of(const ColumnRule& rule);

/// An indicator that is 1 in this share of the rows, standardised.
inline double standardised_indicator(bool is_set, double share) {
  return ((is_set ? 1.0 : 0.0) - share) / std::sqrt(share * (1.0 - share));
}

}  // namespace colla
