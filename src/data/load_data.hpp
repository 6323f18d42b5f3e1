// SPDX-License-Identifier: Apache-2.0
// Data sets by name or path.
#pragma once

#include "data/dataset.hpp"

#include <cstdint>

namespace colla {

/// A registered set by its name (prepared, and dealt to its agents), a MAT file by its extension,
/// or else a CSV file. Only synthetic sets use the seed. Throws DataError or OptionError.
DataSet load_data(const std::string& name_or_path, const ReadOptions& options, std::uint64_t seed);

/// Throws DataError, naming the registered sets, unless there is something at the path.
void check_exists(const std::string& path);

}  // namespace colla
