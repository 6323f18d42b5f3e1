// SPDX-License-Identifier: Apache-2.0
#include "data/csv_columns.hpp"

#include "files/text.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <unordered_set>

namespace colla {
namespace {

void refuse_one_name_for_two_columns(const ReadOptions& options) {
  const bool same = options.task_column == options.target_column ||
                    options.task_column == options.agent_column ||
                    options.agent_column == options.target_column;
  if (same) {
    throw OptionError("two of the task, agent and target columns have the same name",
                      in_quotes(options.task_column) + ", " + in_quotes(options.agent_column) +
                          ", " + in_quotes(options.target_column),
                      "name three different columns");
  }
}

std::vector<std::string> names_in(const CsvRecord& header, const std::string& file) {
  std::vector<std::string> names;
  for (const CsvField& field : header.fields) names.emplace_back(name_in(field));
  check_column_names(names, CsvPlace{file, header.line}.text());
  return names;
}

std::optional<std::size_t> position_of(const std::string& name,
                                       const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

[[noreturn]] void refuse_missing(const std::string& role, const std::string& name,
                                 const std::vector<std::string>& names, const CsvPlace& place) {
  const bool other_separator =
      names.size() == 1 && names.front().find_first_of(";\t|") != std::string::npos;
  std::vector<std::string> shown;
  shown.reserve(names.size());
  for (const std::string& each : names) shown.push_back(in_quotes(each));
  throw DataError("there is no " + role + " column " + in_quotes(name) + ", only " + listed(shown),
                  place.text(),
                  other_separator ? "separate the fields by commas"
                                  : "add it, or give the name with --" + role + "-column");
}

}  // namespace

void check_column_names(const std::vector<std::string>& names, const std::string& where) {
  std::unordered_set<std::string_view> known;
  for (const std::string& name : names) {
    if (trimmed(name).empty()) {
      throw DataError("column " + std::to_string(known.size() + 1) + " has no name", where,
                      "name it, or remove it if it numbers the rows");
    }
    if (name == intercept_name) {
      throw DataError("a column may not be named " + in_quotes(name), where,
                      "rename it, or remove it: an intercept is added to the features");
    }
    if (!known.insert(name).second) {
      throw DataError("column " + in_quotes(name) + " appears twice", where,
                      "rename or remove one");
    }
  }
}

std::vector<std::string> CsvColumns::feature_names() const {
  std::vector<std::string> result;
  result.reserve(features.size());
  for (const std::size_t column : features) result.push_back(names[column]);
  return result;
}

CsvColumns find_columns(const CsvRecord& header, const std::string& file,
                        const ReadOptions& options) {
  refuse_one_name_for_two_columns(options);
  const CsvPlace place{file, header.line};
  CsvColumns columns;
  columns.names = names_in(header, file);
  const auto required = [&](const std::string& role, const std::string& name) {
    const std::optional<std::size_t> column = position_of(name, columns.names);
    if (!column) refuse_missing(role, name, columns.names, place);
    return *column;
  };
  columns.task = required("task", options.task_column);
  columns.target = required("target", options.target_column);
  columns.agent = options.agent_column_required ? required("agent", options.agent_column)
                                                : position_of(options.agent_column, columns.names);
  for (std::size_t column = 0; column < columns.names.size(); ++column) {
    const bool is_feature =
        column != columns.task && column != columns.target && column != columns.agent;
    if (is_feature) columns.features.push_back(column);
  }
  if (columns.features.empty()) {
    throw DataError("there are no feature columns", place.text(),
                    "add one column of numbers per feature");
  }
  return columns;
}

}  // namespace colla
