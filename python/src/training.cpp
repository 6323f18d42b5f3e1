// SPDX-License-Identifier: Apache-2.0
// The methods that take all tasks at once, as `colla train` runs them.
#include "training/training.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "signals.hpp"
#include "training/test_scores.hpp"

#include <map>

namespace colla::python {
namespace {

using EdgePairs = std::vector<std::pair<Index, Index>>;

TrainingOptions options_from(const std::string& algorithm, const NetworkOptions& network,
                             const EdgePairs& edges, const std::optional<Matrix>& dictionary,
                             const std::optional<std::vector<Index>>& linear = {},
                             bool has_given_refresh = false) {
  TrainingOptions options;
  options.algorithm = from_name<Algorithm>(algorithm).value();
  options.network = network;
  for (const auto& [i, j] : edges) options.edges.push_back({i, j});
  options.first_dictionary = dictionary;
  options.has_unit_sizes = linear.has_value();
  options.linear_features = linear.value_or(std::vector<Index>());
  options.has_given_refresh = has_given_refresh;
  options.test_fraction = 0.0;
  options.pause = heed_signals();
  return options;
}

TrainingResult train_offline(const std::string& algorithm, const NetworkOptions& network,
                             const EdgePairs& edges, const std::optional<Matrix>& dictionary,
                             const DataSet& data) {
  const TrainingOptions options = options_from(algorithm, network, edges, dictionary);
  return without_gil([&] {
    TrainingResult result = train(data, options, nullptr);
    // What Python keeps: models whose agents exchange no more.
    for (ModelAgent& agent : result.model.agents) agent.state.edge_states.clear();
    return result;
  });
}

using TaskScores = std::map<std::pair<std::size_t, std::string>, double>;  // by agent and task

void add_test_scores(const TestScores& scores, std::size_t agent, const AgentOptions& options,
                     const AgentState& state, TaskScores& values) {
  if (options.prior) {
    const PriorAgent prior(options, state);
    for (const TaskRecord& record : prior.records()) {
      values[{agent, record.name}] = scores.score(agent, record.name, prior.predictor(record));
    }
    return;
  }
  const std::vector<Vector> thetas = task_models(options, state);
  for (std::size_t k = 0; k < thetas.size(); ++k) {
    const std::string& task = state.records[k].name;
    values[{agent, task}] = scores.score(agent, task, thetas[k]);
  }
}

// The main measure of every task's model, on the test rows of its newest batch.
TaskScores test_scores(const SplitData& rows, const TrainingOptions& options) {
  const Model model = train(rows, options, nullptr).model;
  TestScores scores(rows.test);
  for (std::size_t i = 0; i < rows.test.agents.size(); ++i) {
    for (std::size_t k = 0; k < rows.test.agents[i].batches.size(); ++k) scores.arrived(i, k);
  }
  TaskScores values;
  for (std::size_t i = 0; i < model.agents.size(); ++i) {
    add_test_scores(scores, i, model.options, model.agents[i].state, values);
  }
  return values;
}

// A task whose rows are all of one class has no model of its own.
SplitData without_one_class(SplitData rows) {
  if (!has_labels(rows.train.problem)) return rows;
  for (std::size_t i = 0; i < rows.train.agents.size(); ++i) {
    std::vector<Batch>& train = rows.train.agents[i].batches;
    std::vector<Batch>& test = rows.test.agents[i].batches;
    for (std::size_t k = train.size(); k-- > 0;) {
      if (train[k].y.minCoeff() != train[k].y.maxCoeff()) continue;
      train.erase(train.begin() + static_cast<std::ptrdiff_t>(k));
      test.erase(test.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  return rows;
}

// A quarter of every task's rows is held out. By task: the score together and the one alone.
std::vector<std::pair<double, double>> held_out_scores(
    const std::string& algorithm, const NetworkOptions& network, const EdgePairs& edges,
    const std::optional<Matrix>& dictionary, const std::optional<std::vector<Index>>& linear,
    bool has_given_refresh, const DataSet& data) {
  constexpr double held_out = 0.25;
  TrainingOptions options =
      options_from(algorithm, network, edges, dictionary, linear, has_given_refresh);
  return without_gil([&] {
    const SplitData rows = split(data, held_out, network.agent.seed);
    TaskScores together = test_scores(rows, options);
    options.algorithm = Algorithm::stl;
    options.edges.clear();
    options.first_dictionary.reset();
    std::vector<std::pair<double, double>> pairs;
    for (const auto& [task, alone] : test_scores(without_one_class(rows), options)) {
      pairs.emplace_back(together[task], alone);
    }
    return pairs;
  });
}

}  // namespace

void bind_training(nb::module_& module) {
  using nb::arg;
  nb::class_<TrainingResult>(module, "TrainingResult", "What a method has learned.")
      .def_ro("model", &TrainingResult::model)
      .def_ro("objectives", &TrainingResult::objectives)
      .def_ro("converged", &TrainingResult::converged)
      .def_ro("consensus_gap", &TrainingResult::consensus_gap)
      .def_ro("exchanges", &TrainingResult::exchanges)
      .def_ro("bytes", &TrainingResult::bytes)
      .def("numerics", &TrainingResult::numerics);
  module.def("train_offline", &train_offline, arg("algorithm"), arg("options"), arg("edges"),
             arg("dictionary").none(), arg("data"), "GO-MTL or offline CoLLA.");
  module.def("held_out_scores", &held_out_scores, arg("algorithm"), arg("options"), arg("edges"),
             arg("dictionary").none(), arg("linear").none(), arg("has_given_refresh"), arg("data"),
             "Of every task, on rows held out: RMSE or AUC learned together, and alone.");
}

}  // namespace colla::python
