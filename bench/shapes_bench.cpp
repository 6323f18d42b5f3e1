// SPDX-License-Identifier: Apache-2.0
// Whole runs of CoLLA of the shapes of two of the paper's data sets, on one thread. `colla_shapes
// DIR` writes the tasks, the settings, the times and the last dictionaries to DIR, where
// numpy_colla.py finds what it needs to do the same.
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

std::vector<Matrix> learn(const Run& run, const std::vector<Stream>& streams) {
  InProcessEngine engine(make_graph("line", run.agents, 1), run.options(), run.first_dictionary());
  StepOptions step_options;
  step_options.exchanges = exchanges;
  for (std::size_t step = 0; step < static_cast<std::size_t>(run.steps); ++step) {
    std::vector<Arrival> arrivals;
    for (Index i = 0; i < run.agents; ++i) {
      const Batch& batch = streams[static_cast<std::size_t>(i)].batches[step];
      arrivals.push_back({i, batch.task, batch.X, batch.y});
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

nlohmann::json measure(const Run& run, const std::filesystem::path& directory) {
  const auto streams = make_streams(run);
  write_tasks(directory / (run.name + ".csv"), streams);
  std::vector<double> seconds;
  std::vector<Matrix> dictionaries;
  for (int k = 0; k < repeats; ++k) {
    const double start = thread_seconds();
    dictionaries = learn(run, streams);
    seconds.push_back(thread_seconds() - start);
  }
  const NetworkOptions options = run.options();
  nlohmann::json result = {{"classification", run.shape.problem == Problem::classification},
                           {"exchanges", exchanges},
                           {"rho", options.rho},
                           {"lambda", options.agent.lambda},
                           {"mu", options.agent.mu},
                           {"gamma", options.agent.gamma},
                           {"first_dictionary", rows_of(run.first_dictionary())},
                           {"seconds", median(seconds)}};
  for (const Matrix& L : dictionaries) result["dictionaries"].push_back(rows_of(L));
  return result;
}

int run_all(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  const Run runs[] = {{"schools", {28, 10, 55, Problem::regression}, 6, 23},
                      {"landmine", {10, 2, 250, Problem::classification}, 2, 15}};
  nlohmann::json results;
  for (const Run& run : runs) results[run.name] = measure(run, directory);
  open_table(directory / "colla.json") << results;
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
