// SPDX-License-Identifier: Apache-2.0
// How data frames become features: the recipes of `colla train`.
#include "recipe/recipe.hpp"

#include "arrays.hpp"
#include "bindings.hpp"

#include <nanobind/stl/string_view.h>

#include <algorithm>

namespace colla::python {
namespace {

using CodesView = Eigen::Map<const Eigen::Matrix<std::int32_t, Eigen::Dynamic, 1>>;
using Positions = Eigen::Matrix<Index, Eigen::Dynamic, 1>;

Column numbers_column(const std::string& name, const TargetsView& numbers) {
  Column column;
  column.name = name;
  column.numbers.assign(numbers.begin(), numbers.end());
  return column;
}

Column words_column(const std::string& name, const CodesView& codes,
                    const std::vector<std::string>& levels) {
  Column column;
  column.name = name;
  column.has_words = true;
  column.codes.assign(codes.begin(), codes.end());
  column.levels = levels;
  return column;
}

Recipe learn(const Table& table, const std::string& task_column, const std::string& agent_column,
             const std::string& target_column, Problem problem,
             const std::vector<std::string>& words, Expansion expand) {
  RecipeOptions options;
  options.task_column = task_column;
  options.agent_column = agent_column;
  options.target_column = target_column;
  options.problem = problem;
  options.words = words;
  options.expand = expand;
  return without_gil([&] { return learn_recipe(table, all_rows(table), options); });
}

// X, Y, their rows of the table, warnings
std::tuple<Samples, Samples, Positions, std::vector<std::string>> applied(const Recipe& recipe,
                                                                          const Table& table,
                                                                          bool with_targets) {
  Prepared prepared = without_gil(
      [&] { return apply(recipe, table, with_targets ? Targets::wanted : Targets::ignored); });
  Positions rows(std::ssize(prepared.rows));
  std::copy(prepared.rows.begin(), prepared.rows.end(), rows.begin());
  return {std::move(prepared.X), std::move(prepared.Y), std::move(rows),
          std::move(prepared.warnings)};
}

Recipe with_columns(Recipe recipe, const std::string& task_column, const std::string& agent_column,
                    const std::string& target_column) {
  recipe.task_column = task_column;
  recipe.agent_column = agent_column;
  recipe.target_column = target_column;
  return recipe;
}

// The table's columns that it is about, used or not.
std::vector<std::string> columns_of(const Recipe& recipe) {
  std::vector<std::string> names;
  for (const ColumnRule& rule : recipe.columns) names.push_back(rule.column);
  for (const LeftOut& each : recipe.left_out) names.push_back(each.column);
  return names;
}

std::string lines_of(const Recipe& recipe) {
  std::string lines;
  for (const std::string& line : description(recipe)) lines += (lines.empty() ? "" : "\n") + line;
  return lines;
}

std::vector<std::string> in_order(std::vector<std::string> names) {
  std::sort(names.begin(), names.end(), comes_before);
  return names;
}

void bind_table(nb::module_& module) {
  using nb::arg;
  nb::class_<Column>(module, "Column", "One column of a table.")
      .def_static("numbers", &numbers_column, arg("name"), arg("numbers"))
      .def_static("words", &words_column, arg("name"), arg("codes"), arg("levels"));
  nb::class_<Table>(module, "Table", "Columns of numbers and words, with missing cells.")
      .def(
          "__init__",
          [](Table* table, std::vector<Column> columns) {
            new (table) Table(table_of(std::move(columns)));
          },
          arg("columns"));
  module.def("is_missing", &is_missing, arg("cell"));
  module.def(
      "is_number", [](const std::string& cell) { return number_in(cell).has_value(); },
      arg("cell"));
  module.def("shortest_text", &shortest_text, arg("number"));
  module.def("in_order", &in_order, arg("names"), "Names as recipes sort tasks and agents.");
}

}  // namespace

void bind_recipe(nb::module_& module) {
  using nb::arg;
  bind_table(module);
  nb::class_<Recipe>(module, "Recipe", "How a table becomes features.")
      .def_prop_ro("problem", [](const Recipe& recipe) { return recipe.target.problem; })
      .def_prop_ro("labels", [](const Recipe& recipe) { return recipe.target.labels; })
      .def_prop_ro("columns", &columns_of)
      .def_prop_ro("roles",
                   [](const Recipe& recipe) {
                     return std::make_tuple(recipe.task_column, recipe.agent_column,
                                            recipe.target_column);
                   })
      .def_prop_ro("features", &feature_names, "One name per feature.")
      .def("linear_features", &linear_features, arg("with_intercept"),
           "Positions of those that are not hinges, and of the intercept; none without hinges.")
      .def_prop_ro(
          "spread", [](const Recipe& recipe) { return recipe.target.spread; },
          "Of the target: its unit.")
      .def("models", [](const Recipe& recipe) { return model_count(recipe.target); })
      .def("with_columns", &with_columns, arg("task"), arg("agent"), arg("target"))
      .def("apply", &applied, arg("table"), arg("with_targets"))
      .def(
          "in_units",
          [](const Recipe& recipe, Vector scores) {
            for (double& value : scores) value = in_units(recipe.target, value);
            return scores;
          },
          arg("scores"))
      .def("toml", &to_toml, "The text of a file that gives the same recipe.")
      .def("__str__", &lines_of)
      .def("__repr__", &lines_of)
      .def("__getstate__", [](const Recipe& recipe) { return std::make_tuple(to_toml(recipe)); })
      .def("__setstate__", [](Recipe& recipe, const std::tuple<std::string>& text) {
        new (&recipe) Recipe(parse_recipe(std::get<0>(text), "the recipe"));
      });
  module.def("learn_recipe", &learn, arg("table"), arg("task_column"), arg("agent_column"),
             arg("target_column"), arg("problem"), arg("words"), arg("expand"));
  module.def("parse_recipe", &parse_recipe, arg("text"), arg("name"));
  module.def("read_recipe", &read_recipe, arg("path"));
}

}  // namespace colla::python
