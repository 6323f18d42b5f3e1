// SPDX-License-Identifier: Apache-2.0
#include "cli/network_commands.hpp"
#include "cli/terminal.hpp"
#include "files/text.hpp"
#include "roster/home.hpp"
#include "roster/processes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <memory>

namespace colla::cli {
namespace {

namespace fs = std::filesystem;

// Checks every home before the first agent starts.
std::vector<Program> programs_of(const fs::path& folder) {
  const Network network = read_network_folder(folder);
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  std::vector<Program> programs;
  for (const RosterAgent& agent : network.agents) {
    const Home home = read_home(folder / agent.name);
    if (home.network.hash != network.hash || home.agent().name != agent.name) {
      throw DataError("is not the home of " + colla::in_quotes(agent.name) + " in this network",
                      home.folder.string(), "make the network again with `colla network init`");
    }
    check_identity(home, std::time(nullptr));
    programs.push_back({agent.name, {self, "agent", "run", "--home", home.folder.string()}});
  }
  return programs;
}

void run_network(const fs::path& folder) {
  std::signal(SIGPIPE, SIG_IGN);  // the logs' reader may go away
  const std::vector<Program> programs = programs_of(folder);
  std::size_t width = std::string_view("colla").size();
  for (const Program& program : programs) width = std::max(width, program.name.size());
  const auto failed =
      run_together(programs, [width](const std::string& name, const std::string& line) {
        fmt::print("{:<{}} | {}\n", name, width, line);
        std::fflush(stdout);
      });
  if (!failed.empty())
    throw Failure(counted(std::ssize(failed), "agent") + " failed: " + listed(failed));
}

}  // namespace

void add_network_run(CLI::App& parent) {
  auto folder = std::make_shared<std::string>();
  CLI::App* app = parent.add_subcommand(
      "run", "Try a network out: run all its agents on this machine until Ctrl-C");
  add_network_folder(*app, *folder);
  app->callback([folder] { run_network(*folder); });
}

}  // namespace colla::cli
