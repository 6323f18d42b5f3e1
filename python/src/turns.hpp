// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arrays.hpp"

#include <mutex>

namespace colla::python {

/// Lets threads use one object one after the other, without the interpreter's lock.
class Turns {
 public:
  template <typename Work>
  auto take(const Work& work) {
    return without_gil([&] {
      const std::lock_guard lock(mutex_);
      return work();
    });
  }

 private:
  std::mutex mutex_;
};

}  // namespace colla::python
