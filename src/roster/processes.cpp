// SPDX-License-Identifier: Apache-2.0
#include "roster/processes.hpp"

#include "files/text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

namespace colla {
namespace {

constexpr char own_name[] = "colla";
constexpr int milliseconds_between_reminders = 5000;
// An overlong line is cut, not buffered.
constexpr std::size_t longest_line = std::size_t{1} << 16U;
constexpr int cannot_start = 127;

void require(bool success) {
  if (!success) throw std::system_error(errno, std::generic_category(), "cannot start programs");
}

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

// While it lives, signals come through a descriptor instead of interrupting.
class Signals {
 public:
  Signals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&wanted, signal);
    require(sigprocmask(SIG_BLOCK, &wanted, &before_) == 0);
    descriptor_ = Descriptor(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
    require(descriptor_.number() >= 0);
  }
  ~Signals() { restore(); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int descriptor() const { return descriptor_.number(); }
  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  /// How often this process was asked to stop since the last call.
  int stops() const {
    int count = 0;
    signalfd_siginfo info{};
    while (::read(descriptor(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      if (info.ssi_signo != SIGCHLD) ++count;
    }
    return count;
  }

 private:
  sigset_t before_{};
  Descriptor descriptor_;
};

struct Child {
  std::string name;
  pid_t id = -1;  // -1: ended
  Descriptor output;
  std::string unfinished_line = {};
  bool failed = false;
};

// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(char** arguments, int output, pid_t parent, const Signals& signals) {
  ::setpgid(0, 0);  // Ctrl-C reaches the parent alone, which asks the children to stop.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (::getppid() == parent && ::dup2(nothing, STDIN_FILENO) >= 0 &&
      ::dup2(output, STDOUT_FILENO) >= 0 && ::dup2(output, STDERR_FILENO) >= 0) {
    signals.restore();
    ::execv(arguments[0], arguments);
  }
  ::_exit(cannot_start);
}

Child start(const Program& program, const Signals& signals) {
  std::array<int, 2> ends{};
  require(::pipe2(ends.data(), O_CLOEXEC) == 0);
  Descriptor reading(ends[0]);
  const Descriptor writing(ends[1]);
  require(::fcntl(reading.number(), F_SETFL, O_NONBLOCK) == 0);
  std::vector<std::string> words = program.command;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  require(id >= 0);
  if (id == 0) become(arguments.data(), writing.number(), parent, signals);
  return {program.name, id, std::move(reading)};
}

class Company {
 public:
  Company(const std::vector<Program>& programs, const LineListener& listener)
      : listener_(listener) {
    try {
      for (const Program& program : programs) children_.push_back(start(program, signals_));
    } catch (...) {
      end_all();
      throw;
    }
  }
  ~Company() { end_all(); }
  Company(const Company&) = delete;
  Company& operator=(const Company&) = delete;

  std::vector<std::string> run() {
    while (is_anyone_alive()) {
      if (wait() == 0 && stops_ > 0) remind();
      listen();
      react(signals_.stops());
      reap();
    }
    std::vector<std::string> failed;
    for (const Child& child : children_) {
      if (child.failed) failed.push_back(child.name);
    }
    return failed;
  }

 private:
  std::vector<std::string> alive() const {
    std::vector<std::string> names;
    for (const Child& child : children_) {
      if (child.id > 0) names.push_back(child.name);
    }
    return names;
  }
  bool is_anyone_alive() const { return !alive().empty(); }

  void send(int signal) const {
    for (const Child& child : children_) {
      if (child.id > 0) ::kill(child.id, signal);
    }
  }

  // Only after a failure here: leave no child behind.
  void end_all() {
    send(SIGKILL);
    for (Child& child : children_) {
      if (child.id > 0) ::waitpid(child.id, nullptr, 0);
      child.id = -1;
    }
  }

  int wait() const {
    std::vector<pollfd> waited = {{signals_.descriptor(), POLLIN, 0}};
    for (const Child& child : children_) waited.push_back({child.output.number(), POLLIN, 0});
    return ::poll(waited.data(), waited.size(), milliseconds_between_reminders);
  }

  void listen() {
    for (Child& child : children_) listen(child);
  }

  // Reads what is available.
  void listen(Child& child) {
    std::array<char, 4096> bytes{};
    while (child.output.number() >= 0) {
      const ssize_t count = ::read(child.output.number(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return;  // nothing more for now
      if (count == 0) {
        child.output = Descriptor();
        return;
      }
      child.unfinished_line.append(bytes.data(), static_cast<std::size_t>(count));
      tell_lines(child);
    }
  }

  void tell_lines(Child& child) {
    std::string& text = child.unfinished_line;
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', start)) {
      listener_(child.name, text.substr(start, end - start));
      start = end + 1;
    }
    text.erase(0, start);
    if (text.size() > longest_line) tell_rest(child);
  }

  void tell_rest(Child& child) {
    if (child.unfinished_line.empty()) return;
    listener_(child.name, child.unfinished_line);
    child.unfinished_line.clear();
  }

  void react(int asked) {
    for (; asked > 0; --asked) {
      const bool first = stops_++ == 0;
      listener_(own_name, (first ? "stopping " : "killing ") + listed(alive()));
      send(first ? SIGTERM : SIGKILL);
    }
  }

  void remind() const {
    listener_(own_name, "waiting for " + listed(alive()) + "; Ctrl-C once more kills");
  }

  void reap() {
    for (Child& child : children_) {
      int status = 0;
      if (child.id <= 0 || ::waitpid(child.id, &status, WNOHANG) != child.id) continue;
      child.id = -1;
      listen(child);  // its last words
      tell_rest(child);
      child.failed = !ended_well(status);
      listener_(own_name, child.name + end_of(status));
    }
  }

  bool ended_well(int status) const {
    if (WIFEXITED(status)) return WEXITSTATUS(status) == 0;
    return stops_ > 0 && WTERMSIG(status) == SIGTERM;
  }

  static std::string end_of(int status) {
    if (WIFSIGNALED(status)) {
      return std::string(" was ended by a signal: ") + ::strsignal(WTERMSIG(status));
    }
    const int code = WEXITSTATUS(status);
    return code == 0 ? " has ended" : " has ended with exit code " + std::to_string(code);
  }

  const LineListener& listener_;
  Signals signals_;
  std::vector<Child> children_;
  int stops_ = 0;
};

}  // namespace

std::vector<std::string> run_together(const std::vector<Program>& programs,
                                      const LineListener& listener) {
  return Company(programs, listener).run();
}

}  // namespace colla
