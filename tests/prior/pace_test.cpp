// SPDX-License-Identifier: Apache-2.0
// How agents with a prior agree: on the way they have averages over tasks, and their pace does not
// depend on numbers of tasks.
#include <colla/inprocess_engine.hpp>
#include <colla/random.hpp>

#include <gtest/gtest.h>

namespace colla {
namespace {

constexpr Index participants = 4;
constexpr Index width = 3;

NetworkOptions options_for(const Graph& graph) {
  NetworkOptions options;
  options.agent.features = width;
  options.agent.prior = prior_of_network(graph, width);
  options.rho = averaging_penalty(graph);
  return options;
}

TaskRows random_task(Random& random, const std::string& name) {
  return {name, random.normal_matrix(6, width), random.normal_matrix(6, 1)};
}

class Pace : public ::testing::TestWithParam<std::string> {};

// One task each in the 200th step or the first, and 50 in the first.
TEST_P(Pace, agents_agree_as_fast_whatever_their_numbers_of_tasks) {
  const Graph graph = make_graph(GetParam(), participants, 1);
  struct Case {
    int steps_before;
    int tasks;
  };
  for (const Case& each : {Case{199, 1}, Case{0, 1}, Case{0, 50}}) {
    Random random(1);
    InProcessEngine engine(graph, options_for(graph));
    for (int t = 0; t < each.steps_before; ++t) engine.begin_step({});
    std::vector<TaskRows> tasks;
    for (int k = 0; k < each.tasks * static_cast<int>(participants); ++k) {
      tasks.push_back(random_task(random, std::to_string(k)));
    }
    std::vector<Arrival> arrivals;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      arrivals.push_back(arrival_of(static_cast<Index>(k) % participants, tasks[k]));
    }
    engine.begin_step(arrivals);
    engine.exchange(20);
    EXPECT_LT(consensus_gap(engine), 1e-3) << each.steps_before << " " << each.tasks;
  }
}

// Three tasks, one and none; all the same rows, so that there is one average, however weighted.
TEST_P(Pace, averages_are_over_tasks_before_the_agents_agree) {
  const Graph graph = make_graph(GetParam(), participants, 1);
  Random random(2);
  const TaskRows rows = random_task(random, "");
  Participant alone(options_for(Graph(1, {})), Graph(1, {}), 0);
  alone.begin_step();
  alone.absorb("task", rows.X, rows.y);
  alone.exchange();
  const Vector mean = alone.prior_agent().prior(0).mean;

  InProcessEngine engine(graph, options_for(graph));
  const std::vector<TaskRows> tasks = {
      {"a", rows.X, rows.y}, {"b", rows.X, rows.y}, {"c", rows.X, rows.y}};
  const std::vector<Arrival> arrivals = {arrival_of(0, tasks[0]), arrival_of(0, tasks[1]),
                                         arrival_of(0, tasks[2]), arrival_of(1, tasks[0])};
  engine.begin_step(arrivals);
  for (int k = 1; k <= 6; ++k) {
    engine.exchange(1);
    for (Index i = 0; i < participants; ++i) {
      const Vector found = engine.participant(i).prior_agent().prior(0).mean;
      const bool has_heard = !found.isZero(0.0);
      EXPECT_TRUE(has_heard || k < 4) << i;
      if (!has_heard) continue;
      EXPECT_LT((found - mean).norm(), 1e-12) << i << " after " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, Pace,
                         ::testing::Values("line", "star", "ring", "complete", "random"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace colla
