// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/pause.hpp>

#include <cstdint>
#include <utility>

namespace colla::python {

/// Lets Python handle signals now and then, so that Ctrl-C ends a long computation.
Pause heed_signals();

// For tests, which cannot know how long anything takes.

/// How often the main thread has paused, and all others together.
std::pair<std::int64_t, std::int64_t> pauses();

/// From now on a pause lasts until it is told otherwise: it checks again and again.
void hold_pauses(bool hold);

}  // namespace colla::python
