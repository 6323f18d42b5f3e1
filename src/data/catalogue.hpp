// SPDX-License-Identifier: Apache-2.0
// Data sets by name or path.
#pragma once

#include "data/dataset.hpp"

namespace colla {

struct BuiltIn {
  std::string name;
  std::string summary;
};

/// The data sets that need no file.
std::vector<BuiltIn> built_in_data();

/// A built-in set by its name, a MAT file by its ending, or else a CSV file. Throws DataError.
DataSet load_data(const std::string& name_or_path, const ReadOptions& options, std::uint64_t seed);

}  // namespace colla
