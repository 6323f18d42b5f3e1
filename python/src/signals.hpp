// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/pause.hpp>

namespace colla::python {

/// Lets Python handle signals now and then, so that Ctrl-C ends a long computation.
Pause heed_signals();

}  // namespace colla::python
