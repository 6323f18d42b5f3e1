// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/names.hpp>

namespace colla {

enum class Algorithm {
  colla,          ///< agents learn task after task and exchange dictionaries
  ella,           ///< the same without exchanges
  stl,            ///< every task on its own
  go_mtl,         ///< one agent with all tasks at once, on the true loss
  offline_colla,  ///< the network with all tasks at once
};

template <>
struct Names<Algorithm> {
  static constexpr Named<Algorithm> all[] = {{Algorithm::colla, "colla"},
                                             {Algorithm::ella, "ella"},
                                             {Algorithm::stl, "stl"},
                                             {Algorithm::go_mtl, "go-mtl"},
                                             {Algorithm::offline_colla, "offline-colla"}};
};

/// True if the agents learn one task after another.
bool is_online(Algorithm algorithm);
/// True if lifelong agents in an engine learn the tasks.
bool runs_agents(Algorithm algorithm);
/// True if the agents exchange dictionaries over a graph.
bool uses_graph(Algorithm algorithm);
/// True if tasks share a dictionary.
bool has_dictionary(Algorithm algorithm);

}  // namespace colla
