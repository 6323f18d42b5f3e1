// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include "network_problems.hpp"

#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace colla {
namespace {

Graph graph_of(const oracle::Json& json) {
  std::vector<Edge> edges;
  for (const auto& edge : json["edges"]) edges.push_back({edge[0], edge[1]});
  return {json["agents"], edges};
}

NetworkOptions options_of(const oracle::Json& json) {
  NetworkOptions options;
  options.agent.problem = oracle::problem(json);
  options.agent.features = json["d"];
  options.agent.atoms = json["u"];
  options.agent.lambda = json["lambda"];
  options.agent.mu = json["mu"];
  options.agent.gamma = json["gamma"];
  options.rho = json["rho"];
  return options;
}

// Z of an edge, as the smaller end has it; the larger end must have the same bits.
Matrix dual_of(const Engine& engine, const Edge& edge) {
  const auto slot = [&engine](Index agent, Index neighbour) {
    const auto links = engine.graph().links(agent);
    const auto found = std::find_if(links.begin(), links.end(), [neighbour](const Link& link) {
      return link.neighbour == neighbour;
    });
    return static_cast<Index>(found - links.begin());
  };
  const Matrix& of_i = engine.participant(edge.i).dual(slot(edge.i, edge.j));
  EXPECT_EQ(of_i, engine.participant(edge.j).dual(slot(edge.j, edge.i)));
  return of_i;
}

using Case = std::tuple<std::string, Solver, int>;
class NetworkOracle : public ::testing::TestWithParam<Case> {};

TEST_P(NetworkOracle, codes_dictionaries_and_duals_follow_step_by_step) {
  const auto& [name, solver, threads] = GetParam();
  const auto json = oracle::load(name);
  NetworkOptions options = options_of(json);
  options.agent.solver = solver;
  options.threads = threads;
  const Graph graph = graph_of(json);
  InProcessEngine engine(graph, options, Matrix(oracle::matrix(json["initial_dictionary"])));
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
    StepOptions step;
    step.exchanges = json["iterations"][t];
    const StepSummary summary = learn_step(engine, arrivals, step);
    EXPECT_EQ(summary.exchanges, graph.edges().empty() ? 1 : step.exchanges);

    const auto& expect = json["expect"][t];
    for (const Arrival& arrival : arrivals) {
      const TaskRecord& record = engine.participant(arrival.agent).agent().record(arrival.task);
      EXPECT_LT(oracle::distance(record.code, oracle::vector(expect["s"][arrival.task])), 1e-8);
    }
    for (Index i = 0; i < graph.agents(); ++i) {
      EXPECT_LT(oracle::distance(engine.participant(i).dictionary(),
                                 oracle::matrix(expect["L"][static_cast<std::size_t>(i)])),
                1e-8);
    }
    for (std::size_t l = 0; l < json["edges"].size(); ++l) {
      const Edge edge{json["edges"][l][0], json["edges"][l][1]};
      EXPECT_LT(oracle::distance(dual_of(engine, edge), oracle::matrix(expect["Z"][l])), 1e-8);
    }
  }
  EXPECT_LT(oracle::distance(testing::consensus_optimum(engine),
                             oracle::matrix(json["consensus_optimum"])),
            1e-8);
}

INSTANTIATE_TEST_SUITE_P(Oracles, NetworkOracle,
                         ::testing::Combine(::testing::ValuesIn(oracle::networks),
                                            ::testing::Values(Solver::dense, Solver::matrix_free),
                                            ::testing::Values(1, 2)),
                         [](const auto& instance) {
                           std::string name = std::get<0>(instance.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name +
                                  (std::get<1>(instance.param) == Solver::dense ? "_dense_"
                                                                                : "_matrix_free_") +
                                  std::to_string(std::get<2>(instance.param));
                         });

}  // namespace
}  // namespace colla
