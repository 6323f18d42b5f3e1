// SPDX-License-Identifier: Apache-2.0
// Waiting for what must come, however slow or busy the machine is.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace colla::testing {

/// A guard against hanging, the same for everything.
inline constexpr std::chrono::seconds patience(120);

/// Whether it came; if not, the test fails.
inline bool wait_until(const std::function<bool()>& is_so, const std::string& what) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) {
      ADD_FAILURE() << "waited " << patience.count() << " s for " << what;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace colla::testing
