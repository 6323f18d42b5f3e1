// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>

#include <string>
#include <utility>
#include <vector>

namespace colla {

/// A file with one edge `i,j` per line, agents counted from 0. Throws DataError.
std::vector<std::pair<Index, Index>> read_edges(const std::string& path);

}  // namespace colla
