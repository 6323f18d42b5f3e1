// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/event_loop.hpp"

#include "agent/daemon/steady_waits.hpp"

namespace colla {

void EventLoop::post(Work work) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(work));
  if (!waking_) wake();
}

// With the lock held: one alarm at a time, and none for a queue that is shut down. An alarm of the
// infinite past is never put on gRPC's list of timers: it is an event at once, by whatever clock.
void EventLoop::wake() {
  if (draining_) return;
  waking_ = true;
  alarm_.Set(queue_.get(), gpr_inf_past(GPR_CLOCK_MONOTONIC), &alarm_);
}

// Handles one event, then all that have happened meanwhile. False: there was none.
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

bool EventLoop::run_one(Clock::time_point until) {
  void* tag = nullptr;
  bool ok = false;
  busy_since_ = 0;
  const auto found = queue_->AsyncNext(&tag, &ok, deadline_at(until));
  busy_since_ = Clock::now().time_since_epoch().count();
  if (found != grpc::CompletionQueue::GOT_EVENT) return false;
  finish(tag, ok);
  return true;
}

std::optional<EventLoop::Clock::time_point> EventLoop::busy_since() const {
  const Clock::rep since = busy_since_;
  if (since == 0) return {};
  return Clock::time_point(Clock::duration(since));
}

void EventLoop::drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  busy_since_ = 0;
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

void Mailbox::post(EventLoop::Work work) {
  const std::lock_guard lock(mutex_);
  if (loop_ != nullptr) loop_->post(std::move(work));
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  loop_ = nullptr;
}

}  // namespace colla
