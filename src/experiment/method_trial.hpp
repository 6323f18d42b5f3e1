// SPDX-License-Identifier: Apache-2.0
// One method in one trial: its settings are selected on the trial's training rows alone, then it
// learns them and is scored on the test rows.
#pragma once

#include "experiment/search.hpp"
#include "experiment/specification.hpp"
#include "experiment/trial.hpp"
#include "training/training.hpp"

#include <map>

namespace colla {

/// What all methods of a study share.
struct Protocol {
  ExchangePlan exchanges;
  /// Of the random graph, which is the same in every trial.
  std::uint64_t graph_seed = 1;
};

struct MethodOutcome {
  Selection selection;
  std::vector<double> curve;      ///< mean test score over the tasks learned so far, per step
  std::vector<double> gap;        ///< disagreement between neighbours, per step; or empty
  std::vector<double> exchanges;  ///< per step; or empty
  /// Test score of each task when it is learned (offline: at the end), agent after agent.
  std::vector<double> arrivals;
  Numerics numerics;  ///< of the run that is tested, not of the search
  double seconds = 0.0;
};

/// Validation splits of rows, made on first use: most candidates see few of them.
class ValidationSplits {
 public:
  /// `rows` must outlive it.
  ValidationSplits(const DataSet& rows, double fraction, std::uint64_t seed)
      : rows_(rows), fraction_(fraction), seed_(seed) {}

  const SplitData& at(Index n);

 private:
  const DataSet& rows_;
  double fraction_;
  std::uint64_t seed_;
  std::map<Index, SplitData> made_;
};

/// Uses only training rows. `keep_going` is called before each validation and may throw to stop.
Selection select_settings(const MethodSpec& method, const Protocol& protocol,
                          const DataSet& training_rows, std::uint64_t trial_seed,
                          const std::function<void()>& keep_going = {});

/// Learns and tests with the given settings.
TrainingResult run_method(const MethodSpec& method, const Protocol& protocol,
                          const HyperParameters& settings, const SplitData& rows,
                          std::uint64_t seed);

/// Both. `given`: the selection of the method that `settings_from` names; null: search for one.
MethodOutcome run_trial(const MethodSpec& method, const Protocol& protocol, const Trial& trial,
                        const Selection* given, const std::function<void()>& keep_going = {});

/// Offline CoLLA alternates until its objective falls by less than a thousandth, at most 50 times
/// with at most 100 exchanges each: a search runs it dozens of times.
OfflineOptions offline_budget();

/// The score of a validation split: the mean over the learning curve for online methods, the final
/// score for the others.
double validation_score(const TrainingResult& result, Algorithm algorithm);

}  // namespace colla
