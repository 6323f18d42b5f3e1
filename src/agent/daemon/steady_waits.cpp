// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/steady_waits.hpp"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdarg>
#include <ctime>

namespace colla {
namespace {

using SystemCall = long(long, ...);

constexpr long nanoseconds_a_second = 1'000'000'000;

std::atomic<SystemCall*> call_of_system;
std::atomic<bool> sleeps_steadily;

// The C library's. No static of the function: its guard may itself wait by this call.
SystemCall& original() {
  SystemCall* found = call_of_system;
  if (found == nullptr) {
    found = reinterpret_cast<SystemCall*>(::dlsym(RTLD_NEXT, "syscall"));
    call_of_system = found;
  }
  return *found;
}

timespec now_by(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now;
}

// The time of the steady clock that is as far away as that time of the wall clock.
timespec steady(const timespec& wall) {
  const timespec wall_now = now_by(CLOCK_REALTIME);
  timespec time = now_by(CLOCK_MONOTONIC);
  if (wall.tv_sec < wall_now.tv_sec) return time;
  time.tv_sec += wall.tv_sec - wall_now.tv_sec;
  time.tv_nsec += wall.tv_nsec - wall_now.tv_nsec;
  if (time.tv_nsec < 0) {
    time.tv_nsec += nanoseconds_a_second;
    --time.tv_sec;
  } else if (time.tv_nsec >= nanoseconds_a_second) {
    time.tv_nsec -= nanoseconds_a_second;
    ++time.tv_sec;
  }
  return time;
}

}  // namespace

void sleep_by_the_steady_clock() { sleeps_steadily = true; }

gpr_timespec deadline_at(std::chrono::steady_clock::time_point time) {
  return deadline_in(time - std::chrono::steady_clock::now());
}

// gRPC's steady clock is five seconds ahead of the system's.
gpr_timespec deadline_in(std::chrono::nanoseconds time) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(time.count(), GPR_TIMESPAN));
}

}  // namespace colla

// The C library's function of this name, in its place. Abseil, by which gRPC sleeps, calls it for
// nothing but futexes. Like the C library's, it passes on six arguments, however many there are.
extern "C" [[gnu::visibility("default"), gnu::no_sanitize_address]] long syscall(long number,
                                                                                 ...) noexcept {
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (long& each : a) each = va_arg(rest, long);
  va_end(rest);
  constexpr long until_wall_clock = FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME;
  const bool sleeps =
      number == SYS_futex && a[3] != 0 && (a[1] & ~long{FUTEX_PRIVATE_FLAG}) == until_wall_clock;
  if (!sleeps || !colla::sleeps_steadily) {
    return colla::original()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  const timespec until = colla::steady(*reinterpret_cast<const timespec*>(a[3]));
  return colla::original()(number, a[0], a[1] & ~long{FUTEX_CLOCK_REALTIME}, a[2], &until, a[4],
                           a[5]);
}
