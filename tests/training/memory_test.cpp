// SPDX-License-Identifier: Apache-2.0
#include "training/memory.hpp"

#include <colla/error.hpp>
#include <colla/graph.hpp>

#include <gtest/gtest.h>

namespace colla {
namespace {

TEST(Memory, graphs_are_counted_as_they_are_made) {
  for (const std::string& name : graph_names()) {
    const double made = static_cast<double>(make_graph(name, 20, 1).edges().size());
    EXPECT_NEAR(count_edges(name, 20), made, 1.0) << name;
  }
}

TEST(Memory, edges_that_no_machine_can_hold_are_refused) {
  AgentOptions agent;
  agent.features = 10;
  agent.atoms = 4;
  EXPECT_NO_THROW(check_edge_memory(agent, count_edges("complete", 100)));
  EXPECT_THROW(check_edge_memory(agent, count_edges("complete", 1'000'000)), OptionError);
}

TEST(Memory, atoms_that_no_machine_can_hold_are_refused) {
  AgentOptions agent;
  agent.features = 2;
  const Batch batch = {{"a", Samples::Ones(3, 2), Vector::Ones(3)}, ""};
  DataSet data;
  data.agents = {{"agent-0", {batch}}, {"agent-1", {batch}}};
  EXPECT_NO_THROW(check_memory(agent, data));
  EXPECT_NO_THROW(check_memory(agent, 2));
  agent.atoms = 10'000'000;
  EXPECT_THROW(check_memory(agent, data), OptionError);
  EXPECT_THROW(check_memory(agent, 2), OptionError);
}

}  // namespace
}  // namespace colla
