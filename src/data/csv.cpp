// SPDX-License-Identifier: Apache-2.0
#include "data/csv_columns.hpp"
#include "data/csv_records.hpp"
#include "data/dataset.hpp"
#include "data/labels.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <unordered_map>

namespace colla {
namespace {

constexpr char only_agent[] = "agent-0";

// The rows of one arrival while it is being read.
struct OpenBatch {
  std::string task;
  std::size_t line = 0;
  std::vector<double> inputs;  // row after row
  std::vector<double> targets;
};

// Rows -> streams of batches.
class RowCollector {
 public:
  RowCollector(const CsvColumns& columns, const std::string& file, const ReadOptions& options)
      : columns_(columns), file_(file), options_(options) {}

  void add(const CsvRecord& row);
  DataSet finish();

 private:
  [[nodiscard]] CsvPlace place(const CsvRecord& row, std::size_t column) const {
    return {file_, row.line, columns_.names[column]};
  }
  [[nodiscard]] std::string_view required_name(const CsvRecord& row, std::size_t column) const;
  std::size_t agent_of(const CsvRecord& row);
  OpenBatch& batch_of(const CsvRecord& row);
  double target_of(const CsvRecord& row);
  void close(std::size_t agent);
  [[nodiscard]] Problem problem() const;

  const CsvColumns& columns_;
  const std::string& file_;
  const ReadOptions& options_;
  std::vector<Stream> streams_;
  std::vector<OpenBatch> open_;  // one per stream
  std::unordered_map<std::string, std::size_t> agents_;
  LabelCensus census_;
  std::size_t first_word_line_ = 0;  // of a target true or false, 0 if there is none
};

std::string_view RowCollector::required_name(const CsvRecord& row, std::size_t column) const {
  const std::string_view name = name_in(row.fields[column]);
  check_not_blank(name, place(row, column).text(), "name it or remove the row");
  return name;
}

std::size_t RowCollector::agent_of(const CsvRecord& row) {
  const std::string name(columns_.agent ? required_name(row, *columns_.agent) : only_agent);
  const auto [position, is_new] = agents_.try_emplace(name, streams_.size());
  if (is_new) {
    streams_.push_back({name, {}});
    open_.emplace_back();
  }
  return position->second;
}

OpenBatch& RowCollector::batch_of(const CsvRecord& row) {
  const std::string_view task = required_name(row, columns_.task);
  const std::size_t agent = agent_of(row);
  OpenBatch& batch = open_[agent];
  if (batch.targets.empty() || batch.task != task) {
    close(agent);
    batch.task = task;
    batch.line = row.line;
  }
  return batch;
}

double RowCollector::target_of(const CsvRecord& row) {
  const CsvField& field = row.fields[columns_.target];
  const CsvPlace where = place(row, columns_.target);
  if (const std::optional<double> value = number_or_text(field, where)) {
    census_.see_number(*value);
    return checked_row_value(*value, where);
  }
  const std::string_view text = trimmed(field.text);
  const std::optional<double> truth = truth_value(text);
  // Any word may be a label in classification; true and false may be unless regression is asked
  // for.
  const bool may_be_label = options_.problem ? has_labels(*options_.problem) : truth.has_value();
  if (text.empty() || !may_be_label) {
    return finite_number(field, where, "targets are numbers, or labels 0/1, -1/1 or true/false");
  }
  if (first_word_line_ == 0) first_word_line_ = row.line;
  census_.see_text(text);
  return truth.value_or(0.0);
}

void RowCollector::add(const CsvRecord& row) {
  if (row.fields.size() != columns_.names.size()) {
    throw DataError("has " + counted(row.fields.size(), "field") + ", the header has " +
                        std::to_string(columns_.names.size()),
                    CsvPlace{file_, row.line}.text(), "make every row as long as the header");
  }
  OpenBatch& batch = batch_of(row);
  for (const std::size_t column : columns_.features) {
    batch.inputs.push_back(row_value(row.fields[column], place(row, column),
                                     "features are numbers; encode or remove the column"));
  }
  batch.targets.push_back(target_of(row));
}

void RowCollector::close(std::size_t agent) {
  OpenBatch& batch = open_[agent];
  if (batch.targets.empty()) return;
  const auto rows = static_cast<Index>(batch.targets.size());
  const auto features = static_cast<Index>(columns_.features.size());
  streams_[agent].batches.push_back(
      {{batch.task, Eigen::Map<const Samples>(batch.inputs.data(), rows, features),
        Eigen::Map<const Vector>(batch.targets.data(), rows)},
       CsvPlace{file_, batch.line}.text()});
  batch = {};
}

Problem RowCollector::problem() const {
  const std::string& column = columns_.names[columns_.target];
  const Problem found = census_.problem(options_.problem, file_ + ", column " + in_quotes(column));
  if (!has_labels(found) && census_.has_text()) {
    throw DataError("true or false stands among numbers",
                    CsvPlace{file_, first_word_line_, column}.text(),
                    "targets are numbers, or labels 0/1, -1/1 or true/false");
  }
  return found;
}

DataSet RowCollector::finish() {
  if (streams_.empty()) {
    throw DataError("has a header and no rows", file_, "add one row per sample");
  }
  for (std::size_t agent = 0; agent < streams_.size(); ++agent) close(agent);
  DataSet data{stem(file_), problem(), columns_.feature_names(), std::move(streams_)};
  if (has_labels(data.problem)) {
    for (Stream& stream : data.agents) {
      for (Batch& batch : stream.batches) to_signs(batch.y);
    }
  }
  check(data, options_.classes);
  return data;
}

}  // namespace

DataSet read_csv(const std::string& path, const ReadOptions& options) {
  return parse_csv(read_text_file(path, save_as_csv), path, options);
}

DataSet parse_csv(std::string_view text, const std::string& name, const ReadOptions& options) {
  check_text(text, name, save_as_csv);
  CsvReader reader(text, name);
  CsvRecord record;
  if (!reader.next(record)) {
    throw DataError("is empty", name, "give a header and one row per sample");
  }
  const CsvColumns columns = find_columns(record, name, options);
  RowCollector rows(columns, name, options);
  while (reader.next(record)) rows.add(record);
  return rows.finish();
}

}  // namespace colla
