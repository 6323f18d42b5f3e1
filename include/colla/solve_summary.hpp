// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>

namespace colla {

/// How the linear system of a dictionary update was solved.
struct SolveSummary {
  Index iterations = 0;          ///< 0 for a direct solve
  double relative_residual = 0;  ///< |r|/|R| of an iterative solve
  bool converged = true;
};

}  // namespace colla
