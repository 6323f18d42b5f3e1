// SPDX-License-Identifier: Apache-2.0
#include "network/agent_shares.hpp"

#include <algorithm>

namespace colla {
namespace {

constexpr Index exchanges = 8;        // enough for the overlap of one with the next to show
constexpr double message_time = 0.1;  // of one to another process, in exchanges of one agent

}  // namespace

double exchange_time(const Graph& graph, const std::vector<int>& owners, int processes) {
  std::vector<double> finished(owners.size(), 0.0);
  std::vector<double> free(static_cast<std::size_t>(processes), 0.0);
  for (Index k = 0; k < exchanges; ++k) {
    for (std::size_t i = 0; i < owners.size(); ++i) {
      double& process = free[static_cast<std::size_t>(owners[i])];
      for (const Link& link : graph.links(static_cast<Index>(i))) {
        const auto j = static_cast<std::size_t>(link.neighbour);
        if (finished[j] == 0.0) continue;  // larger, in the first exchange
        process = std::max(process, finished[j] + (owners[j] == owners[i] ? 0.0 : message_time));
      }
      process += 1.0;
      finished[i] = process;
    }
  }
  return *std::max_element(free.begin(), free.end());
}

std::vector<int> share_agents(const Graph& graph, int processes) {
  const Index agents = graph.agents();
  std::vector<int> blocks;
  std::vector<int> in_turn;
  for (Index i = 0; i < agents; ++i) {
    blocks.push_back(static_cast<int>(i * processes / agents));
    in_turn.push_back(static_cast<int>(i % processes));
  }
  const bool blocks_are_faster =
      exchange_time(graph, blocks, processes) <= exchange_time(graph, in_turn, processes);
  return blocks_are_faster ? blocks : in_turn;
}

}  // namespace colla
