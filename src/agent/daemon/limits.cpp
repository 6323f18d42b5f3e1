// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/limits.hpp"

#include "agent/daemon/sockets.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

namespace colla {
namespace {

// With a few neighbours an agent has about 20 threads on two processors, 40 descriptors and 1.2 GB
// of addresses, of which it uses a twentieth.
constexpr unsigned least_threads = 32, threads_of_a_processor = 2, most_threads = 64;
constexpr std::size_t least_descriptors = 64;
constexpr std::size_t least_addresses = std::size_t{1} << 30;

std::size_t threads_needed() {
  const unsigned processors = std::thread::hardware_concurrency();
  return std::min(most_threads, least_threads + threads_of_a_processor * processors);
}

// That can run at the same time, of those that are wanted.
std::size_t threads_to_have(std::size_t wanted) {
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  std::vector<std::thread> threads;
  threads.reserve(wanted);
  try {
    while (threads.size() < wanted) threads.emplace_back([ended] { ended.wait(); });
  } catch (const std::system_error&) {
  }
  end.set_value();
  for (std::thread& thread : threads) thread.join();
  return threads.size();
}

std::size_t descriptors_to_have(std::size_t wanted) {
  std::vector<Socket> opened;
  opened.reserve(wanted);
  while (opened.size() < wanted) {
    Socket next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (next.get() < 0) break;
    opened.push_back(std::move(next));
  }
  return opened.size();
}

bool can_have_addresses(std::size_t bytes) {
  void* const start =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start != MAP_FAILED && ::munmap(start, bytes) == 0;
}

}  // namespace

void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string what_is_lacking() {
  if (!can_have_addresses(least_addresses)) {
    return fmt::format(
        "an agent needs {} MiB of addresses, and may not have them; raise the limit (`ulimit -v`, "
        "LimitAS=)",
        least_addresses >> 20);
  }
  const std::size_t descriptors = descriptors_to_have(least_descriptors);
  if (descriptors < least_descriptors) {
    return fmt::format(
        "an agent needs {} file descriptors, and may have {}; raise the limit (`ulimit -n`, "
        "LimitNOFILE=)",
        least_descriptors, descriptors);
  }
  const std::size_t threads = threads_to_have(threads_needed());
  if (threads < threads_needed()) {
    return fmt::format(
        "an agent needs {} threads, and may have {}; raise the limit (`ulimit -u`, LimitNPROC=, "
        "TasksMax=), or give it more memory",
        threads_needed(), threads);
  }
  return "";
}

}  // namespace colla
