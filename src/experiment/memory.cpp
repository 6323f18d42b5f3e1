// SPDX-License-Identifier: Apache-2.0
#include "experiment/memory.hpp"

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

void check_memory(const AgentOptions& agent, Index agents, const std::string& where) {
  const double needed = static_cast<double>(agents) * bytes_of(agent);
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed < 0.8 * present) return;
  std::ostringstream text;
  text << static_cast<double>(agent.atoms) << " atoms would take about ";
  text.precision(3);
  text << 1e-9 * needed << " GB, and this machine has " << 1e-9 * present;
  throw OptionError(text.str(), where, "give fewer");
}

}  // namespace colla
