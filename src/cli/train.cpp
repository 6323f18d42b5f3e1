// SPDX-License-Identifier: Apache-2.0
#include "cli/train.hpp"

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "data/load_data.hpp"
#include "engine/mpi/mpi.hpp"
#include "experiment/fingerprint.hpp"
#include "files/text.hpp"
#include "training/memory.hpp"
#include "training/state_files.hpp"

#include <fmt/core.h>

#include <chrono>
#include <memory>

namespace colla::cli {
namespace {

struct TrainCommand {
  std::string data;
  TrainingOptions training;
  ReadOptions reading;
  bool no_intercept = false;
  Index agents = 1;
  std::string graph;
  EngineKind engine = EngineKind::inprocess;
  std::string init_file;
  std::string model_file;
  std::string state_folder;
  bool json = false;
  CLI::App* app = nullptr;
  Ranks* ranks = nullptr;

  void add_options();
  void run();

 private:
  void add_method_options();
  void add_network_options();
  void add_data_options();
  void add_result_options();
  bool given(const std::string& option) const { return app->count(option) > 0; }
  void check_options();
  DataSet load();
  void check_size(const DataSet& loaded) const;
  void choose_first_dictionary(const DataSet& loaded);
  std::string fingerprint(const DataSet& loaded) const;
};

void TrainCommand::add_method_options() {
  add_choice<Algorithm>(
      *app, "--algorithm", training.algorithm,
      "colla: agents exchange dictionaries; ella: they do not; stl: each task on its own; "
      "go-mtl: all tasks at one agent; offline-colla: the network, all tasks at once "
      "(default colla)")
      ->group(method_group);
  add_init(*app, init_file)->group(method_group);
}

void TrainCommand::add_network_options() {
  const char* const group = network_group;
  add_whole_number(*app, "--agents", agents, 1, 1'000'000,
                   "Deal the tasks to N agents in turn, if DATA has no agent column; registered "
                   "sets have their own default")
      ->group(group);
  add_graph(*app, graph);
  add_settings(*app, training.network, on_command_line);
  app->add_flag("--order-by-colour", training.order_by_colour,
                "Exchange in the order of a colouring of the graph: shorter waits, other iterates")
      ->group(group);
  add_engine(*app, engine, "agents")->group(group);
}

void TrainCommand::add_data_options() {
  const char* const group = "Data";
  add_choice<Problem>(*app, "--problem", reading.problem,
                      "Kind of targets (default: classification if they are labels)")
      ->group(group);
  add_text(*app, "--task-column", reading.task_column, "The column that names a row's task")
      ->group(group);
  add_text(*app, "--agent-column", reading.agent_column,
           "The column that names a row's agent; may be absent")
      ->group(group);
  add_row_settings(*app, reading.target_column, no_intercept, group);
  add_data_folder(*app, reading.data_folder)->group(group);
  add_fraction(*app, "--test-fraction", training.test_fraction,
               "Fraction of each task's rows kept for testing; 0 trains on all")
      ->group(group);
}

void TrainCommand::add_result_options() {
  const char* const group = "Results";
  add_text(*app, "--model", model_file, "Write the trained models, for predict and evaluate")
      ->type_name("OUT")
      ->group(group);
  add_text(*app, "--state", state_folder, "Write dictionaries, duals and codes as CSV files")
      ->type_name("DIR")
      ->group(group);
  app->add_flag("--json", json, "Print one JSON object instead of a table")->group(group);
  app->add_flag("--diagnose", training.diagnose,
                "Also report condition numbers, Theorem 1's bound on rho, changes and shared atoms")
      ->group(group);
}

void TrainCommand::add_options() {
  app->add_option("DATA", data,
                  "A CSV file (header, one row per sample), a MAT file of cell arrays, or the name "
                  "of a registered set (`colla data list`)")
      ->required()
      ->type_name("");
  add_method_options();
  add_network_options();
  add_data_options();
  add_result_options();
}

void TrainCommand::check_options() {
  reading.agent_column_required = given("--agent-column");
  if (given("--agents")) reading.agents = agents;
  check_threads(*app, engine, training.network.threads);
  if (engine == EngineKind::mpi) training.make_engine = make_mpi_engine;
  if (model_file.empty()) training.keep = state_folder.empty() ? Keep::scores : Keep::state;
  if (graph.empty()) graph = uses_graph(training.algorithm) ? "line" : "none";
  if (!uses_graph(training.algorithm) && graph != "none") {
    throw OptionError(name_of(training.algorithm) + " does not use a graph", "--graph",
                      "leave it out, or use --algorithm colla");
  }
  if (!model_file.empty()) check_model_path(model_file);
  if (!state_folder.empty()) check_state_folder(state_folder);
}

void TrainCommand::check_size(const DataSet& loaded) const {
  AgentOptions agent = training.network.agent;
  agent.features = static_cast<Index>(loaded.features.size());
  check_memory(agent, loaded);
  check_edge_memory(agent, count_edges(graph, std::ssize(loaded.agents)));
}

void TrainCommand::choose_first_dictionary(const DataSet& loaded) {
  AgentOptions& agent = training.network.agent;
  training.first_dictionary = read_first_dictionary(
      init_file, std::ssize(loaded.features), given("--atoms") ? agent.atoms : 0, !no_intercept);
  agent.atoms = training.first_dictionary->cols();
}

DataSet TrainCommand::load() {
  DataSet loaded = load_data(data, reading, training.network.agent.seed);
  const auto present = static_cast<Index>(loaded.agents.size());
  if (present > 1 && given("--agents") && agents != present) {
    throw OptionError(fmt::format("{} given, and the data has {} agents", agents, present),
                      "--agents", "leave it out");
  }
  if (present == 1 && agents > 1) loaded = deal(std::move(loaded), agents);
  if (no_intercept) {
    drop_intercept(loaded);
  } else {
    add_intercept(loaded);
  }
  if (!init_file.empty()) choose_first_dictionary(loaded);
  check_size(loaded);
  training.edges = choose_edges(graph, static_cast<Index>(loaded.agents.size()), training.network);
  return loaded;
}

// What all ranks must have read the same.
std::string TrainCommand::fingerprint(const DataSet& loaded) const {
  std::string text = fingerprint_of(loaded);
  for (const Edge& edge : training.edges) text += fmt::format(" {}-{}", edge.i, edge.j);
  if (const auto& first = training.first_dictionary) {
    text +=
        fingerprint_of(std::string_view(reinterpret_cast<const char*>(first->data()),
                                        static_cast<std::size_t>(first->size()) * sizeof(double)));
  }
  return text;
}

void TrainCommand::run() {
  check_options();
  const DataSet loaded = load();
  const bool is_first = ranks == nullptr || ranks->is_first();
  if (!is_first && !runs_agents(training.algorithm)) return;
  if (ranks != nullptr && runs_agents(training.algorithm)) {
    check_agreement(*ranks, fingerprint(loaded));
  }
  const auto start = std::chrono::steady_clock::now();
  TrainingResult result;
  {
    ProgressBar bar("learning");
    result = train(loaded, training,
                   [&bar](const StepReport& report) { bar.show(report.step, report.steps); });
  }
  if (!is_first) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  result.model.task_column = reading.task_column;
  result.model.agent_column = reading.agent_column;
  result.model.target_column = reading.target_column;
  if (!state_folder.empty()) write_state(state_folder, result.model);
  if (!model_file.empty()) write_model(model_file, result.model);

  const TrainReport report{loaded, training, result, graph, !no_intercept, elapsed.count()};
  if (json) {
    print_train_json(report);
    return;
  }
  print_train_table(report);
  if (!model_file.empty()) fmt::print("model: {}\n", printable(model_file));
  if (!state_folder.empty()) fmt::print("state: {}\n", printable(state_folder));
}

}  // namespace

void add_train(CLI::App& program, Ranks* ranks) {
  auto command = std::make_shared<TrainCommand>();
  command->ranks = ranks;
  command->app = program.add_subcommand(
      "train", "Learn the tasks of a data set one after another and test them");
  command->add_options();
  command->app->footer(
      "Examples:\n"
      "  colla train rows.csv --atoms 6 --model rows.colla\n"
      "  colla train synthetic-regression --agents 5 --graph ring --diagnose\n"
      "  colla train london-schools --data-dir data --graph complete\n"
      "  mpirun -n 4 colla train rows.csv --agents 64 --graph random --engine mpi");
  command->app->callback([command] { command->run(); });
}

}  // namespace colla::cli
