// SPDX-License-Identifier: Apache-2.0
// `colla agent forget`, `close`, `reopen` and `status`: requests to a running agent.
#include "agent/daemon/control_client.hpp"
#include "cli/agent_commands.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace colla::cli {

using Json = nlohmann::ordered_json;

void tell_why_it_waits(ControlClient& client) {
  try {
    for (const auto& line : Json::parse(client.status())["waiting"]) {
      fmt::print(stderr, "{}\n", printable(line.get<std::string>()));
    }
  } catch (const NetworkError& error) {  // it is computing
    fmt::print(stderr, "{}\n", printable(error.what()));
  }
}

namespace {

struct ForgetCommand : AgentCommand {
  std::string task;
  bool wait = false;
};

void forget(const ForgetCommand& command) {
  ControlClient client(command.home);
  const bool is_living = read_home(command.home).network.mode == Mode::living;
  const std::int64_t request = client.forget(command.task);
  fmt::print("{} {}\n", is_living ? "forgotten:" : "queued: forget", printable(command.task));
  if (is_living || !command.wait) return;
  std::fflush(stdout);
  const std::uint64_t step = client.wait(request, [&client] { tell_why_it_waits(client); });
  fmt::print("forgotten: {} in step {}\n", printable(command.task), step);
}

// Of the agent's process: its store does not hold them.
void print_agent_numerics(const Json& counts) {
  Numerics numerics;
  for (const NumericsCount& count : numerics_counts) {
    numerics.*count.of = counts[count.name].get<std::int64_t>();
  }
  if (!numerics.are_clean()) {
    fmt::print("  numerics since the agent's start: {}\n", to_string(numerics));
  }
}

void print_steps(const Json& status) {
  fmt::print("  steps {}, tasks {}, queued {}{}\n", status["steps"].get<std::uint64_t>(),
             status["tasks"].get<std::uint64_t>(), status["queued"].get<std::int64_t>(),
             status["closed"].get<bool>() ? ", closed" : "");
  for (const auto& line : status["waiting"])
    fmt::print("  {}\n", printable(line.get<std::string>()));
}

void print_life(const Json& status) {
  fmt::print("  roster {}, tasks {}\n", status["version"].get<std::uint64_t>(),
             status["tasks"].get<std::uint64_t>());
  fmt::print("  {}\n", printable(status["agreement"].get<std::string>()));
  const auto lost = status["lost_requests"].get<std::string>();
  if (!lost.empty()) {
    fmt::print("  restored from an older copy: requests {} are missing; learn their tasks again\n",
               lost);
  }
  const auto refusal = status["roster_refusal"].get<std::string>();  // none once a newer one came
  if (!refusal.empty()) {
    fmt::print("  {} refused: {}\n", counted(status["rosters_refused"].get<long>(), "roster"),
               printable(refusal));
  }
}

void print_neighbour(const Json& neighbour) {
  const bool connected = neighbour["connected"].get<bool>();
  const std::string reason = printable(neighbour["reason"].get<std::string>());
  fmt::print("  {:<20} {} for {}{}\n", neighbour["name"].get<std::string>(),
             connected ? "connected" : "not connected",
             duration(neighbour["seconds"].get<double>()), connected ? "" : ": " + reason);
}

void print_probes(const Json& neighbour, const char* what) {
  const auto probes = neighbour["probes"].get<std::uint64_t>();
  if (probes == 0) return;
  fmt::print("    {} of its {} grew as no honest agent's can; it may be probing\n", probes, what);
}

// Of an agent that lives.
void print_presence(const Json& neighbour) {
  const bool is_here = neighbour["connected"].get<bool>();
  const bool was_here = neighbour["was_connected"].get<bool>();
  fmt::print("  {} is {} for {}{}{}\n", neighbour["name"].get<std::string>(),
             is_here ? "connected" : "away", duration(neighbour["seconds"].get<double>()),
             is_here || was_here ? "" : ", since this agent started",
             is_here ? "" : ": " + printable(neighbour["reason"].get<std::string>()));
}

// What of a neighbour is out of the ordinary.
void print_oddities(const Json& neighbour, const Json& version) {
  if (neighbour["version"] != version && neighbour["version"] != 0) {
    fmt::print("    has roster {}, here is {}; the newer one is told when they meet\n",
               neighbour["version"].get<std::uint64_t>(), version.get<std::uint64_t>());
  }
  const auto refused = neighbour["refused_frames"].get<std::uint64_t>();
  if (refused > 0) {
    fmt::print("    {} of its messages were refused: no honest agent sends them\n", refused);
  }
  if (neighbour["copies"].get<bool>()) {
    fmt::print("    two copies of its home run at the same time; one must stop\n");
  }
}

void print_disagreements(const Json& status, const char* what) {
  const auto disagreements = status["disagreements"].get<std::uint64_t>();
  if (disagreements == 0) return;
  fmt::print(
      "  {} time(s) {} computed again differed from what had been sent: "
      "another type of processor, or an older copy of a store?\n",
      disagreements, what);
}

bool wants_help(const Json& status) {
  const auto& neighbours = status["neighbours"];
  return !status["roster_refusal"].get<std::string>().empty() ||
         std::any_of(neighbours.begin(), neighbours.end(),
                     [](const Json& neighbour) { return !neighbour["connected"].get<bool>(); });
}

void print_status(const Json& status, const std::string& home) {
  const std::string algorithm = status["algorithm"].get<std::string>();
  const std::string mode = status["mode"].get<std::string>();
  const bool has_means = algorithm == name_of(AgentAlgorithm::bayes);
  const bool is_living = mode == name_of(Mode::living);
  fmt::print("{} ({}, {} mode, network {})\n", status["agent"].get<std::string>(), algorithm, mode,
             status["network"].get<std::string>().substr(0, 8));
  is_living ? print_life(status) : print_steps(status);
  for (const auto& neighbour : status["neighbours"]) {
    if (is_living) {
      print_presence(neighbour);
      print_oddities(neighbour, status["version"]);
    } else {
      print_neighbour(neighbour);
      print_probes(neighbour, has_means ? "means" : "dictionaries");
    }
  }
  if (!is_living) print_disagreements(status, has_means ? "means" : "a dictionary");
  print_agent_numerics(status["numerics"]);
  if (is_living && wants_help(status)) {
    fmt::print("`colla doctor --home {}` says what would help\n", home);
  }
}

}  // namespace

void add_agent_forget(CLI::App& agent) {
  auto options = std::make_shared<ForgetCommand>();
  CLI::App* app =
      add_agent_command(agent, *options, "forget", "Let the running agent forget a task");
  add_text(*app, "TASK", options->task, "The task's name")->required()->type_name("");
  app->add_flag(
      "--wait", options->wait,
      "Return when the task is forgotten, not when the request is safely queued; a living "
      "agent forgets at once");
  app->footer(
      "From then on nothing that the agent sends is computed from the task, and its model is\n"
      "deleted from the home. In a living network this happens at once, and the task's influence\n"
      "on the others fades; in lockstep it takes a step, as learning does. What neighbours have\n"
      "received before stays with them (docs/privacy.md).");
  app->callback([options] { forget(*options); });
}

void add_agent_close(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app = add_agent_command(
      agent, *options, "close", "In lockstep: tell the running agent that no more tasks will come");
  app->footer(
      "It keeps exchanging with the others. They no longer wait for its tasks.\n"
      "`colla agent reopen` undoes it.");
  app->callback([options] {
    ControlClient(options->home).close();
    fmt::print("closed; `colla agent reopen` undoes it\n");
  });
}

void add_agent_reopen(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app =
      add_agent_command(agent, *options, "reopen",
                        "In lockstep: tell the running agent that tasks will come after all");
  app->footer("It undoes `colla agent close`. The others wait for its tasks again.");
  app->callback([options] {
    ControlClient(options->home).reopen();
    fmt::print("open\n");
  });
}

void add_agent_update(CLI::App& agent) {
  struct Options : AgentCommand {
    std::string roster_file;
  };
  auto options = std::make_shared<Options>();
  CLI::App* app = add_agent_command(agent, *options, "update",
                                    "Hand the running agent a newer network.toml, for all agents");
  add_text(*app, "FILE", options->roster_file, "The network.toml that `colla network` wrote")
      ->required()
      ->type_name("");
  app->footer(
      "Agents of a living network pass the newest one on: it is enough to give it to one of them.\n"
      "Only the network's authority can make one.");
  app->callback([options] {
    const std::string roster = read_text_file(options->roster_file);
    fmt::print("{}\n", printable(ControlClient(options->home).update(roster)));
  });
}

void add_agent_status(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app = add_agent_command(agent, *options, "status",
                                    "Show what the running agent is doing, and who is away");
  app->add_flag("--json", options->json, "Print one JSON object");
  app->footer(
      "In a living network it says how far the neighbours are from agreement, relative to what "
      "they\n"
      "know, and who has yet to hear the newest.\n"
      "Numerics count fits that stalled, and codes and solves that did not converge, since the "
      "agent's\n"
      "start; a restart counts from 0.");
  app->callback([options] {
    const std::string status = ControlClient(options->home).status();
    if (options->json) {
      fmt::print("{}\n", status);
    } else {
      print_status(Json::parse(status), options->home);
    }
  });
}

}  // namespace colla::cli
