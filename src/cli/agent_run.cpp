// SPDX-License-Identifier: Apache-2.0
// `colla agent run`: the agent itself, until Ctrl-C.
#include "agent/daemon/daemon.hpp"
#include "agent/daemon/identity.hpp"
#include "cli/agent_commands.hpp"
#include "cli/options.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

namespace colla::cli {
namespace {

// Ctrl-C and SIGTERM write a byte here: they may hit any thread, even a library's.
int signal_pipe[2] = {-1, -1};

void leave_byte(int /*signal*/) {
  const char byte = 's';
  [[maybe_unused]] const auto written = ::write(signal_pipe[1], &byte, 1);
}

// Tells the agent to stop, from a separate thread.
class StopSignals {
 public:
  explicit StopSignals(const std::function<void()>& stop) {
    if (::pipe2(signal_pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for signals");
    thread_ = std::thread([this, stop] {
      char byte = 0;
      while (::read(signal_pipe[0], &byte, 1) < 0) {
      }
      if (!over_) stop();
    });
    std::signal(SIGINT, leave_byte);
    std::signal(SIGTERM, leave_byte);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals() {
    over_ = true;
    leave_byte(0);
    thread_.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

// Allows as many connections as the system can: strangers may hold some for a while.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void run_agent(const AgentCommand& command, std::optional<LogFormat> log, bool insecure) {
  Home home = read_home(command.home);
  home.log = log.value_or(home.log);
  if (!insecure) check_identity(home, std::time(nullptr));
  raise_file_limit();
  std::signal(SIGPIPE, SIG_IGN);  // the log's reader may go away
  const std::unique_ptr<Daemon> daemon = make_daemon(std::move(home), insecure);
  const StopSignals signals([&daemon] { daemon->stop(); });
  daemon->run();
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
