// SPDX-License-Identifier: Apache-2.0
#include "experiment/method_trial.hpp"

#include "experiment/search_ranges.hpp"
#include "training/measures.hpp"

#include <chrono>
#include <limits>

namespace colla {
namespace {

// Settings that are already fixed stay.
void fix_all_but_rho(FixedParameters& fixed, const HyperParameters& settings) {
  for (std::size_t k = 0; k < fixed.size(); ++k) {
    if (searched_settings()[k].key() != "rho") fixed[k] = fixed[k].value_or(settings[k]);
  }
}

std::vector<double> arrivals_by_agent(const TrainingResult& result, const DataSet& data) {
  std::vector<std::size_t> first;
  std::size_t count = 0;
  for (const Stream& stream : data.agents) {
    first.push_back(count);
    count += stream.batches.size();
  }
  std::vector<double> scores(count, std::numeric_limits<double>::quiet_NaN());
  for (const ArrivalScore& arrival : result.arrivals) {
    scores[first[arrival.agent] + arrival.batch] = arrival.score;
  }
  return scores;
}

}  // namespace

OfflineOptions offline_budget() {
  return {
      .exchange_tolerance = 1e-3,
      .most_exchanges = 100,
      .objective_tolerance = 1e-3,
      .most_alternations = 50,
  };
}

double validation_score(const TrainingResult& result, Algorithm algorithm) {
  if (!is_online(algorithm)) return result.final_score();
  DefinedMean mean;
  for (const StepReport& step : result.steps) mean.add(step.score);
  return mean.value();
}

TrainingResult run_method(const MethodSpec& method, const Protocol& protocol,
                          const HyperParameters& settings, const SplitData& rows,
                          std::uint64_t seed) {
  TrainingOptions options;
  options.algorithm = method.algorithm;
  settings.apply_to(options.network);
  options.network.agent.seed = seed;
  options.network.exchanges = protocol.exchanges;
  options.network.refresh = method.refresh;
  options.penalise_intercept = method.penalises_intercept;
  options.compare_alone = false;
  options.offline = offline_budget();
  const auto agents = static_cast<Index>(rows.train.agents.size());
  if (uses_graph(method.algorithm)) {
    options.edges = make_graph(method.graph, agents, protocol.graph_seed).edges();
  }
  return train(rows, options, nullptr);
}

const SplitData& ValidationSplits::at(Index n) {
  const auto found = made_.find(n);
  if (found != made_.end()) return found->second;
  return made_.emplace(n, validation_split(rows_, fraction_, seed_, n)).first->second;
}

Selection select_settings(const MethodSpec& method, const Protocol& protocol,
                          const DataSet& training_rows, std::uint64_t trial_seed,
                          const std::function<void()>& keep_going) {
  const SearchSpace space{method.algorithm, count_tasks(training_rows), method.fixed,
                          ranges_for(method.search.ranges, training_rows)};
  const auto score = [&](const HyperParameters& settings, const SplitData& rows) {
    if (keep_going) keep_going();
    const TrainingResult result = run_method(method, protocol, settings, rows, trial_seed);
    return validation_score(result, method.algorithm);
  };
  ValidationSplits splits(training_rows, method.search.validation_fraction, trial_seed);
  const SplitData same_rows{training_rows, training_rows};
  return select(
      method.search, space, main_measure(training_rows.problem).higher_is_better, trial_seed,
      [&](const HyperParameters& settings, Index n) { return score(settings, splits.at(n)); },
      [&](const HyperParameters& settings) { return score(settings, same_rows); });
}

MethodOutcome run_trial(const MethodSpec& method, const Protocol& protocol, const Trial& trial,
                        const Selection* given, const std::function<void()>& keep_going) {
  const auto start = std::chrono::steady_clock::now();
  MethodOutcome outcome;
  if (given != nullptr && !method.searches_rho) {
    outcome.selection = {with_fixed(given->settings, method.fixed), given->score, 0};
  } else {
    MethodSpec searching = method;
    if (given != nullptr) fix_all_but_rho(searching.fixed, given->settings);
    outcome.selection =
        select_settings(searching, protocol, trial.rows.train, trial.seed, keep_going);
  }
  const TrainingResult result =
      run_method(method, protocol, outcome.selection.settings, trial.rows, trial.seed);
  for (const StepReport& step : result.steps) {
    outcome.curve.push_back(step.score);
    if (!uses_graph(method.algorithm)) continue;
    outcome.gap.push_back(step.exchange.gap);
    outcome.exchanges.push_back(static_cast<double>(step.exchange.exchanges));
  }
  outcome.numerics = result.numerics();
  outcome.arrivals = arrivals_by_agent(result, trial.rows.train);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace colla
