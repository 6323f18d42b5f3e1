// SPDX-License-Identifier: Apache-2.0
// One trial: which agent gets which tasks in which order, and which rows are for the test.
// Everything follows from (seed, trial), so that all methods see the same trial.
#pragma once

#include "data/registry.hpp"
#include "training/split.hpp"

#include <cstdint>
#include <vector>

namespace colla {

struct Trial {
  std::uint64_t seed = 0;  ///< of everything random in the trial
  SplitData rows;          ///< one stream per agent
  /// Per agent, in order of arrival: positions in the data's stream. No task is in it twice.
  std::vector<std::vector<Index>> tasks;
};

/// Deals the tasks at random. Agents are divided evenly among the groups, and every agent of a
/// group gets equally many of its tasks; those left over (fewer than the group has agents) are not
/// in the trial. Throws OptionError if the groups do not divide the agents, or one has too few
/// tasks.
std::vector<std::vector<Index>> deal_tasks(const std::vector<Index>& group, Index agents,
                                           std::uint64_t seed);

/// `trial` counts from 0.
Trial make_trial(const PreparedData& data, Index agents, double test_fraction, std::uint64_t seed,
                 Index trial);

/// The n-th split of training rows into rows that train and rows that validate.
SplitData validation_split(const DataSet& training_rows, double validation_fraction,
                           std::uint64_t trial_seed, Index n);

}  // namespace colla
