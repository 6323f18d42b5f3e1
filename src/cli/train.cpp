// SPDX-License-Identifier: Apache-2.0
#include "cli/train.hpp"

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/privacy_choice.hpp"
#include "cli/recipe_reading.hpp"
#include "cli/terminal.hpp"
#include "cli/train_data.hpp"
#include "cli/train_selection.hpp"
#include "data/load_data.hpp"
#include "engine/mpi/mpi.hpp"
#include "experiment/fingerprint.hpp"
#include "experiment/search_ranges.hpp"
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
  RecipeReading recipe;
  SelectionOptions selection;
  PrivacyChoice privacy;
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

  TrainCommand() { training.algorithm = Algorithm::bayes; }
  void add_options();
  void run();

 private:
  void add_method_options();
  void add_network_options();
  void add_data_options();
  void add_result_options();
  bool given(const std::string& option) const { return app->count(option) > 0; }
  bool saves() const { return !model_file.empty() || !state_folder.empty(); }
  void check_options();
  void refuse_other_methods_options() const;
  TrainData load() const;
  DataSet load_numbers() const;
  void check_size(const DataSet& loaded) const;
  void fit_options(const Lesson& lesson);
  void choose_first_dictionary(Index features);
  std::optional<Selection> select_settings(const Lesson& lesson);
  std::string fingerprint(const Lesson& lesson) const;
  TrainingResult learn(const Lesson& lesson, const char* title) const;
  void learn_all(const TrainData& rows, TrainingResult& result);
  void save(const Model& model) const;
};

void TrainCommand::add_method_options() {
  add_choice<Algorithm>(
      *app, "--algorithm", training.algorithm,
      "bayes: agents exchange means and learn what tasks have in common as a prior, nothing to "
      "set; "
      "colla: agents exchange dictionaries; ella: they do not; stl: each task on its own; "
      "go-mtl: all tasks at one agent; offline-colla: the network, all tasks at once "
      "(default bayes)")
      ->group(method_group);
  add_init(*app, init_file)->group(method_group);
  selection.add_to(*app);
  app->add_flag(
         "--penalise-intercept", training.penalise_intercept,
         "Single-task learning penalises the intercept like the other coefficients, as in the "
         "paper")
      ->group(method_group);
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
  privacy.add_to(*app, group);
}

void TrainCommand::add_data_options() {
  const char* const group = "Data";
  add_choice<Problem>(*app, "--problem", reading.problem,
                      "Kind of targets (default: as they look; `colla data describe` says)")
      ->group(group);
  add_text(*app, "--task-column", reading.task_column, "The column that names a row's task")
      ->group(group);
  add_text(*app, "--agent-column", reading.agent_column,
           "The column that names a row's agent; may be absent")
      ->group(group);
  add_row_settings(*app, reading.target_column, no_intercept, group);
  add_data_folder(*app, reading.data_folder)->group(group);
  add_fraction(*app, "--test-fraction", training.test_fraction,
               "Fraction of each task's rows held out to measure; 0: nothing is measured. What is "
               "written is trained on all rows")
      ->group(group);
  recipe.add_to(*app, "Preparation of CSV files", RecipeOption::taken);
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
                  "A CSV file (header, one row per sample, as it is), a MAT file of cell arrays, "
                  "or the name "
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
  reading.classes = classes_for(training.algorithm);
  recipe.prepare_for(training.algorithm);
  training.has_given_refresh = given("--refresh");
  selection.check(*app);
  check_threads(*app, engine, training.network.threads);
  if (engine == EngineKind::mpi) training.make_engine = make_mpi_engine;
  if (graph.empty()) graph = uses_graph(training.algorithm) ? "line" : "none";
  if (!uses_graph(training.algorithm) && graph != "none") {
    throw OptionError(name_of(training.algorithm) + " does not use a graph", "--graph",
                      "leave it out, or use --algorithm colla");
  }
  if (training.algorithm == Algorithm::bayes) refuse_other_methods_options();
  training.privacy = privacy.chosen();
  if (training.privacy && engine == EngineKind::mpi) {
    throw OptionError("is for agents in one process", "--privacy", "leave out --engine mpi");
  }
  if (training.privacy && training.algorithm != Algorithm::bayes) {
    throw OptionError(name_of(training.algorithm) + " has none", "--privacy",
                      "leave it out, or use --algorithm bayes");
  }
  if (!model_file.empty()) check_model_path(model_file);
  if (!state_folder.empty()) check_state_folder(state_folder);
}

// Of methods with a dictionary.
void TrainCommand::refuse_other_methods_options() const {
  refuse_settings_without_prior(*app, on_command_line);
  for (const char* option : {"--state", "--diagnose"}) {
    if (given(option)) throw OptionError("bayes has no dictionary", option, instead_of_bayes);
  }
  if (given("--select")) {
    throw OptionError("bayes has nothing to select", "--select", instead_of_bayes);
  }
}

void TrainCommand::check_size(const DataSet& loaded) const {
  AgentOptions agent = training.network.agent;
  agent.features = static_cast<Index>(loaded.features.size());
  check_memory(agent, loaded);
  check_edge_memory(agent, count_edges(graph, std::ssize(loaded.agents)));
}

void TrainCommand::choose_first_dictionary(Index features) {
  AgentOptions& agent = training.network.agent;
  training.first_dictionary =
      read_first_dictionary(init_file, features, given("--atoms") ? agent.atoms : 0, !no_intercept);
  agent.atoms = training.first_dictionary->cols();
}

// Numbers that are used as they are.
DataSet TrainCommand::load_numbers() const {
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
  return loaded;
}

TrainData TrainCommand::load() const {
  if (!recipe.prepares(data)) return TrainData(load_numbers());
  return {recipe.read(data, reading, reading.agents), !no_intercept};
}

// What depends on the number of agents and features.
void TrainCommand::fit_options(const Lesson& lesson) {
  if (!init_file.empty()) choose_first_dictionary(lesson.features());
  const DataSet tasks = lesson.tasks().train;
  check_size(tasks);
  training.edges = choose_edges(graph, static_cast<Index>(tasks.agents.size()), training.network);
}

// Every rank chooses the same. Each task on its own gets its own best penalty.
std::optional<Selection> TrainCommand::select_settings(const Lesson& lesson) {
  if (!selection.is_wanted) return std::nullopt;
  FixedParameters fixed = given_settings(*app, training.network);
  Index& atoms = training.network.agent.atoms;
  if (!init_file.empty()) fixed["atoms"] = static_cast<double>(atoms);
  if (training.edges.empty()) fixed["rho"] = training.network.rho;  // it would change nothing
  if (!fixed["atoms"] && has_dictionary(training.algorithm)) {
    const DataSet tasks = lesson.tasks().train;
    atoms = static_cast<Index>(ranges_for(tasks)["atoms"].high);
    check_size(tasks);
  }
  Selection chosen = choose_settings(lesson, training, fixed, selection.candidates);
  if (has_dictionary(training.algorithm) && !fixed["gamma"]) {
    TrainingOptions alone = training;
    alone.algorithm = Algorithm::stl;
    training.gamma_alone =
        choose_settings(lesson, alone, {}, selection.candidates).settings["gamma"];
  }
  chosen.settings.apply_to(training.network);
  return chosen;
}

// What all ranks must have read the same.
std::string TrainCommand::fingerprint(const Lesson& lesson) const {
  std::string text = lesson.fingerprint();
  for (const Edge& edge : training.edges) text += fmt::format(" {}-{}", edge.i, edge.j);
  if (const auto& first = training.first_dictionary) {
    text +=
        fingerprint_of(std::string_view(reinterpret_cast<const char*>(first->data()),
                                        static_cast<std::size_t>(first->size()) * sizeof(double)));
  }
  return text;
}

TrainingResult TrainCommand::learn(const Lesson& lesson, const char* title) const {
  ProgressBar bar(title);
  return lesson.learn(training,
                      [&bar](const StepReport& report) { bar.show(report.step, report.steps); });
}

// The model that is written, in place of the one that was measured.
void TrainCommand::learn_all(const TrainData& rows, TrainingResult& result) {
  const Lesson all = rows.lesson(0.0, training.network.agent.seed);
  fit_options(all);
  training.diagnose = false;
  training.keep = model_file.empty() ? Keep::state : Keep::models;
  TrainingResult learned = learn(all, "learning all rows");
  result.model = std::move(learned.model);
}

void TrainCommand::save(const Model& model) const {
  if (!state_folder.empty()) write_state(state_folder, model);
  if (!model_file.empty()) write_model(model_file, model);
}

void TrainCommand::run() {
  check_options();
  const TrainData rows = load();
  const Lesson lesson = rows.lesson(training.test_fraction, training.network.agent.seed);
  fit_options(lesson);
  const bool is_first = ranks == nullptr || ranks->is_first();
  if (!is_first && !runs_agents(training.algorithm)) return;
  if (ranks != nullptr && runs_agents(training.algorithm)) {
    check_agreement(*ranks, fingerprint(lesson));
  }
  const bool is_measured = training.test_fraction > 0.0;
  const bool is_saved_later = is_measured && saves();
  if (is_saved_later || !saves()) {
    training.keep = Keep::scores;
  } else {
    training.keep = model_file.empty() ? Keep::state : Keep::models;
  }
  const std::optional<Selection> selected = select_settings(lesson);
  const TrainingOptions measured_with = training;
  const auto start = std::chrono::steady_clock::now();
  TrainingResult result = learn(lesson, "learning");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (is_saved_later) learn_all(rows, result);
  if (!is_first) return;
  if (lesson.recipe() == nullptr) {
    result.model.task_column = reading.task_column;
    result.model.agent_column = reading.agent_column;
    result.model.target_column = reading.target_column;
  }
  save(result.model);
  const TrainReport report{rows.name(),   rows.form(),
                           rows.counts(), measured_with,
                           result,        lesson.recipe(),
                           graph,         lesson.features(),
                           !no_intercept, elapsed.count(),
                           selected,      lesson.recipe() != nullptr && !given("--recipe")};
  if (json) {
    print_train_json(report);
    return;
  }
  print_train_table(report);
  const std::string trained_on =
      fmt::format("trained on all {}", counted(static_cast<long>(report.counts.rows), "row"));
  if (!model_file.empty()) fmt::print("model: {}, {}\n", printable(model_file), trained_on);
  if (!state_folder.empty()) fmt::print("state: {}, {}\n", printable(state_folder), trained_on);
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
      "  colla train pupils.csv --task-column school --target-column score --model pupils.colla\n"
      "  colla train rows.csv --drop id,date --words zip\n"
      "  colla train rows.csv --algorithm colla --select --model rows.colla\n"
      "  colla train synthetic-regression --algorithm colla --agents 5 --graph ring --diagnose\n"
      "  colla train london-schools --data-dir data --graph complete\n"
      "  mpirun -n 4 colla train rows.csv --agents 64 --graph random --engine mpi");
  command->app->callback([command] { command->run(); });
}

}  // namespace colla::cli
