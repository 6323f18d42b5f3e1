// SPDX-License-Identifier: Apache-2.0
// Every engine gives the bits of one agent after the other in one process. Steps have the exchanges
// that the options plan: some engines know no others.
#include "engines.hpp"
#include "network/diagnosis.hpp"
#include "network_problems.hpp"
#include "numerics_problems.hpp"

#include <colla/error.hpp>
#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace colla {
namespace {

using testing::EngineCase;
using testing::network_options;
using testing::states;
using testing::TaskStream;

void expect_same(const StepSummary& a, const StepSummary& b) {
  EXPECT_EQ(a.exchanges, b.exchanges);
  EXPECT_EQ(a.primal_residual, b.primal_residual);
  EXPECT_EQ(a.dual_residual, b.dual_residual);
  EXPECT_EQ(a.gap, b.gap);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.numerics, b.numerics);
}

class EveryEngine : public ::testing::TestWithParam<EngineCase> {
 protected:
  static std::unique_ptr<Engine> make(const Graph& graph, const NetworkOptions& options) {
    return GetParam().make(graph, options, {});
  }
};

// Those whose exchanges may end at any time.
class UnplannedEngine : public EveryEngine {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UnplannedEngine);

std::vector<EngineCase> unplanned_engines() {
  std::vector<EngineCase> engines = testing::engines_under_test();
  std::erase_if(engines, [](const EngineCase& engine) { return engine.plans_steps; });
  return engines;
}

TEST_P(EveryEngine, learns_the_same_bits_on_every_graph) {
  for (const std::string& name : graph_names()) {
    for (const Problem problem : {Problem::regression, Problem::classification}) {
      SCOPED_TRACE(name);
      const TaskStream tasks(4, 9, 3, 6, 3, problem);
      NetworkOptions options = network_options(problem, 6, 3);
      options.exchanges = {30};
      options.refresh = 1;
      const Graph graph = make_graph(name, 9, 7);
      InProcessEngine reference(graph, options);
      const auto engine = make(graph, options);
      for (std::size_t t = 0; t < tasks.X.size(); ++t) {
        const StepOptions step = step_options(options, static_cast<Index>(t) + 1);
        expect_same(learn_step(*engine, tasks.arrivals(t), step),
                    learn_step(reference, tasks.arrivals(t), step));
        ASSERT_EQ(states(*engine), states(reference));
        ASSERT_EQ(network_objective(*engine), network_objective(reference));
        ASSERT_EQ(consensus_gap(*engine), consensus_gap(reference));
      }
    }
  }
}

TEST_P(EveryEngine, learns_the_same_collective_prior_on_every_graph) {
  for (const std::string& name : graph_names()) {
    for (const Problem problem : {Problem::regression, Problem::classification}) {
      SCOPED_TRACE(name);
      const TaskStream tasks(4, 9, 3, 6, 3, problem);
      const Graph graph = make_graph(name, 9, 7);
      NetworkOptions options = network_options(problem, 6, 3);
      options.agent.prior = prior_of_network(graph, 6, {0, 2, 5});
      if (!graph.edges().empty()) options.rho = averaging_penalty(graph);
      options.refresh = 2;
      InProcessEngine reference(graph, options);
      const auto engine = make(graph, options);
      for (std::size_t t = 0; t < tasks.X.size(); ++t) {
        const StepOptions step = step_options(options, static_cast<Index>(t) + 1);
        expect_same(learn_step(*engine, tasks.arrivals(t), step),
                    learn_step(reference, tasks.arrivals(t), step));
        ASSERT_EQ(states(*engine), states(reference));
      }
    }
  }
}

TEST_P(UnplannedEngine, heals_to_the_same_bits_on_every_graph) {
  for (const std::string& name : graph_names()) {
    for (const MetricKind metric : {MetricKind::kronecker, MetricKind::scale}) {
      SCOPED_TRACE(name);
      const TaskStream tasks(4, 9, 3, 6, 3);
      NetworkOptions options = network_options(Problem::regression, 6, 3);
      options.rule = Rule::healing;
      options.metric = metric;
      options.exchanges = {7};
      options.refresh = 1;
      const Graph graph = make_graph(name, 9, 7);
      InProcessEngine reference(graph, options);
      const auto engine = make(graph, options);
      for (std::size_t t = 0; t < tasks.X.size(); ++t) {
        const StepOptions step = step_options(options, static_cast<Index>(t) + 1);
        expect_same(learn_step(*engine, tasks.arrivals(t), step),
                    learn_step(reference, tasks.arrivals(t), step));
        ASSERT_EQ(states(*engine), states(reference));
      }
    }
  }
}

TEST_P(UnplannedEngine, stops_at_the_same_exchange_when_the_agents_agree) {
  const TaskStream tasks(10, 5, 2, 4, 2);
  const NetworkOptions options = network_options(Problem::regression, 4, 2);
  for (const char* name : {"complete", "line"}) {
    InProcessEngine reference(make_graph(name, 5, 1), options);
    const auto engine = make(make_graph(name, 5, 1), options);
    const StepOptions step{1000, 0.02, 0};
    for (std::size_t t = 0; t < 2; ++t) {
      const StepSummary expected = learn_step(reference, tasks.arrivals(t), step);
      EXPECT_LT(expected.exchanges, step.exchanges);
      expect_same(learn_step(*engine, tasks.arrivals(t), step), expected);
    }
  }
}

TEST_P(UnplannedEngine, learns_the_same_offline) {
  const TaskStream tasks(7, 4, 2, 3, 2);
  const NetworkOptions options = network_options(Problem::regression, 3, 2);
  InProcessEngine reference(make_graph("ring", 4, 3), options);
  const auto engine = make(make_graph("ring", 4, 3), options);
  OfflineOptions offline;
  offline.exchange_tolerance = 1e-2;
  offline.objective_tolerance = 1e-2;
  const OfflineSummary expected = learn_offline(reference, tasks.all_arrivals(), offline);
  const OfflineSummary found = learn_offline(*engine, tasks.all_arrivals(), offline);
  EXPECT_EQ(found.objectives, expected.objectives);
  EXPECT_EQ(found.exchanges, expected.exchanges);
  EXPECT_EQ(states(*engine), states(reference));
}

TEST_P(EveryEngine, gives_the_states_of_all_agents_to_the_first_process) {
  const TaskStream tasks(15, 5, 2, 4, 2);
  const NetworkOptions options = network_options(Problem::regression, 4, 2);
  InProcessEngine reference(make_graph("random", 5, 1), options);
  const auto engine = make(make_graph("random", 5, 1), options);
  for (std::size_t t = 0; t < 2; ++t) {
    learn_step(reference, tasks.arrivals(t), {});
    learn_step(*engine, tasks.arrivals(t), {});
  }
  const std::vector<AgentState> found = engine->states();
  if (found.empty()) {
    EXPECT_FALSE(engine->is_local(0));
    return;
  }
  ASSERT_EQ(found.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const AgentState expected = reference.participant(static_cast<Index>(i)).state();
    EXPECT_EQ(found[i].step, expected.step);
    EXPECT_EQ(found[i].dictionary, expected.dictionary);
    ASSERT_EQ(found[i].records.size(), expected.records.size());
    for (std::size_t t = 0; t < 2; ++t) {
      EXPECT_EQ(found[i].records[t].name, expected.records[t].name);
      EXPECT_EQ(found[i].records[t].code, expected.records[t].code);
    }
    ASSERT_EQ(found[i].edge_states.size(), expected.edge_states.size());
    for (std::size_t n = 0; n < expected.edge_states.size(); ++n) {
      EXPECT_EQ(found[i].edge_states[n].neighbour, expected.edge_states[n].neighbour);
      EXPECT_EQ(found[i].edge_states[n].dictionary, expected.edge_states[n].dictionary);
      EXPECT_EQ(found[i].edge_states[n].dual, expected.edge_states[n].dual);
    }
  }
}

TEST_P(EveryEngine, counts_the_numerics_of_all_agents_step_by_step) {
  NetworkOptions options = network_options(Problem::classification, testing::stalling_features, 2);
  options.agent.gamma = testing::stalling_gamma;
  const auto engine = make(make_graph("line", 5, 1), options);
  Random random(3);
  const testing::LabelledRows stalling = testing::stalling_rows();
  const testing::LabelledRows easy = {testing::random_rows(random, 20, stalling.X.cols()),
                                      testing::random_labels(random, 20)};
  const std::vector<Arrival> arrivals = {{0, "first", stalling.X, stalling.y},
                                         {2, "easy", easy.X, easy.y},
                                         {4, "last", stalling.X, stalling.y}};
  InProcessEngine reference(make_graph("line", 5, 1), options);
  const StepSummary summary = learn_step(*engine, arrivals, {});
  expect_same(summary, learn_step(reference, arrivals, {}));
  EXPECT_EQ(summary.numerics, (Numerics{2, 0, 0}));
  EXPECT_TRUE(learn_step(*engine, {}, {}).numerics.are_clean());
}

TEST_P(EveryEngine, diagnoses_the_same) {
  const TaskStream tasks(12, 6, 2, 4, 3);
  const NetworkOptions options = network_options(Problem::regression, 4, 3);
  const std::vector<std::vector<std::string>> names(6, {"first", "second"});
  InProcessEngine reference(make_graph("star", 6, 1), options);
  const auto engine = make(make_graph("star", 6, 1), options);
  for (std::size_t t = 0; t < 2; ++t) {
    learn_step(reference, tasks.arrivals(t), {});
    learn_step(*engine, tasks.arrivals(t), {});
  }
  const Diagnosis expected = diagnose(reference, names);
  const Diagnosis found = diagnose(*engine, names);
  EXPECT_EQ(found.rho_bound, expected.rho_bound);
  EXPECT_EQ(found.nonzero_share, expected.nonzero_share);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(found.agents[i].smallest, expected.agents[i].smallest);
    EXPECT_EQ(found.agents[i].condition, expected.agents[i].condition);
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(found.atoms[k].tasks, expected.atoms[k].tasks);
}

TEST_P(EveryEngine, refuses_bad_rows_with_the_first_arrivals_message_and_changes_nothing) {
  TaskStream tasks(13, 5, 2, 4, 2);
  const NetworkOptions options = network_options(Problem::regression, 4, 2);
  const auto engine = make(make_graph("line", 5, 1), options);
  learn_step(*engine, tasks.arrivals(0), {});
  const auto before = states(*engine);
  tasks.y[1][4][0] = tasks.y[1][2][0] = std::numeric_limits<double>::quiet_NaN();
  std::vector<Arrival> arrivals = tasks.arrivals(1);
  arrivals[2].task = "bad";
  try {
    engine->begin_step(arrivals);
    FAIL() << "took a target that is no number";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("bad"), std::string::npos) << error.what();
  }
  EXPECT_EQ(states(*engine), before);
  const std::vector<Arrival> good = {arrivals[0], arrivals[1], arrivals[3]};
  EXPECT_NO_THROW(learn_step(*engine, good, {}));
}

TEST_P(EveryEngine, runs_more_agents_than_processes_and_fewer) {
  for (const Index agents : {1, 2, 20}) {
    const TaskStream tasks(14, agents, 1, 3, 2);
    const NetworkOptions options = network_options(Problem::regression, 3, 2);
    InProcessEngine reference(make_graph("line", agents, 1), options);
    const auto engine = make(make_graph("line", agents, 1), options);
    learn_step(reference, tasks.arrivals(0), {});
    learn_step(*engine, tasks.arrivals(0), {});
    EXPECT_EQ(states(*engine), states(reference));
  }
}

TEST_P(EveryEngine, refuses_edges_without_a_penalty) {
  NetworkOptions options = network_options(Problem::regression, 4, 2);
  options.rho = 0.0;
  EXPECT_THROW(make(make_graph("line", 3, 1), options), OptionError);
  EXPECT_NO_THROW(make(make_graph("none", 3, 1), options));
}

std::string name_of_case(const ::testing::TestParamInfo<EngineCase>& instance) {
  return instance.param.name;
}
INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine, ::testing::ValuesIn(testing::engines_under_test()),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Engines, UnplannedEngine, ::testing::ValuesIn(unplanned_engines()),
                         name_of_case);

}  // namespace
}  // namespace colla
