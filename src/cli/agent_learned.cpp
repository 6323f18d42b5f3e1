// SPDX-License-Identifier: Apache-2.0
// `colla agent predict`, `evaluate` and `export`: what an agent has learned, from its
// store, whether it runs or not.
#include "agent/daemon/identity.hpp"
#include "cli/agent_commands.hpp"
#include "cli/model_use.hpp"
#include "cli/options.hpp"
#include "training/state_files.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <sys/stat.h>

#include <memory>

namespace colla::cli {

Model model_of(const Home& home, const AgentState& state) {
  Model model = make_model(name_of(algorithm_of(home.network)), home.network.agent,
                           feature_names_of(home), {{home.agent().name, state}});
  model.target_column = home.network.target_column;
  if (home.recipe) {
    model.task_column = home.recipe->task_column;
    model.agent_column = home.recipe->agent_column;
    model.recipe = home.recipe;
  }
  return model;
}

namespace {

Model model_for(const Home& home, const RowsOptions& rows) {
  Model model = model_of(home, look_at_state(home));
  if (model.recipe) {
    model.agent_column = "";  // all rows are this agent's, however the table calls it
    return model;
  }
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
  if (home.network.agent.prior && !command.state_folder.empty()) {
    throw OptionError("bayes has no dictionary", "--state", "give --model instead");
  }
  const Model model = model_of(home, look_at_state(home));
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

}  // namespace

void add_agent_predict(CLI::App& agent) {
  auto options = std::make_shared<RowsCommand>();
  CLI::App* app =
      add_agent_command(agent, *options, "predict", "Predict rows with what the agent has learned");
  options->rows.add(*app, false, false);
  options->rows.add_interval();
  app->footer(
      "A network of bayes predicts tasks without rows too, by what tasks have in common, and says "
      "so.");
  app->callback([options] {
    print_predictions(model_for(read_home(options->home), options->rows), options->rows);
  });
}

void add_agent_evaluate(CLI::App& agent) {
  auto options = std::make_shared<RowsCommand>();
  CLI::App* app = add_agent_command(agent, *options, "evaluate",
                                    "Measure the agent on rows with known targets");
  options->rows.add(*app, true, false);
  app->footer(
      "The last line measures each task's own model, learned without others, on the same rows.\n"
      "On the rows that a task was learned from, its own model always looks good: give others.");
  app->callback([options] {
    print_comparison(model_for(read_home(options->home), options->rows), options->rows);
  });
}

void add_agent_export(CLI::App& agent) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* app =
      add_agent_command(agent, *options, "export", "Write what the agent has learned to files");
  app->add_option("--model", options->model_file,
                  "A model file, like that of `colla train --model`")
      ->type_name("FILE");
  app->add_option("--state", options->state_folder,
                  "A folder, like that of `colla train --state`; not of bayes")
      ->type_name("DIR");
  app->callback([options] { write_files(*options); });
}

}  // namespace colla::cli
