// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace colla {

enum class Problem {
  regression,      ///< squared loss, real targets
  classification,  ///< logistic loss, targets -1 and +1
};

}  // namespace colla
