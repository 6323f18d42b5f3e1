// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/names.hpp"
#include "cli/terminal.hpp"
#include "data/catalogue.hpp"
#include "experiment/measures.hpp"
#include "experiment/state_files.hpp"
#include "experiment/training.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <memory>

namespace colla::cli {
namespace {

struct TrainCommand {
  std::string data;
  TrainingOptions training;
  ReadOptions reading;
  Problem problem = Problem::regression;
  bool no_intercept = false;
  long atoms = 4;
  long agents = 1;
  std::string graph = "none";
  double rho = 1.0;
  std::string iterations = "10";
  std::string init_file;
  std::string model_file;
  std::string state_folder;
  bool json = false;
  CLI::App* app = nullptr;

  void add_options();
  void run();

 private:
  void check_options();
  DataSet load();
  void print_table(const DataSet& loaded, const TrainingResult& result, double seconds) const;
  void print_json(const DataSet& loaded, const TrainingResult& result, double seconds) const;
};

void TrainCommand::add_options() {
  AgentOptions& agent = training.agent;
  app->add_option("DATA", data,
                  "A CSV file (header, one row per sample), a MAT file of cell arrays, or the name "
                  "of a built-in set (`colla data list`)")
      ->required()
      ->type_name("");

  app->add_option("--algorithm", training.algorithm,
                  "ella: tasks share a dictionary; stl: every task for itself")
      ->transform(CLI::CheckedTransformer(algorithm_names).description(""))
      ->type_name(choices(algorithm_names))
      ->default_str("ella")
      ->group("Method");
  app->add_option("--atoms", atoms, "u, atoms of the dictionary")
      ->type_name("U")
      ->capture_default_str()
      ->group("Method");
  app->add_option("--lambda", agent.lambda, "Penalty on the dictionary's size")
      ->type_name("X")
      ->capture_default_str()
      ->group("Method");
  app->add_option("--mu", agent.mu, "Penalty on a code's size; larger gives sparser codes")
      ->type_name("X")
      ->capture_default_str()
      ->group("Method");
  app->add_option("--gamma", agent.gamma, "Ridge penalty of the single-task learner")
      ->type_name("X")
      ->capture_default_str()
      ->group("Method");
  app->add_option(
         "--codes", agent.codes,
         "Models use the code on the newest dictionary, or the one from the task's arrival")
      ->transform(CLI::CheckedTransformer(codes_names).description(""))
      ->type_name(choices(codes_names))
      ->default_str("fresh")
      ->group("Method");
  app->add_option("--init", init_file, "The first dictionary: d x u numbers, no header")
      ->type_name("FILE.csv")
      ->group("Method");
  app->add_option("--solver", agent.solver, "How the dictionary's linear system is solved")
      ->transform(CLI::CheckedTransformer(solver_names).description(""))
      ->type_name(choices(solver_names))
      ->default_str("automatic")
      ->group("Method");
  app->add_option("--seed", agent.seed, "Everything random follows from it")
      ->type_name("S")
      ->capture_default_str()
      ->group("Method");

  app->add_option("--agents", agents,
                  "Deal the tasks to N agents in turn (without an agent column in DATA)")
      ->type_name("N")
      ->capture_default_str()
      ->group("Network");
  app->add_option("--graph", graph, "Who exchanges with whom; none: N separate agents")
      ->type_name("none")
      ->capture_default_str()
      ->group("Network");
  app->add_option("--rho", rho, "Penalty on disagreement between neighbours (none without edges)")
      ->type_name("X")
      ->capture_default_str()
      ->group("Network");
  app->add_option("--iterations", iterations, "Exchanges at each time step t (none without edges)")
      ->type_name("K|K1+K2/t")
      ->capture_default_str()
      ->group("Network");

  app->add_option("--problem", problem, "What the targets are; by default, two labels make classes")
      ->transform(CLI::CheckedTransformer(problem_names).description(""))
      ->type_name(choices(problem_names))
      ->group("Data");
  app->add_option("--task-column", reading.task_column, "The column that names a row's task")
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Data");
  app->add_option("--agent-column", reading.agent_column,
                  "The column that names a row's agent; may be absent")
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Data");
  app->add_option("--target-column", reading.target_column, "The column to predict")
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Data");
  app->add_flag("--no-intercept", no_intercept, "Do not append a column of ones")->group("Data");
  app->add_option("--test-fraction", training.test_fraction,
                  "Share of each task's rows kept for the test; 0 trains on all")
      ->type_name("F")
      ->capture_default_str()
      ->group("Data");

  app->add_option("--model", model_file, "Write the trained models, for predict and evaluate")
      ->type_name("OUT")
      ->group("Results");
  app->add_option("--state", state_folder, "Write dictionaries and codes as CSV files")
      ->type_name("DIR")
      ->group("Results");
  app->add_flag("--json", json, "Print one JSON object instead of a table")->group("Results");
}

void TrainCommand::check_options() {
  if (app->count("--problem") > 0) reading.problem = problem;
  reading.agent_column_required = app->count("--agent-column") > 0;
  training.agent.atoms = atoms;
  if (atoms < 1) throw OptionError("must be at least 1", "--atoms", "give the number of atoms");
  if (agents < 1) throw OptionError("must be at least 1", "--agents", "give the number of agents");
  if (!(training.agent.lambda > 0.0) || !std::isfinite(training.agent.lambda)) {
    throw OptionError("must be a number above 0", "--lambda", "try 0.001");
  }
  if (!(training.agent.mu >= 0.0) || !std::isfinite(training.agent.mu)) {
    throw OptionError("must be a number of 0 or above", "--mu", "try 0.01");
  }
  if (!(training.agent.gamma > 0.0) || !std::isfinite(training.agent.gamma)) {
    throw OptionError("must be a number above 0", "--gamma", "try 0.01");
  }
  if (!(rho >= 0.0) || !std::isfinite(rho)) {
    throw OptionError("must be a number of 0 or above", "--rho", "try 1");
  }
  if (!(training.test_fraction >= 0.0 && training.test_fraction < 1.0)) {
    throw OptionError("must be 0 or above and below 1", "--test-fraction", "try 0.5");
  }
  if (graph != "none") {
    throw OptionError("ella and stl do not exchange: '" + graph + "' has no meaning", "--graph",
                      "leave it out");
  }
  parse_exchange_plan(iterations);
  if (!model_file.empty()) check_model_path(model_file);
  if (!state_folder.empty()) check_state_folder(state_folder);
}

DataSet TrainCommand::load() {
  DataSet loaded = load_data(data, reading, training.agent.seed);
  const auto present = static_cast<long>(loaded.agents.size());
  if (present > 1 && app->count("--agents") > 0 && agents != present) {
    throw OptionError(fmt::format("{} given, and the data has {} agents", agents, present),
                      "--agents", "leave it out");
  }
  if (present == 1 && agents > 1) loaded = deal(std::move(loaded), agents);
  if (!no_intercept) add_intercept(loaded);
  if (!init_file.empty()) {
    const Matrix first = read_matrix_csv(init_file);
    const auto d = static_cast<Index>(loaded.features.size());
    if (app->count("--atoms") == 0) training.agent.atoms = first.cols();
    if (first.rows() != d || first.cols() != training.agent.atoms) {
      throw OptionError(
          fmt::format("has {} x {} numbers, and {} x {} are needed (features{} x atoms)",
                      first.rows(), first.cols(), d, training.agent.atoms,
                      no_intercept ? "" : " and intercept"),
          init_file, "give a matrix of that size to --init");
    }
    training.first_dictionary = first;
  }
  return loaded;
}

void TrainCommand::run() {
  check_options();
  const DataSet loaded = load();
  const auto start = std::chrono::steady_clock::now();
  TrainingResult result;
  {
    ProgressBar bar("learning");
    result = train(loaded, training,
                   [&bar](const StepReport& report) { bar.show(report.step, report.steps); });
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.model.task_column = reading.task_column;
  result.model.agent_column = reading.agent_column;
  result.model.target_column = reading.target_column;
  if (!model_file.empty()) write_model(model_file, result.model);
  if (!state_folder.empty()) write_state(state_folder, result.model);
  if (json) {
    print_json(loaded, result, seconds);
  } else {
    print_table(loaded, result, seconds);
  }
}

void TrainCommand::print_table(const DataSet& loaded, const TrainingResult& result,
                               double seconds) const {
  const bool regression = result.problem == Problem::regression;
  const std::string measure = regression ? "RMSE" : "AUC";
  fmt::print("{}: {}, {}, {}, {} features{}\n", loaded.name, name_of(problem_names, result.problem),
             counted(static_cast<long>(loaded.agents.size()), "agent"),
             counted(result.tasks, "task"), loaded.features.size() - (no_intercept ? 0 : 1),
             no_intercept ? "" : " and an intercept");
  fmt::print("{}: {} atoms, lambda {:g}, mu {:g}, gamma {:g}, seed {}\n\n", result.model.algorithm,
             training.agent.atoms, training.agent.lambda, training.agent.mu, training.agent.gamma,
             training.agent.seed);
  fmt::print("{:>6} {:>7} {:>10}\n", "step", "tasks", "test " + measure);
  // About twenty lines, whatever the length of the stream.
  const std::size_t every = 1 + (result.steps.size() - 1) / 20;
  for (std::size_t t = 0; t < result.steps.size(); ++t) {
    if (t % every != 0 && t + 1 != result.steps.size()) continue;
    const StepReport& report = result.steps[t];
    fmt::print("{:>6} {:>7} {:>10}\n", report.step, report.tasks, readable(report.score));
  }
  const double ours = result.final_score();
  if (std::isnan(ours)) {
    fmt::print("\nno test rows: nothing to measure");
  } else {
    const double gain =
        regression ? (result.stl - ours) / result.stl : (ours - result.stl) / result.stl;
    fmt::print("\ntest {} {} over all tasks; each task for itself {} ({:+.1f} %)", measure,
               readable(ours), readable(result.stl), 100.0 * gain);
  }
  fmt::print("; {:.2f} s\n", seconds);
  if (!model_file.empty()) fmt::print("model: {}\n", model_file);
  if (!state_folder.empty()) fmt::print("state: {}\n", state_folder);
}

nlohmann::json number_or_null(double value) {
  return std::isnan(value) ? nlohmann::json() : nlohmann::json(value);
}

void TrainCommand::print_json(const DataSet& loaded, const TrainingResult& result,
                              double seconds) const {
  auto curve = nlohmann::json::array();
  for (const StepReport& report : result.steps) curve.push_back(number_or_null(report.score));
  const nlohmann::ordered_json object = {{"algorithm", result.model.algorithm},
                                         {"metric", main_measure_name(result.problem)},
                                         {"agents", loaded.agents.size()},
                                         {"tasks", result.tasks},
                                         {"curve", curve},
                                         {"final", number_or_null(result.final_score())},
                                         {"stl", number_or_null(result.stl)},
                                         {"consensus_gap", 0.0},
                                         {"exchanges", 0},
                                         {"bytes_exchanged", 0},
                                         {"seconds", seconds}};
  fmt::print("{}\n", object.dump(2));
}

}  // namespace

void add_train(CLI::App& program) {
  auto command = std::make_shared<TrainCommand>();
  command->app = program.add_subcommand(
      "train", "Learn the tasks of a data set one after another and test them");
  command->add_options();
  command->app->footer("Example:  colla train rows.csv --atoms 6 --model rows.colla");
  command->app->callback([command] { command->run(); });
}

}  // namespace colla::cli
