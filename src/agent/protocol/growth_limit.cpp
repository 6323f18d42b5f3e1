// SPDX-License-Identifier: Apache-2.0
#include "agent/protocol/growth_limit.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace colla {
namespace {

// Edges between the neighbour and the farthest agent behind it, that is, reachable from it without
// passing this agent.
std::uint32_t depth_behind(const Graph& graph, Index neighbour, Index agent) {
  std::vector<bool> is_seen(static_cast<std::size_t>(graph.agents()), false);
  is_seen[static_cast<std::size_t>(agent)] = true;
  is_seen[static_cast<std::size_t>(neighbour)] = true;
  std::vector<Index> front = {neighbour};
  for (std::uint32_t depth = 0;; ++depth) {
    std::vector<Index> next;
    for (const Index i : front) {
      for (const Link& link : graph.links(i)) {
        if (is_seen[static_cast<std::size_t>(link.neighbour)]) continue;
        is_seen[static_cast<std::size_t>(link.neighbour)] = true;
        next.push_back(link.neighbour);
      }
    }
    if (next.empty()) return depth;
    front = std::move(next);
  }
}

}  // namespace

// All news of a round has arrived one exchange after the depth. One more leap allows for rounding.
GrowthLimit::GrowthLimit(const Graph& graph, Index neighbour, Index agent, double size)
    : most_leaps_(1 + depth_behind(graph, neighbour, agent) + 1), last_(size), largest_(size) {}

double GrowthLimit::growth_to(double size, double own_largest) const {
  return size / std::max({largest_, own_largest, std::numeric_limits<double>::min()});
}

void GrowthLimit::take(double size, double growth) {
  if (is_leap(growth)) ++leaps_;
  take(size);
}

void GrowthLimit::take(double size) {
  last_ = size;
  largest_ = std::max(largest_, size);
}

}  // namespace colla
