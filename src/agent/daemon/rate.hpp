// SPDX-License-Identifier: Apache-2.0
// Limits how often something may happen: a burst at once, then a number per second.
#pragma once

#include <algorithm>
#include <chrono>

namespace colla {

class Rate {
 public:
  using Clock = std::chrono::steady_clock;

  Rate(double burst, double a_second) : burst_(burst), a_second_(a_second), left_(burst) {}

  /// Whether it may happen now; if so, it counts.
  bool allows(Clock::time_point now) {
    left_ =
        std::min(burst_, left_ + a_second_ * std::chrono::duration<double>(now - last_).count());
    last_ = now;
    if (left_ < 1.0) return false;
    left_ -= 1.0;
    return true;
  }

  /// As if it had never happened.
  bool is_rested(Clock::time_point now) const {
    return left_ + a_second_ * std::chrono::duration<double>(now - last_).count() >= burst_;
  }

 private:
  double burst_;
  double a_second_;
  double left_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace colla
