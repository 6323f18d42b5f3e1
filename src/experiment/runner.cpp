// SPDX-License-Identifier: Apache-2.0
#include "experiment/runner.hpp"

#include "experiment/evaluator.hpp"
#include "experiment/fingerprint.hpp"
#include "experiment/results_store.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace colla {
namespace {

// Raised whenever the same specification gives different numbers, so that results of two versions
// never mix.
constexpr char computation[] = "computation 3\n";

std::size_t find_unit(const std::vector<Unit>& units, const std::string& id) {
  const auto found =
      std::find_if(units.begin(), units.end(), [&id](const Unit& unit) { return unit.id == id; });
  return static_cast<std::size_t>(found - units.begin());
}

std::string unit_id(const StudySpec& study, const MethodSpec& method) {
  return fingerprint_of(canonical_text(study, method));
}

void add_unit(ExperimentPlan& plan, const StudySpec& study, const MethodSpec& method) {
  Unit unit{unit_id(study, method), study, method, {}};
  if (find_unit(plan.units, unit.id) < plan.units.size()) return;
  if (!method.settings_from.empty()) {
    const auto source = std::find_if(
        study.methods.begin(), study.methods.end(),
        [&method](const MethodSpec& other) { return other.key == method.settings_from; });
    unit.settings_from = plan.unit_of(study, *source);
  }
  const std::size_t position = plan.units.size();
  plan.units.push_back(std::move(unit));
  for (auto& group : plan.groups) {
    if (!share_trials(plan.units[group.front()].study, study)) continue;
    group.push_back(position);
    return;
  }
  plan.groups.push_back({position});
}

// Whether a task's test rows define a score.
bool is_scored(Problem problem, const Batch& test) {
  if (test.y.size() == 0) return false;
  return !has_labels(problem) || test.y.minCoeff() < test.y.maxCoeff();
}

// Known before the work begins, from the first trial: the others have the same number of rows of
// each class.
void require_scores(const StudySpec& study, const PreparedData& data, std::uint64_t seed) {
  const Trial trial = make_trial(data, agents_of(study, data), study.test_fraction, seed, 0);
  for (const Stream& stream : trial.rows.test.agents) {
    for (const Batch& test : stream.batches) {
      if (is_scored(data.data.problem, test)) return;
    }
  }
  throw DataError(
      has_labels(data.data.problem) ? "no task has rows of both classes left for the test"
                                    : "no task has a row left for the test",
      "study '" + study.key + "'", "give tasks with more rows, or a larger test_fraction");
}

std::vector<StoredMethod> stored_methods(const ExperimentSpec& spec) {
  std::vector<StoredMethod> all;
  for (const FigureSpec& figure : spec.figures) {
    for (const StudySpec& study : figure.studies) {
      for (const MethodSpec& method : study.methods) {
        all.push_back({study.key, method.key, unit_id(study, method)});
      }
    }
  }
  return all;
}

// A job is one trial of one group of units; each thread takes jobs in turn, with its own evaluator,
// here or in another rank.
class Run {
 public:
  Run(const ExperimentSpec& spec, const ExperimentPlan& plan, const ExperimentData& data,
      const RunOptions& options)
      : spec_(spec),
        plan_(plan),
        data_(data),
        options_(options),
        store_(options.database, plan.fingerprint, stored_methods(spec)),
        outcomes_(plan.units.size(), std::vector<std::optional<MethodOutcome>>(
                                         static_cast<std::size_t>(spec.trials))) {}

  ExperimentResults run() {
    load_stored();
    make_evaluators();
    std::vector<std::jthread> threads;
    for (std::size_t k = 1; k < evaluators_.size(); ++k) {
      threads.emplace_back([this, k] { work(*evaluators_[k]); });
    }
    work(*evaluators_[0]);
    threads.clear();
    if (failure_) std::rethrow_exception(failure_);
    return results();
  }

 private:
  Index jobs() const { return spec_.trials * static_cast<Index>(plan_.groups.size()); }
  Index total() const { return spec_.trials * static_cast<Index>(plan_.units.size()); }
  bool wants_stop() const { return is_failed_ || (options_.stop && options_.stop()); }

  void load_stored() {
    for (std::size_t u = 0; u < plan_.units.size(); ++u) {
      for (Index trial = 0; trial < spec_.trials; ++trial) {
        auto& outcome = outcomes_[u][static_cast<std::size_t>(trial)];
        outcome = store_.find(plan_.units[u].id, trial);
        done_ += outcome ? 1 : 0;
      }
    }
  }

  void make_evaluators() {
    if (options_.helpers != nullptr) {
      Ranks& ranks = options_.helpers->ranks();
      evaluators_.push_back(std::make_unique<LocalEvaluator>(spec_, plan_, data_));
      for (int rank = 1; rank < ranks.size(); ++rank) {
        evaluators_.push_back(std::make_unique<RemoteEvaluator>(ranks, rank));
      }
      return;
    }
    const auto cores = static_cast<Index>(std::max(1U, std::thread::hardware_concurrency()));
    const Index threads = std::min(options_.threads > 0 ? options_.threads : cores, jobs());
    for (Index k = 0; k < threads; ++k) {
      evaluators_.push_back(std::make_unique<LocalEvaluator>(spec_, plan_, data_));
    }
  }

  // No exception leaves a thread.
  void work(Evaluator& evaluator) {
    try {
      for (Index job = next_++; job < jobs() && !wants_stop(); job = next_++) {
        const auto groups = static_cast<Index>(plan_.groups.size());
        run_trial(evaluator, plan_.groups[static_cast<std::size_t>(job % groups)], job / groups);
      }
    } catch (const Stopped&) {
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      is_failed_ = true;
    }
  }

  void run_trial(Evaluator& evaluator, const std::vector<std::size_t>& group, Index trial) {
    const auto t = static_cast<std::size_t>(trial);
    for (const std::size_t u : group) {
      if (outcomes_[u][t]) continue;
      EvaluationRequest request{u, trial, {}};
      const auto source = plan_.units[u].settings_from;
      if (source) request.given = outcomes_[*source][t]->selection;
      finish(u, trial, evaluator.evaluate(request, [this] { return wants_stop(); }));
    }
  }

  void finish(std::size_t u, Index trial, MethodOutcome outcome) {
    const std::lock_guard lock(mutex_);
    store_.add(plan_.units[u].id, trial, outcome);
    outcomes_[u][static_cast<std::size_t>(trial)] = std::move(outcome);
    ++done_;
    if (!options_.observer) return;
    const Unit& unit = plan_.units[u];
    options_.observer(
        {done_, total(), seconds_left(),
         "trial " + std::to_string(trial + 1) + ", " + unit.study.key + ", " + unit.method.key});
  }

  // The average time of a unit so far, or of all units if it has no result yet.
  double seconds_left() const {
    std::vector<double> mean(plan_.units.size());
    std::vector<Index> missing(plan_.units.size());
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t u = 0; u < plan_.units.size(); ++u) {
      double own = 0.0;
      double finished = 0.0;
      for (const auto& outcome : outcomes_[u]) {
        if (!outcome) continue;
        own += outcome->seconds;
        finished += 1.0;
      }
      missing[u] = spec_.trials - static_cast<Index>(finished);
      mean[u] = finished > 0.0 ? own / finished : -1.0;
      sum += finished > 0.0 ? mean[u] : 0.0;
      count += finished > 0.0 ? 1.0 : 0.0;
    }
    double left = 0.0;
    for (std::size_t u = 0; u < mean.size(); ++u) {
      left += static_cast<double>(missing[u]) * (mean[u] < 0.0 ? sum / count : mean[u]);
    }
    return left / static_cast<double>(evaluators_.size());
  }

  ExperimentResults results() {
    ExperimentResults results{done_ == total(), done_, total(), {}};
    if (!results.is_complete) return results;
    for (auto& trials : outcomes_) {
      auto& finished = results.outcomes.emplace_back();
      for (auto& outcome : trials) finished.push_back(std::move(*outcome));
    }
    return results;
  }

  const ExperimentSpec& spec_;
  const ExperimentPlan& plan_;
  const ExperimentData& data_;
  const RunOptions& options_;
  std::mutex mutex_;  // of everything below that changes in finish
  ResultsStore store_;
  std::vector<std::vector<std::optional<MethodOutcome>>> outcomes_;  // per unit and trial
  Index done_ = 0;
  std::exception_ptr failure_;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::atomic<Index> next_ = 0;
  std::atomic<bool> is_failed_ = false;
};

}  // namespace

bool share_trials(const StudySpec& a, const StudySpec& b) {
  return a.data == b.data && a.agents == b.agents && a.test_fraction == b.test_fraction;
}

Index agents_of(const StudySpec& study, const PreparedData& data) {
  return study.agents > 0 ? study.agents : data.agents;
}

std::size_t ExperimentPlan::unit_of(const StudySpec& study, const MethodSpec& method) const {
  return find_unit(units, unit_id(study, method));
}

ExperimentPlan make_plan(const ExperimentSpec& spec, const ExperimentData& data) {
  ExperimentPlan plan;
  std::string fingerprint = computation + canonical_text(spec);
  for (const FigureSpec& figure : spec.figures) {
    for (const StudySpec& study : figure.studies) {
      const PreparedData& rows = data.at(study.data).prepared;
      try {
        deal_tasks(rows.group, agents_of(study, rows), spec.seed);
      } catch (const OptionError& error) {
        throw OptionError(error.what(), "study '" + study.key + "'", "");
      }
      require_scores(study, rows, spec.seed);
      fingerprint += fingerprint_of(rows);
      for (const MethodSpec& method : study.methods) add_unit(plan, study, method);
    }
  }
  plan.fingerprint = fingerprint_of(fingerprint);
  return plan;
}

ExperimentResults run_experiment(const ExperimentSpec& spec, const ExperimentPlan& plan,
                                 const ExperimentData& data, const RunOptions& options) {
  return Run(spec, plan, data, options).run();
}

}  // namespace colla
