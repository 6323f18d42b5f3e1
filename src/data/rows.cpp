// SPDX-License-Identifier: Apache-2.0
#include "data/rows.hpp"

#include "data/csv_records.hpp"
#include "data/dataset.hpp"
#include "data/labels.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <algorithm>

namespace colla {
namespace {

constexpr std::size_t no_column = static_cast<std::size_t>(-1);

// The header of the file, searched by name.
class Header {
 public:
  Header(const CsvRecord& record, const std::string& file) : file_(file) {
    for (const CsvField& field : record.fields) names_.emplace_back(name_in(field));
  }

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t column) const { return names_[column]; }

  std::size_t find(const std::string& name) const {
    const auto count = std::count(names_.begin(), names_.end(), name);
    if (count > 1) {
      throw DataError("column " + in_quotes(name) + " appears twice", file_ + ", line 1",
                      "rename or remove one");
    }
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? no_column : static_cast<std::size_t>(found - names_.begin());
  }

  std::size_t require(const std::string& name, const std::string& remedy) const {
    const std::size_t column = find(name);
    if (column == no_column) {
      throw DataError("no column " + in_quotes(name) + " (there are " + listed(names_) + ")",
                      file_ + ", line 1", remedy);
    }
    return column;
  }

 private:
  const std::string& file_;
  std::vector<std::string> names_;
};

class RowReader {
 public:
  RowReader(const Header& header, const std::string& file, const RowColumns& columns)
      : header_(header), file_(file), columns_(columns) {
    for (const std::string& name : columns.features) {
      features_.push_back(
          name == intercept_name
              ? no_column
              : header.require(name, "give every feature the model was trained on"));
    }
    if (!columns.task) task_ = header.require(columns.task_column, "add it or use --task");
    if (!columns.agent) agent_ = header.find(columns.agent_column);
    if (columns.target_column) {
      target_ = header.require(*columns.target_column, "add it or use --target-column");
    }
  }

  void add(const CsvRecord& record) {
    if (record.fields.size() != header_.size()) {
      throw DataError("has " + counted(record.fields.size(), "field") + ", the header has " +
                          std::to_string(header_.size()),
                      CsvPlace{file_, record.line}.text(), "make every row as long as the header");
    }
    for (const std::size_t column : features_) {
      inputs_.push_back(
          column == no_column
              ? 1.0
              : row_value(record.fields[column], place(record, column), "features are numbers"));
    }
    rows_.tasks.push_back(columns_.task ? *columns_.task
                                        : std::string(name_in(record.fields[task_])));
    std::string agent = columns_.agent.value_or("");
    if (agent_ != no_column) agent = name_in(record.fields[agent_]);
    rows_.agents.push_back(std::move(agent));
    if (columns_.target_column) targets_.push_back(target_of(record));
    rows_.lines.push_back(record.line);
  }

  Rows finish() {
    const auto count = static_cast<Index>(rows_.tasks.size());
    if (count == 0) throw DataError("has a header and no rows", file_, "add one row per sample");
    rows_.file = file_;
    rows_.X =
        Eigen::Map<const Samples>(inputs_.data(), count, static_cast<Index>(features_.size()));
    rows_.y = Eigen::Map<const Vector>(targets_.data(), static_cast<Index>(targets_.size()));
    if (has_labels(columns_.problem)) to_signs(rows_.y);
    return std::move(rows_);
  }

 private:
  CsvPlace place(const CsvRecord& record, std::size_t column) const {
    return {file_, record.line, header_.name(column)};
  }

  double target_of(const CsvRecord& record) const {
    const CsvField& field = record.fields[target_];
    const CsvPlace where = place(record, target_);
    if (!has_labels(columns_.problem)) {
      return row_value(field, where, "targets are numbers");
    }
    const auto word = truth_value(trimmed(field.text));
    const auto value = word ? word : number_or_text(field, where);
    if (!value || (*value != 0.0 && *value != 1.0 && *value != -1.0)) {
      throw DataError(in_quotes(field.text) + " is not a label", where.text(),
                      "labels are 0/1, -1/1 or true/false");
    }
    return *value;
  }

  const Header& header_;
  const std::string& file_;
  const RowColumns& columns_;
  std::vector<std::size_t> features_;
  std::size_t task_ = no_column;
  std::size_t agent_ = no_column;
  std::size_t target_ = no_column;
  std::vector<double> inputs_;
  std::vector<double> targets_;
  Rows rows_;
};

std::string checked_text(const std::string& path) {
  std::string text = read_text_file(path, save_as_csv);
  check_text(text, path, save_as_csv);
  return text;
}

const CsvRecord& header_of(CsvReader& reader, CsvRecord& record, const std::string& path) {
  if (!reader.next(record)) throw DataError("is empty", path, "give a header and rows");
  return record;
}

}  // namespace

std::string Rows::place(std::size_t row) const {
  return (file.empty() ? "row " : file + ", line ") + std::to_string(lines[row]);
}

std::vector<std::string> other_columns(const std::string& path,
                                       const std::vector<std::string>& named) {
  const std::string text = checked_text(path);
  CsvReader reader(text, path);
  CsvRecord record;
  std::vector<std::string> others;
  for (const CsvField& field : header_of(reader, record, path).fields) {
    std::string name(name_in(field));
    if (std::find(named.begin(), named.end(), name) == named.end()) {
      others.push_back(std::move(name));
    }
  }
  return others;
}

Rows read_rows(const std::string& path, const RowColumns& columns) {
  const std::string text = checked_text(path);
  CsvReader reader(text, path);
  CsvRecord record;
  const Header header(header_of(reader, record, path), path);
  RowReader rows(header, path, columns);
  while (reader.next(record)) rows.add(record);
  return rows.finish();
}

}  // namespace colla
