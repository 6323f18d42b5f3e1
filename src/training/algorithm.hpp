// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/names.hpp>
#include <colla/problem.hpp>

namespace colla {

enum class Algorithm {
  bayes,          ///< agents learn task after task and exchange means: the collective prior
  colla,          ///< agents learn task after task and exchange dictionaries
  ella,           ///< the same without exchanges
  stl,            ///< every task on its own
  go_mtl,         ///< one agent with all tasks at once, on the true loss
  offline_colla,  ///< the network with all tasks at once
};

template <>
struct Names<Algorithm> {
  static constexpr Named<Algorithm> all[] = {
      {Algorithm::bayes, "bayes"},   {Algorithm::colla, "colla"},
      {Algorithm::ella, "ella"},     {Algorithm::stl, "stl"},
      {Algorithm::go_mtl, "go-mtl"}, {Algorithm::offline_colla, "offline-colla"}};
};

/// True if the agents learn one task after another.
bool is_online(Algorithm algorithm);
/// True if agents in an engine learn the tasks.
bool runs_agents(Algorithm algorithm);
/// True if the agents exchange what they know over a graph.
bool uses_graph(Algorithm algorithm);
/// True if tasks share a dictionary.
bool has_dictionary(Algorithm algorithm);
/// True if tasks are fitted with a ridge penalty.
bool has_ridge(Algorithm algorithm);
/// True if agents exchange dictionaries with a penalty on disagreement.
bool has_rho(Algorithm algorithm);
/// What it needs of every task.
TaskClasses classes_for(Algorithm algorithm);

}  // namespace colla
