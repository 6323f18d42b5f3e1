// SPDX-License-Identifier: Apache-2.0
// `colla agent learn`, `close` and `status`: requests to a running agent.
#include "agent/daemon/control_client.hpp"
#include "cli/agent_commands.hpp"
#include "cli/model_use.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace colla::cli {
namespace {

using Json = nlohmann::ordered_json;

struct LearnCommand : AgentCommand {
  std::string rows_file;
  std::string task;
  std::string target_column;
  bool append = false;
  bool wait = false;
};

TaskRows read_task(const Home& home, const std::string& file, const std::string& task,
                   const std::string& target_column) {
  const Network& network = home.network;
  RowColumns columns;
  columns.features = features_in(network, file, {target_column});
  columns.problem = network.agent.problem;
  columns.task = task;
  columns.agent = "";
  columns.target_column = target_column;
  Rows rows = read_rows(file, columns);
  return {task, std::move(rows.X), std::move(rows.y)};
}

void tell_why_it_waits(ControlClient& client) {
  try {
    for (const auto& line : Json::parse(client.status())["waiting"]) {
      fmt::print(stderr, "{}\n", printable(line.get<std::string>()));
    }
  } catch (const NetworkError& error) {  // it is computing
    fmt::print(stderr, "{}\n", printable(error.what()));
  }
}

void learn(const LearnCommand& command) {
  const Home home = read_home(command.home);
  if (command.task.empty()) throw OptionError("is empty", "--task", "give a name");
  check_text(command.task, "--task");
  const std::string& target =
      command.target_column.empty() ? home.network.target_column : command.target_column;
  check_feature_names(home.network.feature_names, target, "--target-column");
  TaskRows rows = read_task(home, command.rows_file, command.task, target);
  if (command.append) rows.revisit = Revisit::append;
  ControlClient client(home.folder);
  const auto queued = [&] {
    fmt::print("queued: {} ({})\n", printable(command.task), counted(rows.X.rows(), "row"));
    std::fflush(stdout);
  };
  const std::uint64_t step =
      client.learn(rows, command.wait, queued, [&client] { tell_why_it_waits(client); });
  if (command.wait) fmt::print("learned: {} in step {}\n", printable(command.task), step);
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

void print_status(const Json& status) {
  fmt::print("{} ({} mode, network {})\n", status["agent"].get<std::string>(),
             status["mode"].get<std::string>(), status["network"].get<std::string>().substr(0, 8));
  fmt::print("  steps {}, tasks {}, queued {}{}\n", status["steps"].get<std::uint64_t>(),
             status["tasks"].get<std::uint64_t>(), status["queued"].get<std::int64_t>(),
             status["closed"].get<bool>() ? ", closed" : "");
  for (const auto& line : status["waiting"])
    fmt::print("  {}\n", printable(line.get<std::string>()));
  for (const auto& neighbour : status["neighbours"]) {
    const bool connected = neighbour["connected"].get<bool>();
    const std::string reason = printable(neighbour["reason"].get<std::string>());
    fmt::print("  {:<20} {} for {:.0f} s{}\n", neighbour["name"].get<std::string>(),
               connected ? "connected" : "not connected", neighbour["seconds"].get<double>(),
               connected ? "" : ": " + reason);
    const auto probes = neighbour["probes"].get<std::uint64_t>();
    if (probes > 0) {
      fmt::print("    {} of its dictionaries grew as no honest agent's can; it may be probing\n",
                 probes);
    }
  }
  const auto disagreements = status["disagreements"].get<std::uint64_t>();
  if (disagreements > 0) {
    fmt::print(
        "  {} time(s) a dictionary that was computed again differed from what had been sent: "
        "another type of processor, or an older copy of a store?\n",
        disagreements);
  }
  print_agent_numerics(status["numerics"]);
}

}  // namespace

void add_agent_learn(CLI::App& agent) {
  auto options = std::make_shared<LearnCommand>();
  CLI::App* app = add_agent_command(agent, *options, "learn", "Give the running agent a task");
  app->add_option(
         "ROWS", options->rows_file,
         "A CSV file with a header: the network's features and the target, one row per sample")
      ->required()
      ->type_name("");
  app->add_option("--task", options->task, "The task's name; a known task is learned again")
      ->required()
      ->type_name("NAME");
  app->add_option("--target-column", options->target_column,
                  "The column to predict (default: the network's)")
      ->type_name("NAME");
  app->add_flag("--append", options->append,
                "Add the rows to the task's old ones instead of replacing them");
  app->add_flag("--wait", options->wait,
                "Return when the task is learned, not when it is safely queued");
  app->footer(
      "The rows are not sent to anyone. But from what is sent, a neighbour can compute the "
      "task's\n"
      "model and, if rows are few, the rows (docs/privacy.md). The home keeps the model and the\n"
      "weight matrix of a learned task, which reveal the same: keep it as secret as rows.");
  app->callback([options] { learn(*options); });
}

void add_agent_close(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app = add_agent_command(agent, *options, "close",
                                    "Tell the running agent that no more tasks will come");
  app->footer(
      "It keeps exchanging with the others. In lockstep they no longer wait for its tasks.");
  app->callback([options] {
    ControlClient(options->home).close();
    fmt::print("closed\n");
  });
}

void add_agent_status(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app = add_agent_command(
      agent, *options, "status", "Show what the running agent is doing and what it is waiting for");
  app->add_flag("--json", options->json, "Print one JSON object");
  app->footer(
      "Numerics count fits that stalled, and codes and solves that did not converge, since the "
      "agent's\n"
      "start; a restart counts from 0.");
  app->callback([options] {
    const std::string status = ControlClient(options->home).status();
    if (options->json) {
      fmt::print("{}\n", status);
    } else {
      print_status(Json::parse(status));
    }
  });
}

}  // namespace colla::cli
