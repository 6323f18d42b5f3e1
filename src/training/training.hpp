// SPDX-License-Identifier: Apache-2.0
// One run of one method on one data set: what `colla train` does.
#pragma once

#include "network/diagnosis.hpp"
#include "row_privacy/row_release.hpp"
#include "store/model_file.hpp"
#include "training/algorithm.hpp"
#include "training/split.hpp"

#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>

#include <functional>
#include <optional>

namespace colla {

/// Which parts of the trained network to return. With agents in several processes, they are sent to
/// the first.
enum class Keep {
  scores,  ///< nothing
  state,   ///< dictionaries, duals and codes
  models,  ///< and the single-task models, which a model file needs
};

struct TrainingOptions {
  Algorithm algorithm = Algorithm::colla;
  NetworkOptions network;  ///< problem and features are taken from the data
  /// Edges between the data's agents; colla and offline_colla alone use them.
  std::vector<Edge> edges;
  bool order_by_colour = false;  ///< exchanges run in the order of a colouring
  OfflineOptions offline;
  std::optional<Matrix> first_dictionary;
  /// bayes: the features without splines, if there are any with them.
  std::vector<Index> linear_features = {};
  /// bayes: `network.refresh` counts though it is 0; otherwise 0 stands for refresh_of_prior.
  bool has_given_refresh = false;
  /// bayes: a recipe has given features and targets unit size; otherwise the rows tell their size.
  bool has_unit_sizes = false;
  /// bayes: what agents may tell of rows. Their sizes are then not measured: a recipe from other
  /// rows should have made features and targets of unit size.
  std::optional<PrivacyOptions> privacy = {};
  /// Set by `complete_prior` if there is privacy.
  std::shared_ptr<const ReleasedRows> released = {};
  double test_fraction = 0.5;
  /// Single-task learning penalises the intercept like the other coefficients, as the paper does.
  bool penalise_intercept = false;
  bool compare_alone = true;          ///< score each task on its own beside the method...
  std::optional<double> gamma_alone;  ///< ... with this penalty; by default the method's
  bool diagnose = false;
  Keep keep = Keep::models;
  EngineMaker make_engine;  ///< none: a network in this process
  Pause pause = {};         ///< between exchanges, and between GO-MTL's alternations
};

/// Passed to an observer after each time step.
struct StepReport {
  Index step = 0;             ///< from 1
  Index steps = 0;            ///< of the whole run
  Index tasks = 0;            ///< distinct tasks learned so far, all agents
  double score = 0.0;         ///< mean test score over them; NaN without test rows
  double change = 0.0;        ///< largest |L_T+1 - L_T| over the agents, relative to |L_T+1|
  StepSummary exchange = {};  ///< of models without exchanges, only the numerics
};

/// A task's test score at the moment it is learned; for offline methods, at the end.
struct ArrivalScore {
  std::size_t agent = 0;  ///< of the data
  std::size_t batch = 0;
  double score = 0.0;  ///< NaN where the test rows do not define it
};

struct TrainingResult {
  Problem problem = Problem::regression;
  Index tasks = 0;
  std::vector<StepReport> steps;
  std::vector<ArrivalScore> arrivals;  ///< step by step
  /// Mean test score of single-task learning on the same rows; NaN if it is not asked for.
  double stl = 0.0;
  /// Share of test rows whose most probable label is right; only of three labels or more.
  std::optional<double> accuracy;
  double consensus_gap = 0.0;
  Index exchanges = 0;
  std::uint64_t bytes = 0;
  std::vector<double> objectives;  ///< of the offline methods, per alternation
  bool converged = true;           ///< of the offline methods
  Index released_rows = 0;         ///< with privacy
  Index shortened_rows = 0;        ///< of these, longer than the bound
  Model model;                     ///< its agents, as far as they are kept
  std::optional<Diagnosis> diagnosis;

  double final_score() const { return steps.back().score; }
  /// Of all steps.
  Numerics numerics() const;
};

using TrainingObserver = std::function<void(const StepReport&)>;

/// Learns rows that are already split; `test_fraction` is not used. Online methods give each agent
/// its next task at each time step; the offline ones take all tasks (the newest rows of each) in
/// one step. Throws OptionError or DataError.
TrainingResult train(const SplitData& rows, const TrainingOptions& options,
                     const TrainingObserver& observer);

/// Splits the rows by the seed, then learns.
TrainingResult train(const DataSet& data, const TrainingOptions& options,
                     const TrainingObserver& observer);

}  // namespace colla
