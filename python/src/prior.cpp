// SPDX-License-Identifier: Apache-2.0
#include "prior.hpp"

#include "bindings.hpp"
#include "training/training_run.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <cmath>

namespace colla::python {
namespace {

// What the agents agree on, as `colla train --algorithm bayes` has it for these rows. `linear` is
// of a recipe, if they have been prepared by one.
std::shared_ptr<const ReleasedRows> describe_prior(
    NetworkOptions& options, const DataSet& rows, const std::vector<std::pair<Index, Index>>& edges,
    const std::optional<std::vector<Index>>& linear, bool has_given_refresh,
    const std::optional<std::string>& privacy) {
  TrainingOptions training;
  if (privacy) training.privacy = parse_privacy(*privacy);
  training.network = options;
  training.has_given_refresh = has_given_refresh;
  training.has_unit_sizes = linear.has_value();
  training.linear_features = linear.value_or(std::vector<Index>());
  for (const auto& [i, j] : edges) training.edges.push_back({i, j});
  complete_prior(training, rows);
  options = training.network;
  if (!edges.empty()) options.rho = averaging_penalty({std::ssize(rows.agents), training.edges});
  return training.released;
}

EstimateTuple packed_estimate(const TaskRecord& record) {
  const TaskStatistics& task = *record.statistics;
  return {record.name, task.rows, task.target_squares, task.gram, task.products,
          task.X,      task.y,    record.contribution};
}

TaskRecord unpacked_estimate(const EstimateTuple& tuple) {
  const auto& [name, rows, target_squares, gram, products, X, y, contribution] = tuple;
  TaskRecord record;
  record.name = name;
  record.statistics = std::make_shared<const TaskStatistics>(
      TaskStatistics{rows, target_squares, gram, products, X, y});
  record.contribution = contribution;
  return record;
}

}  // namespace

PriorTuple packed_prior(const SavedAgent& agent) {
  const PriorOptions& prior = *agent.options.prior;
  const AgentState& state = agent.state;
  std::vector<EstimateTuple> tasks;
  for (const TaskRecord& record : state.records) tasks.push_back(packed_estimate(record));
  return {packed_settings(agent.options, agent_settings()),
          {prior.agents, prior.feature_squares, prior.target_variance, prior.first_mean,
           prior.linear, prior.correlated},
          state.dictionary,
          state.step,
          state.next_refresh,
          tasks,
          packed_sides(state.edge_states)};
}

SavedAgent unpacked_prior(const PriorTuple& tuple) {
  const auto& [settings, description, means, step, next_refresh, tasks, sides] = tuple;
  SavedAgent agent{unpacked_settings(settings, agent_settings()), {step, means, {}}};
  const auto& [agents, feature_squares, target_variance, first_mean, linear, correlated] =
      description;
  agent.options.prior = PriorOptions{.agents = agents,
                                     .feature_squares = feature_squares,
                                     .target_variance = target_variance,
                                     .first_mean = first_mean,
                                     .linear = linear,
                                     .correlated = correlated};
  for (const EstimateTuple& task : tasks) agent.state.records.push_back(unpacked_estimate(task));
  agent.state.edge_states = unpacked_sides(sides);
  agent.state.next_refresh = next_refresh;
  return agent;
}

TaskPredictor predictor_of(const PriorAgent& agent, const std::string& task) {
  return agent.knows(task) ? agent.predictor(agent.record(task)) : agent.predictor();
}

std::pair<Vector, Vector> predictions(const TaskPredictor& predictor, const RowsView& X) {
  check_samples(X, "");
  return without_gil([&] {
    std::pair<Vector, Vector> all(Vector(X.rows()), Vector(X.rows()));
    for (Index i = 0; i < X.rows(); ++i) {
      const Predicted predicted = predictor.predict(X.row(i));
      all.first[i] = predicted.mean;
      all.second[i] = predicted.deviation;
    }
    return all;
  });
}

std::tuple<Vector, Vector, double> learned_prior(const PriorAgent& agent) {
  const Prior prior = agent.prior(agent.chosen());
  return {prior.mean, prior.root.rowwise().norm(), std::sqrt(prior.noise)};
}

void bind_prior(nb::module_& module) {
  using nb::arg;
  module.def("describe_prior", &describe_prior, arg("options"), arg("rows"), arg("edges"),
             arg("linear").none(), arg("has_given_refresh"), arg("privacy").none(),
             "Makes options those of a collective prior of these rows. With privacy, returns what "
             "counts the rows that are released.");
  nb::class_<ReleasedRows>(module, "ReleasedRows", "Rows that were released.")
      .def_prop_ro("all", [](const ReleasedRows& rows) { return Index{rows.all}; })
      .def_prop_ro("shortened", [](const ReleasedRows& rows) { return Index{rows.shortened}; });
}

}  // namespace colla::python
