// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace colla {

/// Called between the parts of a long computation, if it is given. What it throws ends the
/// computation there: how a caller interrupts one.
using Pause = std::function<void()>;

}  // namespace colla
