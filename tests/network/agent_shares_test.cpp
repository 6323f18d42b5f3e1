// SPDX-License-Identifier: Apache-2.0
#include "network/agent_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace colla {
namespace {

TEST(AgentShares, every_process_gets_as_many_agents_give_or_take_one) {
  for (const std::string& name : graph_names()) {
    for (const Index agents : {1, 2, 7, 64}) {
      for (const int processes : {1, 2, 3, 8}) {
        const std::vector<int> owners = share_agents(make_graph(name, agents, 1), processes);
        ASSERT_EQ(std::ssize(owners), agents);
        for (int process = 0; process < processes; ++process) {
          const auto share = std::count(owners.begin(), owners.end(), process);
          EXPECT_GE(share, agents / processes) << name;
          EXPECT_LE(share, (agents + processes - 1) / processes) << name;
        }
      }
    }
  }
}

// On a line a block waits for one neighbour only; among many neighbours the next number may be free
// to run.
TEST(AgentShares, a_line_is_cut_into_blocks_and_a_dense_graph_is_dealt_in_turn) {
  EXPECT_EQ(share_agents(make_graph("line", 6, 1), 2), (std::vector<int>{0, 0, 0, 1, 1, 1}));
  const Graph drawn = make_graph("random", 64, 1);
  const Graph dense = drawn.renumbered(colour_order(drawn));
  EXPECT_EQ(share_agents(dense, 2)[1], 1);
}

TEST(AgentShares, one_process_takes_the_time_of_all_exchanges) {
  const Graph graph = make_graph("random", 10, 1);
  const double alone = exchange_time(graph, share_agents(graph, 1), 1);
  EXPECT_DOUBLE_EQ(alone, 8.0 * 10.0);
  const Graph by_colour = graph.renumbered(colour_order(graph));
  EXPECT_LT(exchange_time(by_colour, share_agents(by_colour, 2), 2), alone / 1.2);
}

}  // namespace
}  // namespace colla
