// SPDX-License-Identifier: Apache-2.0
// Work for one thread, from all others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace colla {

class Mailbox {
 public:
  using Clock = std::chrono::steady_clock;
  using Work = std::function<void()>;

  void post(Work work) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(work));
    }
    arrived_.notify_one();
  }

  /// Does the first piece of work; if there is none, waits for one until then.
  void run_one(Clock::time_point until) {
    Work work;
    {
      std::unique_lock lock(mutex_);
      if (!arrived_.wait_until(lock, until, [this] { return !waiting_.empty(); })) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Work> waiting_;
};

}  // namespace colla
