// SPDX-License-Identifier: Apache-2.0
// Runs an experiment: trials in parallel, each finished result stored at once. What is stored
// already is not computed again, so an interrupted run goes on where it was.
#pragma once

#include "experiment/evaluation.hpp"
#include "experiment/study_data.hpp"

#include <functional>

namespace colla {

/// One method of one study. Methods of several studies that compute the same are one unit.
struct Unit {
  std::string id;
  StudySpec study;  ///< one of them
  MethodSpec method;
  std::optional<std::size_t> settings_from;  ///< an earlier unit
};

/// What has to be computed, in order.
struct ExperimentPlan {
  std::vector<Unit> units;
  /// Units in groups that share their trials: the same data, agents and test fraction.
  std::vector<std::vector<std::size_t>> groups;
  /// Of the specification, the seed and the data.
  std::string identity;

  std::size_t unit_of(const StudySpec& study, const MethodSpec& method) const;
};

/// Throws OptionError if the tasks of a study cannot be dealt to its agents.
ExperimentPlan make_plan(const ExperimentSpec& spec, const ExperimentData& data);

struct Progress {
  Index done = 0;  ///< results, of all trials
  Index total = 0;
  double seconds_left = 0.0;
  std::string last;  ///< "trial 3, london-schools, colla"
};

struct RunOptions {
  std::string database;  ///< its path
  Index threads = 0;     ///< 0: all cores; the results do not depend on it
  /// Hears of every finished result, one at a time.
  std::function<void(const Progress&)> observer;
  /// Asked often, from all threads; true ends the run.
  std::function<bool()> stop;
};

struct ExperimentResults {
  bool is_complete = false;
  Index done = 0;
  Index total = 0;
  /// Per unit and trial, if complete.
  std::vector<std::vector<MethodOutcome>> outcomes;
};

/// Throws StoreError, and what learning throws.
ExperimentResults run_experiment(const ExperimentSpec& spec, const ExperimentPlan& plan,
                                 const ExperimentData& data, const RunOptions& options);

}  // namespace colla
