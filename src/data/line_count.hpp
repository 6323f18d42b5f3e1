// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace colla {

/// How many lines a CSV file has, without those inside quotes, read in pieces: it may not fit into
/// memory. 0 if it is no file that can be read twice; whoever reads it says so.
std::size_t lines_in_file(const std::string& path);

}  // namespace colla
