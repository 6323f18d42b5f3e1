// SPDX-License-Identifier: Apache-2.0
// Rows of 0 and 1 from what a network that knows of no task yet is told of the first one.
#pragma once

#include <colla/matrix.hpp>

#include <vector>

namespace colla::privacy {

/// Rows by their numbers: bit j is feature j, and the last feature is 1.
Samples rows_of_bits(const std::vector<Index>& numbers, Index features);

/// All sets of that many rows, in ascending order, that give these known shares.
std::vector<Samples> rows_by_trying(const Vector& known_shares, Index rows);

}  // namespace colla::privacy
