// SPDX-License-Identifier: Apache-2.0
// One run of one method on one data set: what `colla train` does.
#pragma once

#include "network/diagnosis.hpp"
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
  double test_fraction = 0.5;
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
  double stl = 0.0;                    ///< mean test score of the single-task models
  double consensus_gap = 0.0;
  Index exchanges = 0;
  std::uint64_t bytes = 0;
  std::vector<double> objectives;  ///< of the offline methods, per alternation
  bool converged = true;           ///< of the offline methods
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
