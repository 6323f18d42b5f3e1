// SPDX-License-Identifier: Apache-2.0
#include "experiment/trial.hpp"

#include "experiment/random_purposes.hpp"

#include <colla/error.hpp>
#include <colla/random.hpp>

#include <algorithm>

namespace colla {
namespace {

std::vector<Index> members_of(const std::vector<Index>& group, Index number) {
  std::vector<Index> tasks;
  for (std::size_t k = 0; k < group.size(); ++k) {
    if (group[k] == number) tasks.push_back(static_cast<Index>(k));
  }
  return tasks;
}

DataSet dealt(const PreparedData& prepared, const std::vector<std::vector<Index>>& tasks) {
  const DataSet& data = prepared.data;
  DataSet result{data.name, data.problem, data.features, {}, data.has_intercept};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Stream stream{"agent-" + std::to_string(i), {}};
    for (const Index k : tasks[i]) {
      stream.batches.push_back(data.agents.front().batches[static_cast<std::size_t>(k)]);
    }
    result.agents.push_back(std::move(stream));
  }
  return result;
}

}  // namespace

std::vector<std::vector<Index>> deal_tasks(const std::vector<Index>& group, Index agents,
                                           std::uint64_t seed) {
  const Index groups = group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + 1;
  if (groups < 1 || agents < 1 || agents % groups != 0) {
    throw OptionError(std::to_string(agents) + " cannot be divided among the " +
                          std::to_string(groups) + " groups of the data's tasks",
                      "agents", "give a multiple of the number of groups");
  }
  const Index members = agents / groups;
  Random random(seed, {dealing_purpose});
  std::vector<std::vector<Index>> tasks;
  for (Index g = 0; g < groups; ++g) {
    std::vector<Index> order = members_of(group, g);
    random.shuffle(order);
    const Index share = static_cast<Index>(order.size()) / members;
    if (share < 1) {
      throw OptionError(std::to_string(agents) + " are too many for the tasks", "agents",
                        "give fewer");
    }
    for (Index i = 0; i < members; ++i) {
      tasks.emplace_back(order.begin() + i * share, order.begin() + (i + 1) * share);
    }
  }
  return tasks;
}

Trial make_trial(const PreparedData& data, Index agents, double test_fraction, std::uint64_t seed,
                 Index trial) {
  Trial result;
  result.seed = Random(seed, {trial_purpose, static_cast<std::uint64_t>(trial), 0}).bits();
  result.tasks = deal_tasks(data.group, agents, result.seed);
  result.rows = split(dealt(data, result.tasks), test_fraction, result.seed);
  return result;
}

SplitData validation_split(const DataSet& training_rows, double validation_fraction,
                           std::uint64_t trial_seed, Index n) {
  Random random(trial_seed, {validation_purpose, static_cast<std::uint64_t>(n), 0});
  return split(training_rows, validation_fraction, random.bits());
}

}  // namespace colla
