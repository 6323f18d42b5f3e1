// SPDX-License-Identifier: Apache-2.0
// What a model says about rows: the one way from a table to predictions.
//
//     const Rows rows = read_rows("new.csv", model, row_columns(model, Targets::ignored));
//     const Predictions predictions = predict(model, rows);
#pragma once

#include "data/rows.hpp"
#include "store/model_file.hpp"

#include <set>

namespace colla {

/// The columns of the model's training file.
RowColumns row_columns(const Model& model, Targets targets);

/// Rows of a CSV file as the model's features: by its recipe, if it has one. Throws DataError.
Rows read_rows(const std::string& path, const Model& model, const RowColumns& columns);
/// The same from a table; the model has a recipe. `features` and `problem` of the columns are not
/// used.
Rows rows_of(const Table& table, const Model& model, const RowColumns& columns);

/// The labels' own names, two or more; none in regression.
std::vector<std::string> labels_of(const Model& model);

/// For each of M rows.
struct Predictions {
  /// M x models. Regression: in the target's own units. Classification: log-odds of the second
  /// label, or of each label if there are three or more.
  Samples scores;
  Samples deviations;     ///< of the scores, in the same form; no columns if they are not known
  Samples probabilities;  ///< M x labels, of sum 1; no columns in regression
  std::set<std::string> new_tasks;  ///< that have no rows in the model: predicted by the prior
  std::vector<Index> labels;        ///< the position of the most probable label; none in regression
};

/// M x labels, of sum 1, from the log-odds of three labels or more.
Samples label_probabilities(const Samples& scores);

/// A task that the models of some labels do not know, because it had no row of them (not with a
/// collective prior), has score -inf and probability 0 there. Throws DataError for a row whose task
/// the model does not have.
Predictions predict(const Model& model, const Rows& rows);

}  // namespace colla
