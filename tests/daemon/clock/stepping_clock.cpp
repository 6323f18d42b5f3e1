// SPDX-License-Identifier: Apache-2.0
// To be preloaded: the machine's clock as a process sees it, which a test can step. The file that
// COLLA_CLOCK names holds the difference to the real one, eight bytes, in nanoseconds. Waits until
// a time of the wall clock notice a step as the kernel's do: sooner after one forward, later after
// one backward. The steady clock is as it was.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t between_looks = second / 50;  // at the clock, while something waits for it

template <typename Function>
Function* next(std::atomic<Function*>& known, const char* name) {
  if (known == nullptr) known = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
  return known;
}

std::int64_t step() {
  static std::atomic<const std::atomic<std::int64_t>*> shown;
  if (shown == nullptr) {
    const char* const file = std::getenv("COLLA_CLOCK");
    const int descriptor = ::open(file == nullptr ? "" : file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    void* const memory =
        ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    if (memory == MAP_FAILED) return 0;
    shown = static_cast<const std::atomic<std::int64_t>*>(memory);
  }
  return *shown.load();
}

bool is_wall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

std::int64_t number_of(const timespec& time) {
  const bool is_endless = time.tv_sec > INT64_MAX / second - 1;
  return is_endless ? INT64_MAX : time.tv_sec * second + time.tv_nsec;
}

timespec time_of(std::int64_t number) { return {number / second, number % second}; }

std::int64_t real_now(clockid_t clock) {
  timespec now{};
  ::syscall(SYS_clock_gettime, clock, &now);
  return number_of(now);
}

std::int64_t shown_now() { return real_now(CLOCK_REALTIME) + step(); }

// When to look at the clock again, in the real clock's time, if the wait ends at `until`.
std::int64_t next_look(std::int64_t until, clockid_t clock) {
  return real_now(clock) + std::min(between_looks, std::max<std::int64_t>(until - shown_now(), 0));
}

using Syscall = long(long, ...);

long wait_for_futex(Syscall* call, long futex, long operation, long value, const timespec& shown,
                    long bits) {
  const std::int64_t until = number_of(shown);
  while (true) {
    const timespec look = time_of(next_look(until, CLOCK_REALTIME));
    const long result = call(SYS_futex, futex, operation, value, &look, 0L, bits);
    if (result != -1 || errno != ETIMEDOUT || shown_now() >= until) return result;
  }
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long result = ::syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && is_wall(clock)) *now = time_of(number_of(*now) + step());
  return static_cast<int>(result);
}

int gettimeofday(timeval* now, void* /*zone*/) noexcept {
  const std::int64_t number = shown_now();
  *now = {number / second, number % second / 1000};
  return 0;
}

time_t time(time_t* to) noexcept {
  const time_t now = shown_now() / second;
  if (to != nullptr) *to = now;
  return now;
}

long syscall(long number, ...) noexcept {
  static std::atomic<Syscall*> known;
  long a[6];
  va_list list;
  va_start(list, number);
  for (long& each : a) each = va_arg(list, long);
  va_end(list);
  Syscall* const call = next(known, "syscall");
  const bool waits_for_wall_clock =
      number == SYS_futex && a[3] != 0 &&
      (a[1] & ~FUTEX_PRIVATE_FLAG) == (FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME);
  if (!waits_for_wall_clock) return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return wait_for_futex(call, a[0], a[1], a[2], *reinterpret_cast<const timespec*>(a[3]), a[5]);
}

// These may always wake for no reason: whoever waits looks at the clock again. Conditions of the
// program with another clock are waited for by pthread_cond_clockwait.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  static std::atomic<int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> known;
  const auto wait = next(known, "pthread_cond_clockwait");
  if (!is_wall(clock)) return wait(condition, mutex, clock, until);
  const timespec look = time_of(next_look(number_of(*until), CLOCK_REALTIME));
  const int result = wait(condition, mutex, clock, &look);
  return result == ETIMEDOUT && shown_now() < number_of(*until) ? 0 : result;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  static std::atomic<int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*)> known;
  const auto wait = next(known, "pthread_cond_timedwait");
  const timespec look = time_of(next_look(number_of(*until), CLOCK_REALTIME));
  const int result = wait(condition, mutex, &look);
  return result == ETIMEDOUT && shown_now() < number_of(*until) ? 0 : result;
}

int sem_timedwait(sem_t* semaphore, const timespec* until) {
  static std::atomic<int (*)(sem_t*, const timespec*)> known;
  const auto wait = next(known, "sem_timedwait");
  while (true) {
    const timespec look = time_of(next_look(number_of(*until), CLOCK_REALTIME));
    const int result = wait(semaphore, &look);
    if (result == 0 || errno != ETIMEDOUT || shown_now() >= number_of(*until)) return result;
  }
}

}  // extern "C"
