// SPDX-License-Identifier: Apache-2.0
// Whole runs of CoLLA in the shapes of two of the paper's data sets, and a trial of an experiment
// (STL, ELLA and CoLLA with their learning curves) in the shape of one, on one thread. One agent's
// learning is timed task by task, for the Python package's overhead. `colla_shapes DIR` writes the
// tasks, the settings, the times and the last dictionaries to DIR, where numpy_colla.py and
// python_bench.py find what they need to do the same.
#include "training/training.hpp"
#include "workload.hpp"

#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>
#include <colla/random.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>

namespace colla::bench {
namespace {

constexpr Index exchanges = 20;
constexpr int repeats = 21;

struct Run {
  std::string name;
  Shape shape;
  Index agents;
  Index steps;

  NetworkOptions options() const {
    NetworkOptions options;
    options.agent = agent_options(shape);
    return options;
  }
  Matrix first_dictionary() const {
    return Random(options().agent.seed, {0}).normal_matrix(shape.features, shape.atoms);
  }
};

std::vector<Stream> make_streams(const Run& run) {
  SyntheticOptions options;
  options.problem = run.shape.problem;
  options.agents = run.agents;
  options.tasks_per_agent = run.steps;
  options.rows = run.shape.rows;
  options.features = run.shape.features;
  options.atoms = run.shape.atoms;
  options.active = std::max<Index>(1, run.shape.atoms / 2);
  return make_tasks(options).data.agents;
}

std::vector<Matrix> learn(const Run& run, const std::vector<Stream>& streams,
                          const Matrix& first_dictionary) {
  InProcessEngine engine(make_graph("line", run.agents, 1), run.options(), first_dictionary);
  StepOptions step_options;
  step_options.exchanges = exchanges;
  for (std::size_t step = 0; step < static_cast<std::size_t>(run.steps); ++step) {
    std::vector<Arrival> arrivals;
    for (Index i = 0; i < run.agents; ++i) {
      const Batch& batch = streams[static_cast<std::size_t>(i)].batches[step];
      arrivals.push_back(arrival_of(i, batch));
    }
    learn_step(engine, arrivals, step_options);
  }
  std::vector<Matrix> dictionaries;
  for (Index i = 0; i < run.agents; ++i) {
    dictionaries.push_back(engine.participant(i).dictionary());
  }
  return dictionaries;
}

std::ofstream open_table(const std::filesystem::path& path) {
  std::ofstream file(path);
  file.exceptions(std::ios::badbit | std::ios::failbit);
  file.precision(std::numeric_limits<double>::max_digits10);
  return file;
}

// One line per row: agent, step, y, x.
void write_tasks(const std::filesystem::path& path, const std::vector<Stream>& streams) {
  std::ofstream file = open_table(path);
  for (std::size_t agent = 0; agent < streams.size(); ++agent) {
    for (std::size_t step = 0; step < streams[agent].batches.size(); ++step) {
      const Batch& batch = streams[agent].batches[step];
      for (Index row = 0; row < batch.X.rows(); ++row) {
        file << agent << ',' << step << ',' << batch.y[row];
        for (const double x : batch.X.row(row)) file << ',' << x;
        file << '\n';
      }
    }
  }
}

nlohmann::json rows_of(const Matrix& matrix) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& row : matrix.rowwise()) {
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

nlohmann::json settings_of(const Run& run) {
  const NetworkOptions options = run.options();
  return {{"classification", run.shape.problem == Problem::classification},
          {"exchanges", exchanges},
          {"rho", options.rho},
          {"lambda", options.agent.lambda},
          {"mu", options.agent.mu},
          {"gamma", options.agent.gamma},
          {"first_dictionary", rows_of(run.first_dictionary())}};
}

template <typename Work>
double median_seconds(const Work& work) {
  std::vector<double> seconds;
  for (int k = 0; k < repeats; ++k) {
    const double start = thread_seconds();
    work();
    seconds.push_back(thread_seconds() - start);
  }
  return median(seconds);
}

nlohmann::json measure(const Run& run, const std::filesystem::path& directory) {
  const auto streams = make_streams(run);
  write_tasks(directory / (run.name + ".csv"), streams);
  nlohmann::json result = settings_of(run);
  std::vector<Matrix> dictionaries;
  const Matrix first = run.first_dictionary();  // NumPy is given it, too
  result["seconds"] = median_seconds([&] { dictionaries = learn(run, streams, first); });
  for (const Matrix& L : dictionaries) result["dictionaries"].push_back(rows_of(L));
  return result;
}

// The first half of every batch trains.
SplitData halves(const Run& run, std::vector<Stream> streams) {
  SplitData rows;
  rows.train.problem = rows.test.problem = run.shape.problem;
  rows.train.features = rows.test.features =
      std::vector<std::string>(static_cast<std::size_t>(run.shape.features), "x");
  rows.train.agents = rows.test.agents = std::move(streams);
  for (std::size_t i = 0; i < rows.train.agents.size(); ++i) {
    for (std::size_t t = 0; t < rows.train.agents[i].batches.size(); ++t) {
      Batch& train = rows.train.agents[i].batches[t];
      Batch& test = rows.test.agents[i].batches[t];
      const Index half = train.y.size() / 2;
      train.X = Samples(train.X.topRows(half));
      train.y = Vector(train.y.head(half));
      test.X = Samples(test.X.bottomRows(half));
      test.y = Vector(test.y.tail(half));
    }
  }
  return rows;
}

std::vector<double> learning_curve(const Run& run, const SplitData& rows,
                                   const Matrix& first_dictionary, Algorithm algorithm) {
  TrainingOptions options;
  options.algorithm = algorithm;
  options.network = run.options();
  options.edges = make_graph("line", run.agents, 1).edges();
  options.network.exchanges = parse_exchange_plan(std::to_string(exchanges));
  options.first_dictionary = first_dictionary;
  std::vector<double> scores;
  for (const StepReport& step : train(rows, options, nullptr).steps) scores.push_back(step.score);
  return scores;
}

nlohmann::json measure_trial(const Run& run, const std::filesystem::path& directory) {
  const auto streams = make_streams(run);
  write_tasks(directory / (run.name + ".csv"), streams);
  const SplitData rows = halves(run, streams);
  nlohmann::json result = settings_of(run);
  result["trial"] = true;
  const Matrix first = run.first_dictionary();
  result["seconds"] = median_seconds([&] {
    result["curves"] = {learning_curve(run, rows, first, Algorithm::stl),
                        learning_curve(run, rows, first, Algorithm::ella),
                        learning_curve(run, rows, first, Algorithm::colla)};
  });
  return result;
}

// Many lives of one agent; the median time to learn a task, by the number of tasks before it.
nlohmann::json measure_learner(const Run& run, const std::filesystem::path& directory) {
  const auto streams = make_streams(run);
  write_tasks(directory / (run.name + ".csv"), streams);
  nlohmann::json result = settings_of(run);
  const Matrix first = run.first_dictionary();
  std::vector<double> seconds;
  for (int life = 0; life < repeats; ++life) {
    LifelongAgent agent(run.options().agent, first);
    for (const Batch& batch : streams.front().batches) {
      const double start = thread_seconds();
      agent.learn(batch.task, batch.X, batch.y);
      seconds.push_back(thread_seconds() - start);
    }
    result["dictionary"] = rows_of(agent.dictionary());
  }
  result["lives"] = repeats;
  result["seconds"] = median(seconds);
  return result;
}

int run_all(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  const Run runs[] = {{"schools", {28, 10, 55, Problem::regression}, 6, 23},
                      {"landmine", {10, 2, 250, Problem::classification}, 2, 15}};
  nlohmann::json results;
  for (const Run& run : runs) results[run.name] = measure(run, directory);
  const Run trial = {"landmine trial", {10, 2, 500, Problem::classification}, 2, 15};
  results[trial.name] = measure_trial(trial, directory);
  open_table(directory / "colla.json") << results;
  const Run learner = {"learner", {28, 10, 100, Problem::regression}, 1, 40};
  open_table(directory / "learner.json") << measure_learner(learner, directory);
  return 0;
}

}  // namespace
}  // namespace colla::bench

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: colla_shapes DIR\n";
    return 2;
  }
  return colla::bench::run_all(arguments[1]);
}
