// SPDX-License-Identifier: Apache-2.0
#include "daemon/event_loop.hpp"

namespace colla {

void EventLoop::post(Work work) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(work));
  if (!waking_) wake();
}

// With the lock held: one alarm at a time, and none for a queue that is shut down.
void EventLoop::wake() {
  if (draining_) return;
  waking_ = true;
  alarm_.Set(queue_.get(), std::chrono::system_clock::now(), &alarm_);
}

// One piece, then whatever else has happened meanwhile. False: there was none.
bool EventLoop::work_off() {
  Work work;
  {
    const std::lock_guard lock(mutex_);
    waking_ = false;
    if (posted_.empty()) return false;
    work = std::move(posted_.front());
    posted_.pop_front();
    if (!posted_.empty()) wake();
  }
  work();
  return true;
}

void EventLoop::run_one(Clock::time_point until) {
  void* tag = nullptr;
  bool ok = false;
  const auto deadline =
      std::chrono::system_clock::now() +
      std::chrono::duration_cast<std::chrono::system_clock::duration>(until - Clock::now());
  if (queue_->AsyncNext(&tag, &ok, deadline) == grpc::CompletionQueue::GOT_EVENT) finish(tag, ok);
}

void EventLoop::drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  queue_->Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) finish(tag, ok);
  while (work_off()) {
  }
}

void EventLoop::finish(void* tag, bool ok) {
  if (tag == &alarm_) {
    work_off();
    return;
  }
  const std::unique_ptr<Done> done(static_cast<Done*>(tag));
  (*done)(ok);
}

}  // namespace colla
