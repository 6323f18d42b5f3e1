// SPDX-License-Identifier: Apache-2.0
// Rows from a task's statistics, for regression with an intercept:
//
//     Gamma = X'X/M + ridge I,   Gamma alpha = X'y/M,   the last column of X is 1.
#pragma once

#include "privacy/listening.hpp"

#include <optional>

namespace colla::privacy {

struct Rows {
  Samples X;  ///< in no particular order
  Vector y;   ///< up to a common sign, as alpha; empty unless the rows are independent
};

/// One or two rows, which the statistics always determine. Nothing if there are more.
std::optional<Rows> one_or_two_rows(const Statistics& task, double ridge);

/// All sets of rows of whole numbers (with targets of whole numbers, if determined) that give these
/// statistics, for the smallest M up to `most_rows` that fits them. Nothing if there are more ways
/// to try than `budget`.
std::vector<Rows> whole_rows(const Statistics& task, double ridge, Index most_rows, Index budget);

}  // namespace colla::privacy
