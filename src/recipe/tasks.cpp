// SPDX-License-Identifier: Apache-2.0
#include "recipe/tasks.hpp"

#include "files/text.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <map>

namespace colla {
namespace {

struct NamedTask {
  std::string agent;
  std::string task;
  std::vector<Index> rows;  // positions in the prepared rows
};

std::string name_at(const Table& table, const Column& column, std::size_t row) {
  if (column.is_missing(row)) {
    throw DataError("the name is missing", table.place(row, column.name),
                    "name it or remove the row");
  }
  std::string name = column.text(row);
  check_not_blank(name, table.place(row, column.name), "name it or remove the row");
  return name;
}

std::vector<NamedTask> grouped(const Recipe& recipe, const Table& table,
                               const std::vector<std::size_t>& rows) {
  const Column* task = table.find(recipe.task_column);
  const Column* agent = table.find(recipe.agent_column);
  if (task == nullptr) {
    throw DataError("there is no task column " + in_quotes(recipe.task_column) + ", only " +
                        table.listed_columns(),
                    table.place(), "name the task column");
  }
  std::map<std::pair<std::string, std::string>, std::vector<Index>> by_name;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::string name = agent == nullptr ? "agent-0" : name_at(table, *agent, rows[k]);
    by_name[{std::move(name), name_at(table, *task, rows[k])}].push_back(static_cast<Index>(k));
  }
  std::vector<NamedTask> tasks;
  for (auto& [names, each] : by_name) tasks.push_back({names.first, names.second, std::move(each)});
  std::sort(tasks.begin(), tasks.end(), [](const NamedTask& a, const NamedTask& b) {
    return a.agent != b.agent ? comes_before(a.agent, b.agent) : comes_before(a.task, b.task);
  });
  return tasks;
}

}  // namespace

DataSet tasks_of(const Recipe& recipe, const Table& table, const Prepared& prepared, Index model) {
  DataSet data{stem(table.name), recipe.target.problem, feature_names(recipe), {}};
  for (const NamedTask& each : grouped(recipe, table, prepared.rows)) {
    if (data.agents.empty() || data.agents.back().agent != each.agent) {
      data.agents.push_back({each.agent, {}});
    }
    const std::size_t first = prepared.rows[static_cast<std::size_t>(each.rows.front())];
    data.agents.back().batches.push_back(
        {TaskRows{each.task, prepared.X(each.rows, Eigen::all), prepared.Y(each.rows, model)},
         table.place(first, recipe.task_column)});
  }
  return data;
}

}  // namespace colla
