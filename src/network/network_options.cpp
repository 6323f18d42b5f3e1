// SPDX-License-Identifier: Apache-2.0
#include <colla/error.hpp>
#include <colla/network_options.hpp>

#include <cmath>

namespace colla {

void check(const NetworkOptions& options, const Graph& graph) {
  check(options.agent);
  const bool has_edges = !graph.edges().empty();
  if (!std::isfinite(options.rho) || options.rho < 0.0 || (has_edges && options.rho == 0.0)) {
    throw OptionError("rho must be a number above 0 where agents exchange", "", "try 1");
  }
}

}  // namespace colla
