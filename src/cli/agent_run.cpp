// SPDX-License-Identifier: Apache-2.0
// `colla agent run`: the agent itself, until Ctrl-C.
#include "agent/daemon/daemon.hpp"
#include "agent/daemon/identity.hpp"
#include "agent/daemon/limits.hpp"
#include "cli/agent_commands.hpp"
#include "cli/agent_guard.hpp"
#include "cli/options.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

namespace colla::cli {
namespace {

constexpr int cannot_run = 1;  // systemd starts it again
constexpr unsigned seconds_to_start = 60, seconds_to_stop = 30;

// Ctrl-C and SIGTERM write a byte here: they may hit any thread, even a library's.
int signal_pipe[2] = {-1, -1};
std::atomic<const Daemon*> running;
std::atomic<bool> is_ending;

bool is_computing() {
  const Daemon* const daemon = running;
  return daemon != nullptr && daemon->is_computing();
}

void end_soon() {
  is_ending = true;
  end_in(seconds_to_stop,
         "colla: the agent did not stop by itself and was ended; what it has saved is safe\n",
         is_computing);
}

void leave_byte() {
  const char byte = 's';
  [[maybe_unused]] const auto written = ::write(signal_pipe[1], &byte, 1);
}

void stop(int /*signal*/) {
  end_soon();
  leave_byte();
}

// Tells the agent to stop, from a separate thread.
class StopSignals {
 public:
  explicit StopSignals(const std::function<void()>& tell) {
    if (::pipe2(signal_pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for signals");
    thread_ = std::thread([this, tell] {
      char byte = 0;
      while (::read(signal_pipe[0], &byte, 1) < 0) {
      }
      if (!over_) tell();
    });
    std::signal(SIGINT, stop);
    std::signal(SIGTERM, stop);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals() {
    over_ = true;
    leave_byte();
    thread_.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

// What fails in libraries later fails without a word or waits for ever. OpenBLAS's thread, which
// has started and may lack memory too, would keep the program from exiting as usual.
void check_limits() {
  raise_file_limit();
  const std::string lacking = what_is_lacking();
  if (!lacking.empty()) {
    fmt::print(stderr, "colla: {}\n", lacking);
    std::_Exit(cannot_run);
  }
  explain_aborts();
}

void run_daemon(Home home, bool insecure) {
  const std::unique_ptr<Daemon> daemon = make_daemon(std::move(home), insecure);
  running = daemon.get();
  const StopSignals signals([&daemon] { daemon->stop(); });
  end_in(seconds_to_start,
         "colla: the agent cannot start; are there limits on memory, threads or file descriptors? "
         "see `ulimit -a`\n");
  const auto listening = [] {
    if (!is_ending) end_in(0, "");
  };
  try {
    daemon->run(listening, end_soon);
  } catch (...) {
    running = nullptr;
    throw;
  }
  running = nullptr;
}

void run_agent(const AgentCommand& command, std::optional<LogFormat> log, bool insecure) {
  check_limits();
  Home home = read_home(command.home);
  home.log = log.value_or(home.log);
  if (!insecure) check_identity(home, std::time(nullptr));
  std::signal(SIGPIPE, SIG_IGN);  // the log's reader may go away
  try {
    run_daemon(std::move(home), insecure);
  } catch (...) {
    end_in(seconds_to_stop, "");  // the reason is said, if anybody reads it
    throw;
  }
}

}  // namespace

void add_agent_run(CLI::App& agent) {
  struct Options : AgentCommand {
    std::optional<LogFormat> log;
    bool insecure = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* app =
      add_agent_command(agent, *options, "run", "Take part in the network until Ctrl-C");
  add_choice<LogFormat>(*app, "--log", options->log,
                        "Format of the log on standard error (default: from agent.toml)");
  app->add_flag("--insecure-loopback", options->insecure,
                "No TLS; only for networks whose addresses are all on this machine");
  app->footer(
      "Ctrl-C or SIGTERM stops it cleanly. You may kill it at any time: when restarted, it "
      "resumes\n"
      "where it was. `colla doctor` finds out what keeps it from taking part.");
  app->callback([options] { run_agent(*options, options->log, options->insecure); });
}

}  // namespace colla::cli
