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

/// Positions of an arrival's rows, in order.
struct RowSplit {
  std::vector<Index> train;
  std::vector<Index> test;
};

/// The same for the rows of one arrival, given by class.
RowSplit split_rows(std::vector<std::vector<Index>> classes, double test_fraction,
                    std::uint64_t seed, std::size_t agent, std::size_t batch);

}  // namespace colla
