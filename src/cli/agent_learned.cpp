// SPDX-License-Identifier: Apache-2.0
// `colla agent tasks`, `predict`, `evaluate` and `export`: what an agent has learned, from its
// store, whether it runs or not.
#include "agent/daemon/identity.hpp"
#include "cli/agent_commands.hpp"
#include "cli/model_use.hpp"
#include "cli/options.hpp"
#include "files/text.hpp"
#include "training/state_files.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <memory>

namespace colla::cli {
namespace {

Model model_of(const Home& home, const NetworkedAgent& agent) {
  std::vector<std::string> features = home.network.feature_names;
  if (features.empty()) {
    for (Index k = 1; k <= home.network.columns; ++k) features.push_back(fmt::format("x{}", k));
  }
  if (home.network.intercept) features.emplace_back(intercept_name);
  Model model = make_model("colla", home.network.agent, std::move(features),
                           {{home.agent().name, agent.participant().state()}});
  model.target_column = home.network.target_column;
  return model;
}

NetworkedAgent look(const Home& home) {
  return AgentStore::look(home.folder.string(), identity_of(home));
}

Model model_for(const Home& home, const RowsOptions& rows) {
  Model model = model_of(home, look(home));
  const auto or_else = [](const std::string& given, const std::string& otherwise) {
    return given.empty() ? otherwise : given;
  };
  model.features = features_in(home.network, rows.rows_file,
                               {or_else(rows.target_column, model.target_column),
                                or_else(rows.task_column, model.task_column), model.agent_column});
  return model;
}

struct RowsCommand : AgentCommand {
  RowsOptions rows;
};

struct ExportCommand : AgentCommand {
  std::string model_file;
  std::string state_folder;
};

void write_files(const ExportCommand& command) {
  if (command.model_file.empty() && command.state_folder.empty()) {
    throw OptionError("nothing to write", "", "give --model, --state or both");
  }
  const Home home = read_home(command.home);
  const Model model = model_of(home, look(home));
  if (!command.model_file.empty()) {
    const mode_t before = umask(077);  // it is as secret as the rows
    write_model(command.model_file, model);
    umask(before);
    fmt::print("model: {}\n", command.model_file);
  }
  if (!command.state_folder.empty()) {
    write_state(command.state_folder, model, home.position);
    fmt::print("state: {}\n", command.state_folder);
  }
}

void list_tasks(const AgentCommand& command) {
  const Home home = read_home(command.home);
  const AgentStoreSummary summary = AgentStore::inspect(home.folder.string());
  if (!command.json) {
    fmt::print("{:<28} {:>6} {:>10}\n", "task", "rows", "learned in");
    for (const QueuedTask& task : summary.tasks) {
      fmt::print("{:<28} {:>6} {:>10}\n", printable(task.task), task.rows,
                 task.step == 0 ? "queued" : fmt::format("step {}", task.step));
    }
    return;
  }
  auto list = nlohmann::ordered_json::array();
  for (const QueuedTask& task : summary.tasks) {
    list.push_back({{"task", task.task}, {"rows", task.rows}, {"step", task.step}});
  }
  const nlohmann::ordered_json object = {
      {"closed", summary.closed}, {"steps", summary.steps}, {"tasks", list}};
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void add_agent_predict(CLI::App& agent) {
  auto options = std::make_shared<RowsCommand>();
  CLI::App* app =
      add_agent_command(agent, *options, "predict", "Predict rows with what the agent has learned");
  options->rows.add(*app, false, false);
  app->callback([options] {
    print_predictions(model_for(read_home(options->home), options->rows), options->rows);
  });
}

void add_agent_evaluate(CLI::App& agent) {
  auto options = std::make_shared<RowsCommand>();
  CLI::App* app = add_agent_command(agent, *options, "evaluate",
                                    "Measure the agent on rows with known targets");
  options->rows.add(*app, true, false);
  app->callback([options] {
    print_evaluation(model_for(read_home(options->home), options->rows), options->rows);
  });
}

void add_agent_tasks(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app = add_agent_command(agent, *options, "tasks",
                                    "List the agent's tasks and when it learned them");
  app->add_flag("--json", options->json, "Print one JSON object");
  app->callback([options] { list_tasks(*options); });
}

void add_agent_export(CLI::App& agent) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* app =
      add_agent_command(agent, *options, "export", "Write what the agent has learned to files");
  app->add_option("--model", options->model_file,
                  "A model file, like that of `colla train --model`")
      ->type_name("FILE");
  app->add_option("--state", options->state_folder, "A folder, like that of `colla train --state`")
      ->type_name("DIR");
  app->callback([options] { write_files(*options); });
}

}  // namespace colla::cli
