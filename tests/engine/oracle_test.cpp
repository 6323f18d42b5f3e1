// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include "engines.hpp"
#include "network_problems.hpp"

#include <colla/learning.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace colla {
namespace {

// Z of an edge, as the smaller end has it; the larger end must have the same bits.
Matrix dual_of(const Graph& graph, const std::vector<testing::AgentNumbers>& states,
               const Edge& edge) {
  const auto dual = [&](Index agent, Index neighbour) {
    return states[static_cast<std::size_t>(agent)]
        .duals[static_cast<std::size_t>(graph.slot(agent, neighbour))];
  };
  EXPECT_EQ(dual(edge.i, edge.j), dual(edge.j, edge.i));
  return dual(edge.i, edge.j);
}

bool has_all_agents(const Engine& engine) {
  for (Index i = 0; i < engine.graph().agents(); ++i) {
    if (!engine.is_local(i)) return false;
  }
  return true;
}

using Case = std::tuple<std::string, Solver, testing::EngineCase>;
class NetworkOracle : public ::testing::TestWithParam<Case> {};

TEST_P(NetworkOracle, codes_dictionaries_and_duals_follow_step_by_step) {
  const auto& [name, solver, kind] = GetParam();
  const auto json = oracle::load(name);
  NetworkOptions options;
  options.agent = oracle::agent_options(json);
  options.rho = json["rho"];
  options.agent.solver = solver;
  for (const auto& count : json["iterations"]) options.exchanges.listed.push_back(count);
  const Graph graph = oracle::graph(json);
  const auto engine = kind.make(graph, options, Matrix(oracle::matrix(json["initial_dictionary"])));
  std::vector<std::vector<std::string>> known(static_cast<std::size_t>(graph.agents()));
  for (std::size_t t = 0; t < json["steps"].size(); ++t) {
    SCOPED_TRACE("step " + std::to_string(t));
    std::vector<Samples> X;
    std::vector<Vector> y;
    X.reserve(json["steps"][t].size());
    y.reserve(json["steps"][t].size());
    std::vector<Arrival> arrivals;
    for (const auto& task : json["steps"][t]) {
      X.push_back(oracle::matrix(task["X"]));
      y.push_back(oracle::vector(task["y"]));
      arrivals.push_back({task["agent"], task["task"], X.back(), y.back()});
    }
    const StepOptions step = step_options(options, static_cast<Index>(t) + 1);
    const StepSummary summary = learn_step(*engine, arrivals, step);
    EXPECT_EQ(summary.exchanges, graph.edges().empty() ? 1 : step.exchanges);

    const auto& expect = json["expect"][t];
    const auto states = testing::states(*engine);
    for (const Arrival& arrival : arrivals) {
      const auto agent = static_cast<std::size_t>(arrival.agent);
      auto position = std::find(known[agent].begin(), known[agent].end(), arrival.task);
      if (position == known[agent].end()) {
        position = known[agent].insert(position, arrival.task);
      }
      const Vector& code =
          states[agent].codes[static_cast<std::size_t>(position - known[agent].begin())];
      EXPECT_LT(oracle::distance(code, oracle::vector(expect["s"][arrival.task])), 1e-8);
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      EXPECT_LT(oracle::distance(states[i].dictionary, oracle::matrix(expect["L"][i])), 1e-8);
    }
    for (std::size_t l = 0; l < json["edges"].size(); ++l) {
      const Edge edge{json["edges"][l][0], json["edges"][l][1]};
      EXPECT_LT(oracle::distance(dual_of(graph, states, edge), oracle::matrix(expect["Z"][l])),
                1e-8);
    }
  }
  if (!has_all_agents(*engine)) return;
  EXPECT_LT(oracle::distance(testing::consensus_optimum(*engine),
                             oracle::matrix(json["consensus_optimum"])),
            1e-8);
}

INSTANTIATE_TEST_SUITE_P(Oracles, NetworkOracle,
                         ::testing::Combine(::testing::ValuesIn(oracle::networks),
                                            ::testing::Values(Solver::dense, Solver::matrix_free),
                                            ::testing::ValuesIn(testing::engines_under_test())),
                         [](const auto& instance) {
                           const std::string name = oracle::test_name(std::get<0>(instance.param));
                           return name +
                                  (std::get<1>(instance.param) == Solver::dense ? "_dense_"
                                                                                : "_matrix_free_") +
                                  std::get<2>(instance.param).name;
                         });

}  // namespace
}  // namespace colla
