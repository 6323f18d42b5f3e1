// SPDX-License-Identifier: Apache-2.0
#include "data/csv_records.hpp"
#include "data/dataset.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

namespace colla {

Matrix read_matrix_csv(const std::string& path) {
  const std::string text = read_text_file(path, save_as_csv);
  check_text(text, path, save_as_csv);
  CsvReader reader(text, path);
  CsvRecord record;
  std::vector<double> entries;  // row after row
  std::size_t rows = 0;
  std::size_t cols = 0;
  while (reader.next(record)) {
    if (rows == 0) cols = record.fields.size();
    if (record.fields.size() != cols) {
      throw DataError("has " + counted(record.fields.size(), "field") + ", the first line has " +
                          std::to_string(cols),
                      CsvPlace{path, record.line}.text(), "make every row as long as the first");
    }
    for (std::size_t column = 0; column < cols; ++column) {
      entries.push_back(finite_number(record.fields[column],
                                      {path, record.line, std::to_string(column + 1)},
                                      "a matrix file holds numbers only and has no header"));
    }
    ++rows;
  }
  if (rows == 0) throw DataError("is empty", path, "give one line of numbers per row");
  return Eigen::Map<const Samples>(entries.data(), static_cast<Index>(rows),
                                   static_cast<Index>(cols));
}

}  // namespace colla
