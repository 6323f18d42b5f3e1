// SPDX-License-Identifier: Apache-2.0
// `colla simulate`: a network of living agents in virtual time, as a file describes it.
#pragma once

#include "data/synthetic.hpp"
#include "engine/simulator/storm.hpp"

#include <optional>
#include <string_view>

namespace colla {

struct SimulationSpec {
  std::string name;
  std::string folder;  ///< where the paths of files start
  std::uint64_t seed = 1;
  std::string graph = "line";
  Index agents = 0;  ///< 0: as many as the data have

  std::string data;                           ///< a registered set or a file, or else ...
  std::optional<SyntheticOptions> synthetic;  ///< ... tasks made for it
  double every = 0.0;  ///< each agent is given its next task so often; 0: all at the beginning

  bool has_prior = false;  ///< the method bayes
  NetworkOptions network;
  LivingOptions living;

  StormOptions storm;
  double storm_until = 0.0;      ///< 0: there is none
  double most_time = 100'000.0;  ///< then the agents are not expected to settle any more
};

/// Throws DataError: file, line, key, what to do.
SimulationSpec read_simulation(const std::string& path);
/// The same from memory; `name` names the file in messages.
SimulationSpec parse_simulation(std::string_view text, const std::string& name);

/// How far the agents are from the optimum of the tasks that are there.
struct Distances {
  double farthest = 0.0;
  double median = 0.0;
};

struct SimulationResult {
  Index agents = 0;  ///< in the end, as tasks and edges
  Index tasks = 0;
  Index edges = 0;
  std::vector<Distances> course;  ///< after each unit of time
  double calm_from = 0.0;         ///< all tasks are given and the storm is over
  /// From then on until the farthest agent is so near, in wakes per agent; NaN: never.
  double exchanges_to_1e3 = 0.0;
  double exchanges_to_1e6 = 0.0;
  bool is_settled = false;
  SimulationCounts counts;
  std::uint64_t messages_since_calm = 0;
  StormCounts storm;
};

/// The agents' streams of tasks. Throws DataError or OptionError.
DataSet load_tasks(const SimulationSpec& spec, const std::string& data_folder);

/// Throws DataError if rows cannot be learned.
SimulationResult simulate(const SimulationSpec& spec, const DataSet& tasks);

}  // namespace colla
