// SPDX-License-Identifier: Apache-2.0
// The units of a collective prior are those of the rows.
#include "data/synthetic.hpp"
#include "training/training.hpp"

#include <colla/prior_agent.hpp>

#include <gtest/gtest.h>

namespace colla {
namespace {

DataSet tasks_with_intercept() {
  DataSet data =
      make_tasks({.agents = 3, .tasks_per_agent = 3, .rows = 8, .features = 5, .seed = 2}).data;
  add_intercept(data);
  return data;
}

// Of every row by its agent's model, and of a task without rows.
std::vector<Predicted> predictions(const DataSet& data) {
  TrainingOptions options;
  options.algorithm = Algorithm::bayes;
  options.edges = make_graph("line", 3, 1).edges();
  options.keep = Keep::models;
  const Model model = train(data, options, {}).model;
  std::vector<Predicted> all;
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    const PriorAgent agent(model.options, model.agents[i].state);
    for (const Batch& batch : data.agents[i].batches) {
      const TaskPredictor known = agent.predictor(agent.record(batch.task));
      for (Index row = 0; row < batch.X.rows(); ++row) {
        all.push_back(known.predict(batch.X.row(row)));
      }
      all.push_back(agent.predictor().predict(batch.X.row(0)));
    }
  }
  return all;
}

void transform(DataSet& data, double factor, double offset) {
  for (Stream& stream : data.agents) {
    for (Batch& batch : stream.batches) batch.y = (factor * batch.y.array() + offset).matrix();
  }
}

TEST(PriorUnits, another_unit_or_zero_of_the_target_changes_no_prediction) {
  const std::vector<Predicted> plain = predictions(tasks_with_intercept());
  for (const auto& [factor, offset] : {std::pair(1.0, 100.0), std::pair(1e-3, -1.0)}) {
    DataSet data = tasks_with_intercept();
    transform(data, factor, offset);
    const std::vector<Predicted> moved = predictions(data);
    for (std::size_t k = 0; k < plain.size(); ++k) {
      EXPECT_NEAR((moved[k].mean - offset) / factor, plain[k].mean, 1e-6);
      EXPECT_NEAR(moved[k].deviation / factor, plain[k].deviation, 1e-6);
    }
  }
}

}  // namespace
}  // namespace colla
