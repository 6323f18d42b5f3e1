// SPDX-License-Identifier: Apache-2.0
#include "data/sets/declaration.hpp"
#include "data/synthetic.hpp"

namespace colla::sets {
namespace {

PreparedData make(Problem problem, Index rows, std::uint64_t seed) {
  SyntheticOptions options;
  options.problem = problem;
  options.tasks_per_agent = 40;
  options.seed = seed;
  // Few rows for so many features: a task alone is hard, and the shared dictionary helps.
  options.features = 12;
  options.atoms = 4;
  options.rows = rows;
  DataSet data = make_tasks(options).data;
  add_intercept(data);
  return without_groups(std::move(data), 1);
}

Declaration declare(const std::string& problem, const std::string& rows) {
  RegisteredSet set;
  set.name = "synthetic-" + problem;
  set.title = "Synthetic " + problem;
  set.summary = "40 tasks of " + rows + " rows, 12 features, 4 shared atoms";
  set.preparation =
      "Standard normal features and a bias; classes -1/+1. One agent, or as many as are asked for.";
  set.is_synthetic = true;
  return {set, nullptr};
}

}  // namespace

Declaration synthetic_regression() {
  Declaration declaration = declare("regression", "20");
  declaration.prepare = [](const std::string&, std::uint64_t seed) {
    return make(Problem::regression, 20, seed);
  };
  return declaration;
}

Declaration synthetic_classification() {
  Declaration declaration = declare("classification", "60");
  declaration.prepare = [](const std::string&, std::uint64_t seed) {
    return make(Problem::classification, 60, seed);
  };
  return declaration;
}

}  // namespace colla::sets
