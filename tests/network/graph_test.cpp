// SPDX-License-Identifier: Apache-2.0
#include <colla/error.hpp>
#include <colla/exchange_plan.hpp>
#include <colla/graph.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace colla {
namespace {

Graph any_graph() {
  const auto name = *rc::gen::elementOf(graph_names());
  const Index agents = *rc::gen::inRange<Index>(1, 30);
  return make_graph(name, agents, *rc::gen::arbitrary<std::uint64_t>());
}

TEST(Graph, the_named_graphs_have_their_edges) {
  EXPECT_EQ(make_graph("line", 4, 1).edges(), (std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(make_graph("star", 4, 1).edges(), (std::vector<Edge>{{0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(make_graph("ring", 4, 1).edges(), (std::vector<Edge>{{0, 1}, {0, 3}, {1, 2}, {2, 3}}));
  EXPECT_EQ(make_graph("ring", 2, 1).edges(), (std::vector<Edge>{{0, 1}}));
  EXPECT_EQ(make_graph("complete", 4, 1).edges().size(), 6U);
  EXPECT_EQ(make_graph("random", 8, 1).edges(), (std::vector<Edge>{{0, 1},
                                                                   {0, 3},
                                                                   {0, 4},
                                                                   {0, 6},
                                                                   {1, 4},
                                                                   {1, 6},
                                                                   {2, 5},
                                                                   {2, 6},
                                                                   {3, 4},
                                                                   {3, 6},
                                                                   {3, 7},
                                                                   {4, 6},
                                                                   {5, 7},
                                                                   {6, 7}}));
  EXPECT_TRUE(make_graph("none", 4, 1).edges().empty());
  EXPECT_THROW(make_graph("tree", 4, 1), OptionError);
}

RC_GTEST_PROP(Graph, every_named_graph_with_edges_is_connected, (std::uint64_t seed)) {
  const Index agents = *rc::gen::inRange<Index>(1, 40);
  for (const std::string& name : graph_names()) {
    const Graph graph = make_graph(name, agents, seed);
    RC_ASSERT(graph.is_connected() == (name != "none" || agents == 1));
  }
}

RC_GTEST_PROP(Graph, neighbours_have_different_colours, ()) {
  const Graph graph = any_graph();
  const std::vector<Index> colours = graph.colouring();
  for (const Edge& edge : graph.edges()) {
    RC_ASSERT(colours[static_cast<std::size_t>(edge.i)] !=
              colours[static_cast<std::size_t>(edge.j)]);
  }
}

RC_GTEST_PROP(Graph, renumbering_by_colour_keeps_the_graph, ()) {
  const Graph graph = any_graph();
  const std::vector<Index> order = colour_order(graph);
  const Graph renumbered = graph.renumbered(order);
  std::set<std::pair<Index, Index>> expected;
  for (const Edge& edge : graph.edges()) expected.insert({edge.i, edge.j});
  std::set<std::pair<Index, Index>> actual;
  for (const Edge& edge : renumbered.edges()) {
    const Index a = order[static_cast<std::size_t>(edge.i)];
    const Index b = order[static_cast<std::size_t>(edge.j)];
    actual.insert({std::min(a, b), std::max(a, b)});
  }
  RC_ASSERT(actual == expected);
}

TEST(Graph, a_line_needs_two_colours_and_a_complete_graph_as_many_as_agents) {
  const auto colours_of = [](const char* name) {
    const auto colours = make_graph(name, 7, 1).colouring();
    return 1 + *std::max_element(colours.begin(), colours.end());
  };
  EXPECT_EQ(colours_of("line"), 2);
  EXPECT_EQ(colours_of("star"), 2);
  EXPECT_EQ(colours_of("ring"), 3);
  EXPECT_EQ(colours_of("complete"), 7);
}

TEST(Graph, impossible_edges_are_named) {
  const auto message = [](std::vector<Edge> edges) -> std::string {
    try {
      const Graph graph(3, std::move(edges));
      return "";
    } catch (const OptionError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message({{0, 1}, {2, 1}}), "");
  EXPECT_EQ(message({{0, 3}}),
            "edge 0,3: joins an agent that does not exist; agents are counted from 0 to 2");
  EXPECT_NE(message({{-1, 1}}), "");
  EXPECT_EQ(message({{1, 1}}), "edge 1,1: joins an agent to itself; remove it");
  EXPECT_EQ(message({{0, 1}, {1, 0}}), "edge 0,1: appears twice; remove one");
  EXPECT_FALSE(Graph(3, {{0, 1}}).is_connected());
}

TEST(ExchangePlan, is_a_number_or_decays_with_time) {
  EXPECT_EQ(parse_exchange_plan("7").at(3), 7);
  const ExchangePlan plan = parse_exchange_plan("5+20/t");
  EXPECT_EQ(plan.at(1), 25);
  EXPECT_EQ(plan.at(3), 5 + 7);  // 20/3 rounded up
  EXPECT_EQ(plan.at(1000), 6);
  EXPECT_EQ(to_string(plan), "5+20/t");
  EXPECT_EQ(parse_exchange_plan("0+4/t").at(100), 1);
  const ExchangePlan list = parse_exchange_plan("5,4000,7");
  EXPECT_EQ(list.at(1), 5);
  EXPECT_EQ(list.at(2), 4000);
  EXPECT_EQ(list.at(9), 7);
  EXPECT_EQ(to_string(list), "5,4000,7");
  for (const char* text : {"", "0", "-1", "1.5", "x", "3+", "3+4", "3+4/s", "3+/t", "+4/t", "0+0/t",
                           "99999999999999999999", "3 ", "3,", ",3", "3,0", "3,4+5/t"}) {
    EXPECT_THROW(parse_exchange_plan(text), OptionError) << text;
  }
}

}  // namespace
}  // namespace colla
