// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include "ending.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>

namespace colla::python {
namespace {

// Another thread may hold the interpreter for milliseconds, so do not ask too often.
constexpr std::chrono::milliseconds interval(50);

std::atomic<std::int64_t> pauses_of_main = 0;
std::atomic<std::int64_t> pauses_of_others = 0;
std::atomic<bool> are_held = false;

template <typename Check>
Pause pause_with(const Check& check, std::atomic<std::int64_t>& count) {
  return [check = check, &count]() mutable {
    do {
      ++count;
      check();
    } while (are_held);
  };
}

}  // namespace

Pause heed_signals() {
  if (!is_main_thread()) return pause_with(check_program_goes_on, pauses_of_others);
  using Clock = std::chrono::steady_clock;
  const auto check_signals = [last = Clock::now()]() mutable {
    const Clock::time_point now = Clock::now();
    if (now - last < interval) return;
    last = now;
    const nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  };
  return pause_with(check_signals, pauses_of_main);
}

std::pair<std::int64_t, std::int64_t> pauses() { return {pauses_of_main, pauses_of_others}; }

void hold_pauses(bool hold) { are_held = hold; }

}  // namespace colla::python
