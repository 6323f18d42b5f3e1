// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace colla {

/// If given, called between the parts of a long computation. An exception from it ends the
/// computation: this is how a caller interrupts one.
using Pause = std::function<void()>;

}  // namespace colla
