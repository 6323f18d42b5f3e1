// SPDX-License-Identifier: Apache-2.0
// Everything that happens to an agent happens on one thread: the one that runs this loop. It waits
// for gRPC's operations itself, so that a message goes from the network to the agent and the answer
// back without passing from thread to thread.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace colla {

class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;
  using Work = std::function<void()>;
  using Done = std::function<void(bool ok)>;

  explicit EventLoop(std::unique_ptr<grpc::ServerCompletionQueue> queue)
      : queue_(std::move(queue)) {}
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  grpc::ServerCompletionQueue* queue() { return queue_.get(); }
  /// The tag of a gRPC operation: called once, when the operation is done.
  static void* when_done(Done done) { return new Done(std::move(done)); }

  /// Work for the loop's thread, from any thread.
  void post(Work work);
  /// Waits for the next event until then, and handles it. False: there was none.
  bool run_one(Clock::time_point until);
  /// Call it last, and again if an event throws: handles the remaining events. No operation may
  /// start after it has begun.
  void drain();
  /// When the current event began, from any thread; none: the loop waits.
  std::optional<Clock::time_point> busy_since() const;

 private:
  void wake();
  void finish(void* tag, bool ok);
  bool work_off();

  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::mutex mutex_;
  std::deque<Work> posted_;
  bool waking_ = false;
  bool draining_ = false;
  grpc::Alarm alarm_;
  std::atomic<Clock::rep> busy_since_ = 0;  // 0: it waits
};

/// The way to the loop for threads that may outlive it, such as gRPC's.
class Mailbox {
 public:
  explicit Mailbox(EventLoop& loop) : loop_(&loop) {}

  /// From any thread; dropped after `close`.
  void post(EventLoop::Work work);
  void close();

 private:
  std::mutex mutex_;
  EventLoop* loop_;
};

}  // namespace colla
