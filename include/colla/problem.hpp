// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/names.hpp>

namespace colla {

enum class Problem {
  regression,      ///< squared loss, real targets
  classification,  ///< logistic loss, targets -1 and +1
};

template <>
struct Names<Problem> {
  static constexpr Named<Problem> all[] = {{Problem::regression, "regression"},
                                           {Problem::classification, "classification"}};
};

/// Which labels the rows of a task must have. Its own model needs both; a prior also says how
/// probable the label is that a task has not shown.
enum class TaskClasses { both, any };

/// True if the targets are two labels, -1 and +1; otherwise they are any numbers.
constexpr bool has_labels(Problem problem) { return problem == Problem::classification; }

}  // namespace colla
