// SPDX-License-Identifier: Apache-2.0
// Tasks whose true models are sparse combinations of a known dictionary.
#pragma once

#include "data/dataset.hpp"

#include <colla/random.hpp>

namespace colla {

struct SyntheticOptions {
  Problem problem = Problem::regression;
  Index agents = 1;
  Index tasks_per_agent = 20;
  Index rows = 40;      ///< M, of each task
  Index features = 10;  ///< d
  Index atoms = 4;      ///< u, of the true dictionary
  Index active = 2;     ///< atoms with a nonzero coefficient in each task
  double noise = 0.5;   ///< regression: standard deviation of y - x.theta; classification: of the
                        ///< margin x.theta before its sign is taken
  std::uint64_t seed = 1;
};

/// The data and the truth they were made from.
struct SyntheticData {
  DataSet data;
  Matrix dictionary;                       ///< d x u, standard normal entries
  std::vector<std::vector<Vector>> codes;  ///< per agent and task: u entries, `active` nonzero
};

/// x standard normal, theta = L s, y = x.theta + noise (or the sign of that). Every task of a
/// classification set has both classes. Agents are "agent-0", ..., each with "task-0", ...; a task
/// is the same however many agents and tasks there are. Throws OptionError.
SyntheticData make_tasks(const SyntheticOptions& options);

}  // namespace colla
