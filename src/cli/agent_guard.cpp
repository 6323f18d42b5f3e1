// SPDX-License-Identifier: Apache-2.0
#include "cli/agent_guard.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>

namespace colla::cli {
namespace {

constexpr int exit_code = 1;  // systemd starts the agent again
constexpr char of_abort[] =
    "colla: the agent cannot go on; is there enough memory, or are there limits on memory, threads "
    "or file descriptors? see `ulimit -a` and docs/failures.md\n";

std::atomic<unsigned> patience;
std::atomic<const char*> last_words;
std::atomic<bool (*)()> has_excuse;

// Only what signal handlers may call. Nobody may be reading.
void say(const char* words) {
  pollfd ready = {STDERR_FILENO, POLLOUT, 0};
  if (::poll(&ready, 1, 0) != 1) return;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words, std::strlen(words));
}

void end(int /*signal*/) {
  bool (*const excuse)() = has_excuse;
  if (excuse != nullptr && excuse()) {
    ::alarm(patience);
    return;
  }
  say(last_words);
  ::_exit(exit_code);
}

// The signal then does what it does without a handler: it leaves a core file, where that is wished.
void explain(int signal) {
  say(of_abort);
  std::signal(signal, SIG_DFL);
}

}  // namespace

void end_in(unsigned seconds, const char* words, bool (*excuse)()) {
  patience = seconds;
  last_words = words;
  has_excuse = excuse;
  std::signal(SIGALRM, end);
  ::alarm(seconds);
}

void explain_aborts() { std::signal(SIGABRT, explain); }

}  // namespace colla::cli
