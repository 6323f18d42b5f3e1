// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/dataset.hpp"
#include "training/measures.hpp"

#include <colla/prior_agent.hpp>

#include <string>
#include <unordered_map>
#include <vector>

namespace colla {

/// Scores task models on the rows that training never sees: those of a task's newest batch.
class TestScores {
 public:
  explicit TestScores(const DataSet& test) : test_(test), newest_(test.agents.size()) {}

  /// From now on the task of this batch is scored on this batch.
  void arrived(std::size_t agent, std::size_t batch);

  bool knows(std::size_t agent, const std::string& task) const {
    return newest_[agent].count(task) > 0;
  }

  /// The newest batch of a task that has arrived.
  std::size_t batch(std::size_t agent, const std::string& task) const {
    return newest_[agent].at(task);
  }

  /// RMSE or AUC of a model.
  double score(std::size_t agent, const std::string& task, const VectorView& theta) const;
  double score(std::size_t agent, const std::string& task, const TaskPredictor& predictor) const;

 private:
  const DataSet& test_;
  std::vector<std::unordered_map<std::string, std::size_t>> newest_;  // per agent: task -> batch
};

}  // namespace colla
