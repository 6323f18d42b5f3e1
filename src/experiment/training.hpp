// SPDX-License-Identifier: Apache-2.0
// One run of one method on one data set: what `colla train` does.
#pragma once

#include "data/dataset.hpp"
#include "store/model_file.hpp"

#include <functional>
#include <optional>

namespace colla {

enum class Algorithm { ella, stl };

struct TrainingOptions {
  Algorithm algorithm = Algorithm::ella;
  AgentOptions agent;  ///< problem and features are taken from the data
  std::optional<Matrix> first_dictionary;
  double test_fraction = 0.5;
};

/// What an observer hears after each time step.
struct StepReport {
  Index step = 0;      ///< from 1
  Index steps = 0;     ///< of the whole run
  Index tasks = 0;     ///< distinct tasks learned so far, all agents
  double score = 0.0;  ///< mean test score over them; NaN without test rows
};

struct TrainingResult {
  Problem problem = Problem::regression;
  Index tasks = 0;
  std::vector<StepReport> steps;
  double stl = 0.0;  ///< mean test score of the single-task models
  Model model;

  double final_score() const { return steps.back().score; }
};

/// Splits the rows, then gives each agent its next task at each time step, without any exchange.
/// Throws OptionError or DataError.
TrainingResult train(const DataSet& data, const TrainingOptions& options,
                     const std::function<void(const StepReport&)>& observer);

}  // namespace colla
