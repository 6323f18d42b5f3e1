// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arrays.hpp"
#include "signals.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace colla::python {

/// Lets threads use one object in turn, without the interpreter's lock.
class Turns {
 public:
  template <typename Work>
  auto take(const Work& work) {
    return without_gil([&] {
      const Turn turn(*this);
      return work();
    });
  }

 private:
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(turns) {
      // A signal handler runs inside the call that it interrupts.
      if (turns.holder_ == std::this_thread::get_id()) {
        throw std::runtime_error(
            "a signal handler used a learner that is busy; wait until its call has returned");
      }
      if (!turns.mutex_.try_lock()) wait_for(turns.mutex_);
      turns.holder_ = std::this_thread::get_id();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      turns_.holder_ = std::thread::id();
      turns_.mutex_.unlock();
    }

   private:
    // Ctrl-C ends the waiting too.
    static void wait_for(std::timed_mutex& mutex) {
      const Pause pause = heed_signals();
      while (!mutex.try_lock_for(std::chrono::milliseconds(50))) pause();
    }

    Turns& turns_;
  };

  std::timed_mutex mutex_;
  std::atomic<std::thread::id> holder_;
};

}  // namespace colla::python
