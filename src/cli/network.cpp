// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "files/sha256.hpp"
#include "files/text.hpp"
#include "roster/home.hpp"
#include "roster/processes.hpp"
#include "roster/provision.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <memory>

namespace colla::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(separator, first), text.size());
    parts.emplace_back(trimmed(std::string_view(text).substr(first, end - first)));
    first = end + 1;
  }
  return parts;
}

void add_days(CLI::App& app, Index& days) {
  add_whole_number(app, "--days", days, 1, authority_days, "Validity of the certificates in days");
}

std::string earliest_end(const std::vector<IssuedHome>& homes) {
  const auto earliest = std::min_element(
      homes.begin(), homes.end(),
      [](const IssuedHome& a, const IssuedHome& b) { return a.not_after < b.not_after; });
  return date_of(earliest->not_after);
}

template <typename Entries>
std::size_t longest_name(const Entries& entries) {
  std::size_t longest = 0;
  for (const auto& entry : entries) longest = std::max(longest, entry.name.size());
  return longest;
}

// --- init

struct InitCommand {
  std::string folder;
  std::string agents;
  std::string features;
  std::string init_file;
  Network network;
  std::string graph;
  bool no_intercept = false;
  Index days = agent_days;
  CLI::App* app = nullptr;

  void add_options();
  void run();

 private:
  void read_agents();
  void read_features();
  std::string read_start();
  void report(const std::vector<IssuedHome>& homes) const;
};

void InitCommand::add_options() {
  add_text(*app, "DIR", folder, "The folder to make; it must be new or empty")
      ->required()
      ->type_name("");
  const char* const group = network_group;
  add_text(*app, "--agents", agents,
           "The agents and their addresses, in the order of the exchanges")
      ->required()
      ->type_name("NAME=HOST:PORT,...")
      ->group(group);
  add_choice<Mode>(
      *app, "--mode", network.mode,
      "open: an agent learns a task whenever it has one; lockstep: every agent learns one "
      "in every step (default open)")
      ->group(group);
  add_graph(*app, graph);
  add_settings(*app, network, in_network_file);
  add_init(*app, init_file)->group(method_group);
  const char* const rows = "Rows";
  add_text(*app, "--features", features, "Number of feature columns, or their names")
      ->required()
      ->type_name("D|NAME,NAME,...")
      ->group(rows);
  add_row_settings(*app, network.target_column, no_intercept, rows);
  add_whole_number(*app, "--minimum-rows", network.minimum_rows, 1, 1'000'000,
                   "Fewest rows that agents learn at a time; neighbours could reconstruct fewer")
      ->group(rows);
  add_days(*app, days);
}

void InitCommand::read_agents() {
  const std::string where = "--agents";
  for (const std::string& part : split(agents, ',')) {
    const std::size_t sign = part.find('=');
    if (sign == std::string::npos) {
      throw OptionError(colla::in_quotes(part) + " is not an agent", where,
                        "give NAME=HOST:PORT for each, with commas between them");
    }
    const RosterAgent agent = {part.substr(0, sign), part.substr(sign + 1)};
    network.agents.push_back(checked_agent(agent, network.agents, where));
  }
}

void InitCommand::read_features() {
  const char* end = features.data() + features.size();
  const auto [stop, error] = std::from_chars(features.data(), end, network.columns);
  const bool is_number = stop == end;
  if (is_number) {
    constexpr Index most = 1'000'000;
    if (error != std::errc() || network.columns < 1 || network.columns > most) {
      throw OptionError(
          "invalid value " + colla::in_quotes(features), "--features",
          fmt::format("give a whole number from 1 to {}, or the features' names with commas",
                      most));
    }
    return;
  }
  network.feature_names = split(features, ',');
  check_feature_names(network.feature_names, network.target_column, "--features");
  network.columns = std::ssize(network.feature_names);
}

// The text of the first dictionary's file, if there is one.
std::string InitCommand::read_start() {
  if (init_file.empty()) return "";
  AgentOptions& agent = network.agent;
  agent.atoms = read_first_dictionary(init_file, agent.features,
                                      app->count("--atoms") > 0 ? agent.atoms : 0, !no_intercept)
                    .cols();
  std::string text = read_text_file(init_file);
  network.start = sha256_of_bytes(text);
  return text;
}

void InitCommand::report(const std::vector<IssuedHome>& homes) const {
  fmt::print("network {}: {}, {}, {}\n\n", network.id, counted(std::ssize(network.agents), "agent"),
             counted(std::ssize(network.edges), "edge"), name_of(network.mode));
  const std::size_t width = fs::path(folder).string().size() + 1 + longest_name(network.agents);
  fmt::print("Copy each folder to its agent's machine, and to no other:\n");
  for (const IssuedHome& home : homes) {
    fmt::print("  {:<{}}  ->  {}\n", home.folder.string(), width, home.agent.address);
  }
  fmt::print(
      "and start it there with `colla agent run --home FOLDER`.\n\n"
      "Keep {} here, and secret: anyone who has it can admit members to the network.\n"
      "Certificates are valid until {}; `colla network renew {}` makes new ones.\n"
      "`colla network run {}` tries the network out on this machine.\n",
      (fs::path(folder) / "authority").string(), earliest_end(homes), folder, folder);
}

void InitCommand::run() {
  read_agents();
  read_features();
  network.intercept = !no_intercept;
  network.agent.features = network.columns + (network.intercept ? 1 : 0);
  const std::string first_dictionary = read_start();
  check_size(network.agent);
  network.edges = choose_edges(graph.empty() ? "line" : graph, std::ssize(network.agents), network);
  network.id = random_network_id();
  report(provision(folder, network, days, std::time(nullptr), first_dictionary));
}

void add_network_init(CLI::App& parent) {
  auto command = std::make_shared<InitCommand>();
  command->app = parent.add_subcommand(
      "init", "Make a network: what its agents agree on, their keys and certificates");
  command->add_options();
  command->app->footer(
      "Example, three clinics in a line:\n"
      "  colla network init clinics --features age,dose,weight --atoms 6 \\\n"
      "    --agents north=north.example.org:7400,south=south.example.org:7400,"
      "west=10.0.3.9:7400\n\n"
      "Neighbours can compute each other's task models and, if tasks are small, rows\n"
      "(docs/privacy.md).");
  command->app->callback([command] { command->run(); });
}

// --- renew

struct RenewCommand {
  std::string folder;
  std::vector<std::string> names;
  Index days = agent_days;

  void run() const {
    const auto homes = renew(folder, names, days, std::time(nullptr));
    fmt::print("Copy agent.crt and agent.key of each folder to its agent's machine:\n");
    for (const IssuedHome& home : homes) {
      fmt::print("  {}  (valid until {})\n", home.folder.string(), date_of(home.not_after));
    }
  }
};

void add_renew(CLI::App& parent) {
  auto command = std::make_shared<RenewCommand>();
  CLI::App* app = parent.add_subcommand("renew", "Give agents new keys and certificates");
  add_text(*app, "DIR", command->folder, "The folder that `colla network init` made")
      ->required()
      ->type_name("");
  app->add_option("NAME", command->names, "The agents (default: all)")->type_name("");
  add_days(*app, command->days);
  app->callback([command] { command->run(); });
}

// --- run

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
  const std::size_t width = std::max(std::string_view("colla").size(), longest_name(programs));
  const auto failed =
      run_together(programs, [width](const std::string& name, const std::string& line) {
        fmt::print("{:<{}} | {}\n", name, width, line);
        std::fflush(stdout);
      });
  if (!failed.empty())
    throw Failure(counted(std::ssize(failed), "agent") + " failed: " + listed(failed));
}

void add_network_run(CLI::App& parent) {
  auto folder = std::make_shared<std::string>();
  CLI::App* app = parent.add_subcommand(
      "run", "Try a network out: run all its agents on this machine until Ctrl-C");
  add_text(*app, "DIR", *folder, "The folder that `colla network init` made")
      ->required()
      ->type_name("");
  app->callback([folder] { run_network(*folder); });
}

}  // namespace

void add_network(CLI::App& program) {
  CLI::App* network =
      program.add_subcommand("network", "Make a network of agents that run on separate machines");
  network->require_subcommand(1);
  add_network_init(*network);
  add_renew(*network);
  add_network_run(*network);
  network->footer(
      "To try three clinics on this machine:\n"
      "  colla network init clinics --features age,dose,weight \\\n"
      "    --agents north=localhost:7401,south=localhost:7402,west=localhost:7403\n"
      "  colla network run clinics");
}

}  // namespace colla::cli
