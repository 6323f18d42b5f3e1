// SPDX-License-Identifier: Apache-2.0
#include "training/memory.hpp"

#include <colla/error.hpp>

#include <unistd.h>

#include <sstream>

namespace colla {
namespace {

double bytes_of(const AgentOptions& agent) {
  const auto d = static_cast<double>(agent.features);
  const auto u = static_cast<double>(agent.atoms);
  const bool dense = agent.solver == Solver::dense || d * u <= 2000.0;
  const double system = dense ? 2.0 * d * u * d * u : 12.0 * d * u + 2.0 * d * d;
  return 8.0 * (system + 3.0 * u * u + 4.0 * d * u);
}

}  // namespace

void check_memory(double bytes, double count, const std::string& noun, const std::string& key) {
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes < 0.8 * present) return;
  std::ostringstream text;
  text << count << " " << noun << " would take about ";
  text.precision(3);
  text << 1e-9 * bytes << " GB, and this machine has " << 1e-9 * present;
  throw SettingError(key, text.str(), "give fewer");
}

void check_memory(const AgentOptions& agent, Index agents) {
  check_memory(static_cast<double>(agents) * bytes_of(agent), static_cast<double>(agent.atoms),
               "atoms", "atoms");
}

void check_edge_memory(const AgentOptions& agent, double edges) {
  // Each end has the other's dictionary and the dual; the edge itself is in a few lists.
  const double matrix =
      8.0 * static_cast<double>(agent.features) * static_cast<double>(agent.atoms);
  check_memory(edges * (4.0 * matrix + 200.0), edges, "edges", "graph");
}

double count_edges(const std::string& graph, Index agents) {
  const auto n = static_cast<double>(agents);
  if (graph == "complete") return n * (n - 1.0) / 2.0;
  if (graph == "random") return n * (n - 1.0) / 4.0;
  return graph == "none" ? 0.0 : n;
}

}  // namespace colla
