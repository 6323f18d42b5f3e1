// SPDX-License-Identifier: Apache-2.0
#include "experiment/algorithm.hpp"

#include <algorithm>

namespace colla {

const std::map<std::string, Algorithm> algorithm_names = {
    {"colla", Algorithm::colla},
    {"ella", Algorithm::ella},
    {"stl", Algorithm::stl},
    {"go-mtl", Algorithm::go_mtl},
    {"offline-colla", Algorithm::offline_colla}};

const std::string& name_of(Algorithm algorithm) {
  const auto has_it = [algorithm](const auto& entry) { return entry.second == algorithm; };
  return std::find_if(algorithm_names.begin(), algorithm_names.end(), has_it)->first;
}

bool is_online(Algorithm algorithm) {
  return algorithm == Algorithm::colla || algorithm == Algorithm::ella;
}

bool runs_agents(Algorithm algorithm) { return is_online(algorithm) || uses_graph(algorithm); }

bool uses_graph(Algorithm algorithm) {
  return algorithm == Algorithm::colla || algorithm == Algorithm::offline_colla;
}

}  // namespace colla
