// SPDX-License-Identifier: Apache-2.0
#include "data/mat_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

// The sanitizers reserve terabytes of address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COLLA_ADDRESS_LIMIT 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COLLA_ADDRESS_LIMIT 0
#endif
#endif
#ifndef COLLA_ADDRESS_LIMIT
#define COLLA_ADDRESS_LIMIT 1
#endif

namespace colla {
namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

std::uint64_t addresses_in_use() {
  unsigned long long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  std::array<char, 64> line{};
  if (std::fgets(line.data(), line.size(), file) != nullptr) {
    pages = std::strtoull(line.data(), nullptr, 10);
  }
  std::fclose(file);
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Only lowers limits: a stricter one of the parent stays.
void limit(__rlimit_resource resource, std::uint64_t value) {
  rlimit limits{};
  getrlimit(resource, &limits);
  limits.rlim_cur = std::min<rlim_t>(limits.rlim_max, value);
  limits.rlim_max = limits.rlim_cur;
  setrlimit(resource, &limits);
}

void leave_the_parents_files(int keep) {
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (standard != keep) dup2(nowhere, standard);
  }
  const auto kept = static_cast<unsigned>(keep);
  if (kept > 3) close_range(3, kept - 1, 0);
  close_range(std::max(3U, kept + 1), ~0U, 0);
}

// The parent's signal handler (a fuzzer's, Python's) must not report the child's death.
void forget_signal_handlers() {
  for (const int signal : {SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGPIPE, SIGSEGV,
                           SIGTERM, SIGXCPU, SIGXFSZ}) {
    std::signal(signal, SIG_DFL);
  }
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

[[noreturn]] void be_the_child(const std::function<std::string()>& answer,
                               const ProcessLimits& limits, std::uint64_t addresses, int pipe) {
  forget_signal_handlers();
  leave_the_parents_files(pipe);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CPU, limits.seconds);
  if (COLLA_ADDRESS_LIMIT != 0) limit(RLIMIT_AS, addresses + limits.bytes);
  const std::string text = answer();
  const std::uint64_t length = text.size();
  std::array<char, sizeof length> prefix{};
  std::memcpy(prefix.data(), &length, sizeof length);
  write_all(pipe, {prefix.data(), prefix.size()});
  write_all(pipe, text);
  _exit(0);
}

bool wait_for_bytes(int descriptor, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<long long>(left.count(), 60000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// Exactly `length` bytes, or nothing.
std::optional<std::string> read_exactly(int descriptor, std::uint64_t length,
                                        Clock::time_point deadline) {
  std::string bytes;
  std::array<char, 65536> chunk;
  while (bytes.size() < length) {
    if (!wait_for_bytes(descriptor, deadline)) return std::nullopt;
    const std::size_t wanted = std::min<std::uint64_t>(length - bytes.size(), chunk.size());
    const ssize_t count = read(descriptor, chunk.data(), wanted);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    bytes.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return bytes;
}

std::string receive(int descriptor, const ProcessLimits& limits) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(2 * limits.seconds);
  std::uint64_t length = 0;
  const std::optional<std::string> prefix = read_exactly(descriptor, sizeof length, deadline);
  if (!prefix) return {};
  std::memcpy(&length, prefix->data(), sizeof length);
  if (length > limits.bytes) return {};
  return read_exactly(descriptor, length, deadline).value_or("");
}

// Its answer is here or will never come: end it.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill(id_, SIGKILL);
    while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  pid_t id_;
};

}  // namespace

std::string answer_of_child(const std::function<std::string()>& answer,
                            const ProcessLimits& limits) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const std::uint64_t addresses = addresses_in_use();
  const pid_t id = fork();
  if (id < 0) return {};
  if (id == 0) be_the_child(answer, limits, addresses, writing.number());
  const Child child(id);
  writing.close();
  return receive(reading.number(), limits);
}

}  // namespace colla
