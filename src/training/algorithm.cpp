// SPDX-License-Identifier: Apache-2.0
#include "training/algorithm.hpp"

namespace colla {

bool is_online(Algorithm algorithm) {
  return algorithm == Algorithm::bayes || algorithm == Algorithm::colla ||
         algorithm == Algorithm::ella;
}

bool runs_agents(Algorithm algorithm) { return is_online(algorithm) || uses_graph(algorithm); }

bool uses_graph(Algorithm algorithm) { return algorithm == Algorithm::bayes || has_rho(algorithm); }

bool has_dictionary(Algorithm algorithm) {
  return algorithm != Algorithm::stl && algorithm != Algorithm::bayes;
}

bool has_ridge(Algorithm algorithm) { return algorithm != Algorithm::bayes; }

TaskClasses classes_for(Algorithm algorithm) {
  return algorithm == Algorithm::bayes ? TaskClasses::any : TaskClasses::both;
}

bool has_rho(Algorithm algorithm) {
  return algorithm == Algorithm::colla || algorithm == Algorithm::offline_colla;
}

}  // namespace colla
