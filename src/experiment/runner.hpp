// SPDX-License-Identifier: Apache-2.0
// Runs an experiment: trials in parallel, each finished result stored at once. Stored results are
// not computed again, so an interrupted run continues where it stopped.
#pragma once

#include "engine/ranks.hpp"
#include "experiment/method_trial.hpp"
#include "experiment/study_data.hpp"

#include <functional>

namespace colla {

/// One method of one study. Methods of several studies with the same computation are one unit.
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
  std::string fingerprint;

  std::size_t unit_of(const StudySpec& study, const MethodSpec& method) const;
};

/// Throws OptionError if the tasks of a study cannot be dealt to its agents.
ExperimentPlan make_plan(const ExperimentSpec& spec, const ExperimentData& data);

/// Whether two studies have the same rows in the same trial.
bool share_trials(const StudySpec& a, const StudySpec& b);

Index agents_of(const StudySpec& study, const PreparedData& data);

struct Progress {
  Index done = 0;  ///< results, of all trials
  Index total = 0;
  double seconds_left = 0.0;
  std::string last;  ///< "trial 3, london-schools, colla"
};

/// Ranks after the first call this instead of `run_experiment`, with the same arguments: they
/// evaluate what the first rank asks for, until its `Helpers` are dismissed.
void serve_evaluations(const ExperimentSpec& spec, const ExperimentPlan& plan,
                       const ExperimentData& data, Ranks& ranks);

/// The ranks that serve the first one, as long as this lives.
class Helpers {
 public:
  explicit Helpers(Ranks& ranks) : ranks_(ranks) {}
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  Ranks& ranks() const { return ranks_; }

 private:
  Ranks& ranks_;
};

struct RunOptions {
  std::string database;  ///< its path
  Index threads = 0;     ///< 0: all cores; the results do not depend on it
  /// Called with every finished result, one at a time.
  std::function<void(const Progress&)> observer;
  /// Asked often, from all threads; true ends the run.
  std::function<bool()> stop;
  /// If given, one thread works here and one in each helper.
  const Helpers* helpers = nullptr;
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
