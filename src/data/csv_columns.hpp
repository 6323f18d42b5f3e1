// SPDX-License-Identifier: Apache-2.0
// The header of a long CSV file: which column is what.
#pragma once

#include "data/csv_records.hpp"
#include "data/dataset.hpp"

namespace colla {

struct CsvColumns {
  std::vector<std::string> names;  ///< of all columns
  std::size_t task = 0;
  std::size_t target = 0;
  std::optional<std::size_t> agent;
  std::vector<std::size_t> features;  ///< the others, as the file orders them

  [[nodiscard]] std::vector<std::string> feature_names() const;
};

/// Throws DataError, naming `where`, if a column has no name, another's or the intercept's.
void check_column_names(const std::vector<std::string>& names, const std::string& where);

/// Throws DataError for a header with a missing, duplicate or unnamed column or without features,
/// OptionError if the options give one name to two columns.
CsvColumns find_columns(const CsvRecord& header, const std::string& file,
                        const ReadOptions& options);

}  // namespace colla
