// SPDX-License-Identifier: Apache-2.0
#include "training/memory.hpp"

#include <colla/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace colla {
namespace {

double bytes_of(const AgentOptions& agent, Index tasks, Index gamma_size) {
  const Solver path = solver_for(agent.solver, agent.features, agent.atoms, tasks, gamma_size);
  return knowledge_bytes(path, agent.features, agent.atoms);
}

// With all tasks of a stream, each Gamma in its smaller form.
double bytes_of(const AgentOptions& agent, const Stream& stream) {
  std::map<std::string, Index> sizes;
  for (const Batch& batch : stream.batches) {
    sizes[batch.task] = std::min(batch.X.rows(), agent.features) * agent.features;
  }
  Index gamma_size = 0;
  for (const auto& [task, size] : sizes) gamma_size += size;
  return bytes_of(agent, std::ssize(sizes), gamma_size);
}

void check_atoms(const AgentOptions& agent, double bytes) {
  check_memory(bytes, static_cast<double>(agent.atoms), "atoms", "atoms");
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
  check_atoms(agent, static_cast<double>(agents) * bytes_of(agent, 0, 0));
}

void check_memory(const AgentOptions& agent, const DataSet& data) {
  double bytes = 0.0;
  for (const Stream& stream : data.agents) bytes += bytes_of(agent, stream);
  check_atoms(agent, bytes);
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
