// SPDX-License-Identifier: Apache-2.0
#include "training/row_streams.hpp"

#include "data/dataset.hpp"
#include "files/text.hpp"
#include "recipe/rules.hpp"
#include "training/split.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace colla {
namespace {

// The names of a row's task and agent, and which arrival it belongs to.
class RowNames {
 public:
  RowNames(const Table& table, const RecipeOptions& columns)
      : table_(table),
        task_(table.find(columns.task_column)),
        agent_(table.find(columns.agent_column)) {
    if (task_ == nullptr) {
      throw DataError("there is no task column " + in_quotes(columns.task_column) + ", only " +
                          table.listed_columns(),
                      table.place(), "add it, or give the name with --task-column");
    }
  }

  std::string task(std::size_t row) const { return name(*task_, row); }
  std::string agent(std::size_t row) const {
    return agent_ == nullptr ? "agent-0" : name(*agent_, row);
  }

 private:
  std::string name(const Column& column, std::size_t row) const {
    if (column.is_missing(row)) {
      throw DataError("the name is missing", table_.place(row, column.name),
                      "name it or remove the row");
    }
    std::string name = column.text(row);
    check_not_blank(name, table_.place(row, column.name), "name it or remove the row");
    return name;
  }

  const Table& table_;
  const Column* task_;
  const Column* agent_;
};

std::vector<std::size_t> rows_to_learn(const Table& table, const std::string& target_name) {
  const Column* target = table.find(target_name);
  if (target == nullptr) {
    throw DataError(
        "there is no target column " + in_quotes(target_name) + ", only " + table.listed_columns(),
        table.place(), "add it, or give the name with --target-column");
  }
  return rows_with_target(table, *target, all_rows(table));
}

// The place of each row's value among the column's values: numbers and dates by time, then words.
std::vector<Index> ranks_in(const Table& table, const std::string& name,
                            const std::vector<std::size_t>& rows) {
  const Column* column = table.find(name);
  if (column == nullptr) {
    throw SettingError("batches", "there is no column " + in_quotes(name),
                       "give none, runs, or one of " + table.listed_columns());
  }
  std::vector<std::string> values;
  std::set<std::string> different;
  for (const std::size_t row : rows) {
    if (column->is_missing(row)) {
      throw DataError("the value is missing, and rows arrive in its order", table.place(row, name),
                      "fill it in or remove the row");
    }
    different.insert(column->text(row));
  }
  values.assign(different.begin(), different.end());
  const std::vector<DateForm> forms = date_forms(values);
  std::sort(values.begin(), values.end(), [&forms](const std::string& a, const std::string& b) {
    return forms.size() == 1 ? *days_in(a, forms.front()) < *days_in(b, forms.front())
                             : comes_before(a, b);
  });
  std::unordered_map<std::string, Index> places;
  for (const std::string& value : values) places.emplace(value, std::ssize(places));
  std::vector<Index> ranks(table.rows, 0);
  for (const std::size_t row : rows) ranks[row] = places.at(column->text(row));
  return ranks;
}

struct ArrivalName {
  std::string agent;
  Index rank = 0;
  std::string task;

  bool operator<(const ArrivalName& other) const {
    if (agent != other.agent) return comes_before(agent, other.agent);
    if (rank != other.rank) return rank < other.rank;
    return task != other.task && comes_before(task, other.task);
  }
};

std::vector<RowStream> sorted_arrivals(const RowNames& names, const std::vector<std::size_t>& rows,
                                       const std::vector<Index>& ranks) {
  std::map<ArrivalName, std::vector<std::size_t>> arrivals;
  for (const std::size_t row : rows) {
    const Index rank = ranks.empty() ? 0 : ranks[row];
    arrivals[{names.agent(row), rank, names.task(row)}].push_back(row);
  }
  std::vector<RowStream> streams;
  for (auto& [name, of_arrival] : arrivals) {
    if (streams.empty() || streams.back().agent != name.agent) streams.push_back({name.agent, {}});
    streams.back().batches.push_back({name.task, std::move(of_arrival), {}});
  }
  return streams;
}

// Rows of other agents may lie between those of a run.
std::vector<RowStream> runs(const RowNames& names, const std::vector<std::size_t>& rows) {
  std::vector<RowStream> streams;
  std::unordered_map<std::string, std::size_t> positions;
  for (const std::size_t row : rows) {
    const std::string agent = names.agent(row);
    const auto [place, is_new] = positions.try_emplace(agent, streams.size());
    if (is_new) streams.push_back({agent, {}});
    std::vector<RowBatch>& batches = streams[place->second].batches;
    std::string task = names.task(row);
    if (batches.empty() || batches.back().task != task) {
      batches.push_back({std::move(task), {}, {}});
    }
    batches.back().train.push_back(row);
  }
  return streams;
}

std::size_t arrivals_of(const RowStream& stream, const std::string& task) {
  return static_cast<std::size_t>(
      std::count_if(stream.batches.begin(), stream.batches.end(),
                    [&task](const RowBatch& batch) { return batch.task == task; }));
}

// Tasks of the same fault. One is refused by its line, several by their names.
class Faults {
 public:
  void add(const RowBatch& batch) {
    if (tasks_.empty()) first_row_ = batch.train.front();
    tasks_.push_back(in_quotes(batch.task));
  }

  void refuse(const Table& table, const std::string& column, const std::string& what,
              const std::string& remedy) const {
    if (tasks_.empty()) return;
    if (tasks_.size() == 1) {
      throw DataError("task " + tasks_.front() + " has " + what, table.place(first_row_, column),
                      remedy);
    }
    throw DataError(std::to_string(tasks_.size()) + " tasks have " + what + ": " + listed(tasks_),
                    table.place(), remedy);
  }

 private:
  std::vector<std::string> tasks_;
  std::size_t first_row_ = 0;
};

[[noreturn]] void refuse_arrival(const std::string& task, const std::string& where) {
  throw DataError("an arrival of task " + in_quotes(task) + " has 1 row, and two are needed", where,
                  "let more rows arrive together, or leave out --batches");
}

}  // namespace

std::vector<RowStream> arrivals_in(const Table& table, const RecipeOptions& columns,
                                   const ArrivalOptions& options) {
  const RowNames names(table, columns);
  const std::vector<std::size_t> rows = rows_to_learn(table, columns.target_column);
  if (options.batches == "runs") return runs(names, rows);
  if (options.batches == "none") return sorted_arrivals(names, rows, {});
  return sorted_arrivals(names, rows, ranks_in(table, options.batches, rows));
}

std::vector<RowStream> deal(std::vector<RowStream> streams, Index agents,
                            const std::string& where) {
  std::vector<RowBatch> batches = std::move(streams.front().batches);
  std::vector<std::string> tasks;
  for (const RowBatch& batch : batches) tasks.push_back(batch.task);
  const std::vector<Index> owners = dealt(tasks, agents, where);
  std::vector<RowStream> result;
  for (Index i = 0; i < agents; ++i) result.push_back({"agent-" + std::to_string(i), {}});
  for (std::size_t k = 0; k < batches.size(); ++k) {
    result[static_cast<std::size_t>(owners[k])].batches.push_back(std::move(batches[k]));
  }
  return result;
}

void check_row_counts(const Table& table, const std::string& task_column,
                      const std::vector<RowStream>& streams) {
  Faults small;
  for (const RowStream& stream : streams) {
    for (const RowBatch& batch : stream.batches) {
      if (batch.train.size() >= 2) continue;
      if (arrivals_of(stream, batch.task) > 1) {
        refuse_arrival(batch.task, table.place(batch.train.front(), task_column));
      }
      small.add(batch);
    }
  }
  small.refuse(table, task_column, "1 row, and two are needed", "add rows or remove the task");
}

void check_classes(const Table& table, const std::string& task_column,
                   const std::vector<RowStream>& streams, const std::vector<Index>& classes) {
  Faults of_one_class;
  for (const RowStream& stream : streams) {
    for (const RowBatch& batch : stream.batches) {
      const Index first = classes[batch.train.front()];
      const bool all_same = std::all_of(batch.train.begin(), batch.train.end(),
                                        [&](std::size_t row) { return classes[row] == first; });
      if (all_same) of_one_class.add(batch);
    }
  }
  of_one_class.refuse(table, task_column, "rows of one class only",
                      "add rows of another class or remove the task");
}

void hold_out(std::vector<RowStream>& streams, const std::vector<Index>& classes, double fraction,
              std::uint64_t seed) {
  for (std::size_t i = 0; i < streams.size(); ++i) {
    for (std::size_t k = 0; k < streams[i].batches.size(); ++k) {
      RowBatch& batch = streams[i].batches[k];
      std::map<Index, std::vector<Index>> by_class;
      for (std::size_t n = 0; n < batch.train.size(); ++n) {
        by_class[classes[batch.train[n]]].push_back(static_cast<Index>(n));
      }
      std::vector<std::vector<Index>> rows;
      for (auto& [each, of_class] : by_class) rows.push_back(std::move(of_class));
      const RowSplit parts = split_rows(std::move(rows), fraction, seed, i, k);
      const std::vector<std::size_t> all = std::move(batch.train);
      batch.train.clear();
      for (const Index n : parts.train) batch.train.push_back(all[static_cast<std::size_t>(n)]);
      for (const Index n : parts.test) batch.test.push_back(all[static_cast<std::size_t>(n)]);
    }
  }
}

void append_arrivals(std::vector<RowStream>& streams) {
  const auto put_before = [](const std::vector<std::size_t>& old, std::vector<std::size_t>& rows) {
    rows.insert(rows.begin(), old.begin(), old.end());
  };
  for (RowStream& stream : streams) {
    std::unordered_map<std::string, std::size_t> newest;
    for (std::size_t k = 0; k < stream.batches.size(); ++k) {
      RowBatch& batch = stream.batches[k];
      const auto [place, is_new] = newest.try_emplace(batch.task, k);
      if (is_new) continue;
      put_before(stream.batches[place->second].train, batch.train);
      put_before(stream.batches[place->second].test, batch.test);
      place->second = k;
    }
  }
}

}  // namespace colla
