// SPDX-License-Identifier: Apache-2.0
// `colla demo`: watch a network learn, then see every method side by side.
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "data/synthetic.hpp"
#include "report/chart.hpp"
#include "report/palette.hpp"
#include "training/model_predictions.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

namespace colla::cli {
namespace {

constexpr Index agents = 6;
constexpr Index steps = 20;

struct Demo {
  std::string output = "colla-demo.svg";
  std::uint64_t seed = 1;

  void run() const;

 private:
  DataSet tasks() const;
  TrainingOptions options(Algorithm algorithm, Index refresh) const;
  void check_output() const;
  void draw(const std::vector<Series>& curves) const;
};

DataSet Demo::tasks() const {
  SyntheticOptions synthetic;
  synthetic.agents = agents;
  synthetic.tasks_per_agent = steps;
  synthetic.rows = 20;
  synthetic.features = 10;
  synthetic.atoms = 3;
  synthetic.seed = seed;
  return make_tasks(synthetic).data;
}

TrainingOptions Demo::options(Algorithm algorithm, Index refresh) const {
  TrainingOptions options;
  options.algorithm = algorithm;
  options.network.agent.atoms = 3;
  options.network.agent.lambda = 0.01;
  options.network.agent.mu = 0.1;
  options.network.agent.seed = seed;
  options.edges = make_graph("line", agents, seed).edges();
  options.network.refresh = refresh;
  return options;
}

Series curve_of(const std::string& key, const std::string& name, const TrainingResult& result) {
  Series curve{key, name, known_style(key), result.steps.size() == 1, {}};
  for (const StepReport& step : result.steps) curve.points.push_back({step.score, 0.0});
  return curve;
}

// The first step at which a curve reaches a score.
Index steps_until(const TrainingResult& result, double score) {
  for (const StepReport& step : result.steps) {
    if (step.score <= score) return step.step;
  }
  return static_cast<Index>(result.steps.size());
}

// Rows and their targets as `predict` takes them.
Rows rows_of(const DataSet& data) {
  Rows rows;
  Index count = 0;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) count += batch.X.rows();
  }
  rows.X.resize(count, std::ssize(data.features));
  rows.y.resize(count);
  Index next = 0;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) {
      const auto own = static_cast<std::size_t>(batch.X.rows());
      rows.X.middleRows(next, batch.X.rows()) = batch.X;
      rows.y.segment(next, batch.X.rows()) = batch.y;
      rows.tasks.insert(rows.tasks.end(), own, batch.task);
      rows.agents.insert(rows.agents.end(), own, stream.agent);
      next += batch.X.rows();
    }
  }
  return rows;
}

// The share of targets inside their 90 % intervals.
double covered(const Model& model, const Rows& rows) {
  constexpr double normal_quantile = 1.6448536269514722;
  const Predictions predictions = predict(model, rows);
  Index inside = 0;
  for (Index i = 0; i < rows.y.size(); ++i) {
    const double error = std::abs(rows.y[i] - predictions.scores(i, 0));
    if (error <= normal_quantile * predictions.deviations(i, 0)) ++inside;
  }
  return static_cast<double>(inside) / static_cast<double>(rows.y.size());
}

void print_row(const StepReport& step, double stl, double ella) {
  fmt::print("{:>5} {:>6}  {:>7.3f} {:>7.3f} {:>7.3f}  {:>8.4f} {:>10}\n", step.step, step.tasks,
             stl, ella, step.score, step.exchange.gap, step.step * step.exchange.exchanges);
  std::fflush(stdout);
  // Slow enough to watch; no delay for a pipe.
  if (isatty(STDOUT_FILENO) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(120));
}

void Demo::check_output() const {
  const auto folder = std::filesystem::absolute(output).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw StoreError("no such folder", folder.string(), "make it, or choose another --output");
  }
}

void print_introduction() {
  fmt::print(
      "Six agents in a line. At each step every agent meets a new regression task: 10 rows to "
      "learn\n"
      "from, 10 features, a true model made of 2 of 3 hidden atoms that all tasks share. "
      "Neighbours\n"
      "exchange their dictionaries (3 atoms). Test RMSE, mean over all tasks so far:\n"
      "\n{:>5} {:>6}  {:>7} {:>7} {:>7}  {:>8} {:>10}\n",
      "step", "tasks", "STL", "ELLA", "CoLLA", "gap", "exchanges");
}

void Demo::run() const {
  check_output();
  const DataSet data = tasks();
  const SplitData rows = split(data, options(Algorithm::bayes, 0).test_fraction, seed);
  print_introduction();
  const TrainingResult stl = train(data, options(Algorithm::stl, 0), nullptr);
  const TrainingResult ella = train(data, options(Algorithm::ella, 0), nullptr);
  const TrainingResult collective =
      train(data, options(Algorithm::colla, 0), [&](const StepReport& step) {
        const auto t = static_cast<std::size_t>(step.step - 1);
        print_row(step, stl.steps[t].score, ella.steps[t].score);
      });
  const TrainingResult refreshed = train(data, options(Algorithm::colla, 1), nullptr);
  const TrainingResult offline = train(data, options(Algorithm::offline_colla, 0), nullptr);
  const TrainingResult go_mtl = train(data, options(Algorithm::go_mtl, 0), nullptr);
  TrainingOptions prior = options(Algorithm::bayes, 0);
  prior.keep = Keep::models;
  const TrainingResult bayes = train(rows, prior, nullptr);

  struct Line {
    const char* key;
    const char* name;
    const char* meaning;
    const TrainingResult& result;
  };
  const std::vector<Line> lines = {
      {"stl", "STL", "each task on its own", stl},
      {"ella", "ELLA", "each agent alone, task after task", ella},
      {"colla", "CoLLA", "the agents exchange dictionaries", collective},
      {"colla-refresh", "CoLLA, refreshed", "and re-encode their old tasks (--refresh 1)",
       refreshed},
      {"offline-colla", "offline CoLLA", "the network, all tasks at once", offline},
      {"go-mtl", "GO-MTL", "one place holds all rows", go_mtl},
      {"bayes", "collective prior", "the agents exchange means; nothing to set", bayes}};
  fmt::print("\n{:<18} {:>9}\n", "after all tasks", "test RMSE");
  std::vector<Series> curves;
  for (const Line& line : lines) {
    fmt::print("{:<18} {:>9.3f}   {}\n", line.name, line.result.final_score(), line.meaning);
    curves.push_back(curve_of(line.key, line.name, line.result));
  }
  draw(curves);
  fmt::print(
      "\nAgents that exchange dictionaries reach {:.3f}; pooling all rows would give {:.3f}. They "
      "need\n"
      "{} steps to match an agent alone after {}. The prior's 90 % intervals cover {:.0f} % of the "
      "test rows.\n"
      "Learning curves: {}\n",
      collective.final_score(), go_mtl.final_score(), steps_until(collective, ella.final_score()),
      steps, 100.0 * covered(bayes.model, rows_of(rows.test)),
      std::filesystem::absolute(output).string());
}

void Demo::draw(const std::vector<Series>& curves) const {
  Chart chart;
  chart.id = "demo";
  chart.title = "Six agents learn: error on rows never seen, mean over the tasks so far";
  chart.horizontal = "time step (each agent meets one new task)";
  chart.vertical = "test RMSE (lower is better)";
  chart.series = curves;
  chart.shows_all = true;
  chart.width = 860;
  chart.height = 440;
  std::ofstream file(output, std::ios::binary | std::ios::trunc);
  file << colla::draw(chart);
  file.close();
  if (!file) throw StoreError("cannot be written", output, "choose another name with --output");
}

}  // namespace

void add_demo(CLI::App& program) {
  auto demo = std::make_shared<Demo>();
  CLI::App* app = program.add_subcommand(
      "demo", "Watch a network learn; compare every method; draw the learning curves");
  add_text(*app, "--output", demo->output, "Where the picture goes")->type_name("FILE.svg");
  add_seed(*app, demo->seed);
  app->callback([demo] { demo->run(); });
}

}  // namespace colla::cli
