// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/dataset.hpp"

#include <cstdint>

namespace colla {

struct SplitData {
  DataSet train;
  DataSet test;  ///< the same agents and batches, with the rows that training never sees
};

/// Splits the rows of every batch at random: round(test_fraction M) of them are for the test, and
/// at least one row stays for training; in classification the classes are split alike, and at least
/// one row of each stays. The split of a batch depends only on the seed and its place.
SplitData split(const DataSet& data, double test_fraction, std::uint64_t seed);

}  // namespace colla
