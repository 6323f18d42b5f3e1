// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include "ending.hpp"

#include <nanobind/nanobind.h>

#include <chrono>

namespace colla::python {
namespace {

// Another thread may hold the interpreter for milliseconds, so do not ask too often.
constexpr std::chrono::milliseconds interval(50);

}  // namespace

Pause heed_signals() {
  if (!is_main_thread()) return check_program_goes_on;
  using Clock = std::chrono::steady_clock;
  return [last = Clock::now()]() mutable {
    const Clock::time_point now = Clock::now();
    if (now - last < interval) return;
    last = now;
    const nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  };
}

}  // namespace colla::python
