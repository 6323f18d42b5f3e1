// SPDX-License-Identifier: Apache-2.0
// GO-MTL and single-task learning: models without an engine.
#include "training/training_run.hpp"

#include <colla/go_mtl.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace colla {

void TrainingRun::learn_go_mtl() {
  std::vector<TaskRows> tasks;
  for (std::size_t i = 0; i < agents(); ++i) {
    for (const std::size_t batch : newest_batches(rows_.train.agents[i])) {
      tasks.push_back(rows_.train.agents[i].batches[batch]);
    }
  }
  GoMtlOptions go_mtl{options_.network.agent};
  go_mtl.pause = options_.pause;
  const GoMtlResult fitted = fit_go_mtl(tasks, go_mtl);
  result_.objectives = fitted.objectives;
  result_.converged = fitted.status == GoMtlStatus::converged;
  learned_with_.codes = Codes::stored;
  StepReport report{1, 1};
  Index next = 0;
  for (std::size_t i = 0; i < agents(); ++i) {
    states_.push_back({1, fitted.dictionary, {}});
    for (const std::size_t batch : newest_batches(rows_.train.agents[i])) {
      TaskRecord& task =
          fit_single_task(i, batch, options_.network.agent.gamma, report.exchange.numerics);
      task.code = fitted.codes.col(next++);
    }
  }
  add_model_step(report);
  score_single_tasks();
}

void TrainingRun::learn_single_tasks() {
  learned_with_.atoms = 0;
  states_.resize(agents());
  for (AgentState& state : states_) state.dictionary.resize(std::ssize(rows_.train.features), 0);
  const std::size_t steps = longest_stream(rows_.train);
  std::map<std::pair<std::size_t, std::string>, double> known;  // models stay as they are
  for (std::size_t t = 0; t < steps; ++t) {
    StepReport report{static_cast<Index>(t + 1), static_cast<Index>(steps)};
    for (std::size_t i = 0; i < agents(); ++i) {
      ++states_[i].step;
      if (t >= rows_.train.agents[i].batches.size()) continue;
      const TaskRecord& task = fit_single_task(i, t, ridge_alone(), report.exchange.numerics);
      const double value = scores_.score(i, task.name, task.model.alpha);
      known[{i, task.name}] = value;
      note_score(i, task.name, value);
    }
    report.tasks = std::ssize(known);
    DefinedMean mean;
    for (const auto& [task, value] : known) mean.add(value);
    add_report(report, mean);
  }
  score_single_tasks();
}

// The single-task solution of a batch, in place of an earlier one of the same task.
TaskRecord& TrainingRun::fit_single_task(std::size_t agent, std::size_t batch, const Ridge& ridge,
                                         Numerics& numerics) {
  const AgentOptions& options = options_.network.agent;
  const Batch& rows = rows_.train.agents[agent].batches[batch];
  check_rows(options.problem, rows.X, rows.y, "task '" + rows.task + "'");
  arrived(agent, batch);
  std::vector<TaskRecord>& tasks = states_[agent].records;
  const auto known = std::find_if(tasks.begin(), tasks.end(), [&rows](const TaskRecord& task) {
    return task.name == rows.task;
  });
  TaskRecord& task = known == tasks.end() ? tasks.emplace_back() : *known;
  FitSummary summary;
  // From few rows, alpha as `fit_coefficients` has it.
  const auto form = rows.X.rows() < rows.X.cols() ? CurvatureForm::factored : CurvatureForm::dense;
  task = {rows.task, fit(options.problem, rows.X, rows.y, ridge, form, &summary), Vector()};
  if (summary.status == FitStatus::stalled) ++numerics.fits_stalled;
  return task;
}

void TrainingRun::add_model_step(StepReport report) {
  DefinedMean mean;
  for (std::size_t i = 0; i < agents(); ++i) {
    const std::vector<Vector> thetas = task_models(learned_with_, states_[i]);
    for (std::size_t k = 0; k < thetas.size(); ++k) {
      const std::string& task = states_[i].records[k].name;
      const double value = scores_.score(i, task, thetas[k]);
      mean.add(value);
      note_score(i, task, value);
      ++report.tasks;
    }
  }
  add_report(report, mean);
}

void TrainingRun::score_single_tasks() {
  DefinedMean mean;
  for (std::size_t i = 0; i < agents(); ++i) {
    for (const TaskRecord& task : states_[i].records) {
      const bool is_alone = options_.algorithm == Algorithm::stl;
      mean.add(is_alone ? scores_.score(i, task.name, task.model.alpha)
                        : score_alone(i, task.name));
    }
  }
  result_.stl = mean.value();
}

}  // namespace colla
