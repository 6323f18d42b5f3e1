// SPDX-License-Identifier: Apache-2.0
#include "network_problems.hpp"
#include "oracle.hpp"

#include <colla/healing.hpp>
#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>

#include <gtest/gtest.h>
#include <unsupported/Eigen/KroneckerProduct>

#include <map>
#include <utility>

namespace colla {
namespace {

using testing::consensus_optimum;
using testing::network_options;
using testing::relative_difference;
using testing::TaskStream;

Matrix positive(Index order, std::uint64_t key) {
  const Matrix root = Random(3, {key}).normal_matrix(order, order + 1);
  return root * root.transpose();
}

// An independent implementation's wakes, some of whose messages are lost.
TEST(Healing, oracle) {
  for (const oracle::Json& problem : oracle::load("healing")) {
    struct End {
      Matrix M;
      Matrix z;
    };
    std::map<std::pair<Index, Index>, End> ends;
    for (const auto& [key, z] : problem["z"].items()) {
      const auto comma = key.find(',');
      ends[{std::stol(key), std::stol(key.substr(comma + 1))}].z = oracle::vector(z);
    }
    for (const auto& edge : problem["edges"]) {
      const Matrix M = edge["c"].get<double>() * oracle::matrix(edge["P"]);
      ends[{edge["i"], edge["j"]}].M = ends[{edge["j"], edge["i"]}].M = M;
    }
    for (const auto& wake : problem["trace"]) {
      const Index agent = wake["agent"];
      Matrix A = oracle::matrix(problem["A"][static_cast<std::size_t>(agent)]);
      Vector b = oracle::vector(problem["b"][static_cast<std::size_t>(agent)]);
      for (const auto& [ij, end] : ends) {
        if (ij.first != agent) continue;
        A += end.M;
        b += end.M * end.z;
      }
      const Vector x = A.llt().solve(b);
      ASSERT_LT(relative_difference(x, oracle::vector(wake["x"])), 1e-8);
      if (wake["lost"] != 0) continue;
      for (auto& [ij, end] : ends) {
        if (ij.first == agent) take(reply(x, end.z), ends[{ij.second, ij.first}].z);
      }
    }
    for (const auto& [key, z] : problem["z_after"].items()) {
      const auto comma = key.find(',');
      const End& end = ends[{std::stol(key), std::stol(key.substr(comma + 1))}];
      EXPECT_LT(relative_difference(end.z, oracle::vector(z)), 1e-8);
    }
  }
}

TEST(Metric, multiplies_and_solves_as_the_kronecker_product_does) {
  const Share a{positive(3, 1), positive(5, 2)};
  const Share b{positive(3, 3), positive(5, 4)};
  const Metric metric(a, b, 0.1, 0.7);
  const Matrix dense = 0.7 * (Eigen::kroneckerProduct(Matrix(0.5 * (a.codes + b.codes)),
                                                      Matrix(0.5 * (a.features + b.features)))
                                  .eval() +
                              0.1 * Matrix::Identity(15, 15));
  const Matrix X = Random(5, {1}).normal_matrix(5, 3);
  Matrix product = Matrix::Zero(5, 3);
  metric.add_product(X, product);
  EXPECT_LT((product.reshaped() - dense * X.reshaped()).norm(), 1e-12 * product.norm());
  EXPECT_LT((metric.solve(product) - X).norm(), 1e-10 * X.norm());
}

TEST(Metric, a_change_leaves_the_agent_where_it_is) {
  const Metric before({positive(2, 1), positive(4, 2)}, {positive(2, 3), positive(4, 4)}, 0.1, 0.7);
  const Metric now({positive(2, 5), positive(4, 6)}, {positive(2, 7), positive(4, 8)}, 0.1, 1.3);
  const Matrix x = Random(5, {2}).normal_matrix(4, 2);
  Matrix z = Random(5, {3}).normal_matrix(4, 2);
  Matrix force = Matrix::Zero(4, 2);
  before.add_product(z - x, force);
  change_metric(before, now, x, z);
  Matrix same = Matrix::Zero(4, 2);
  now.add_product(z - x, same);
  EXPECT_LT((same - force).norm(), 1e-10 * force.norm());
}

struct HealingCase {
  std::string graph;
  MetricKind metric;
};

std::string name(const HealingCase& tested) { return tested.graph + "_" + name_of(tested.metric); }

void PrintTo(const HealingCase& tested, std::ostream* out) { *out << name(tested); }

class HealingNetwork : public ::testing::TestWithParam<HealingCase> {
 protected:
  static NetworkOptions options(Problem problem) {
    NetworkOptions options = network_options(problem, 4, 2);
    options.rule = Rule::healing;
    options.metric = GetParam().metric;
    options.rho = 0.0;
    return options;
  }
  static StepOptions until_agreed() { return {20000, 1e-11, 0, {}}; }
};

void expect_optimum(const Engine& engine) {
  const Matrix optimum = consensus_optimum(engine);
  for (Index i = 0; i < engine.graph().agents(); ++i) {
    EXPECT_LT(relative_difference(engine.participant(i).dictionary(), optimum), 1e-8);
  }
}

TEST_P(HealingNetwork, reaches_the_closed_form_optimum) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    const TaskStream tasks(3, 5, 3, 4, 2, problem);
    InProcessEngine engine(make_graph(GetParam().graph, 5, 1), options(problem));
    for (std::size_t t = 0; t < tasks.X.size(); ++t) {
      const StepSummary summary = learn_step(engine, tasks.arrivals(t), until_agreed());
      EXPECT_LT(summary.exchanges, 20000);
      expect_optimum(engine);
    }
  }
}

TEST_P(HealingNetwork, forgives_garbage) {
  const TaskStream tasks(3, 5, 3, 4, 2);
  const Graph graph = make_graph(GetParam().graph, 5, 1);
  InProcessEngine engine(graph, options(Problem::regression));
  learn_step(engine, tasks.all_arrivals(), {10, 0.0, 0, {}});
  std::vector<Participant> spoiled;
  for (Index i = 0; i < 5; ++i) {
    AgentState state = engine.participant(i).state();
    for (EdgeState& edge : state.edge_states) {
      const auto lower = static_cast<std::uint64_t>(std::min(i, edge.neighbour));
      const auto upper = static_cast<std::uint64_t>(std::max(i, edge.neighbour));
      edge.dual = 100.0 * Random(7, {lower, upper}).normal_matrix(4, 4);
    }
    spoiled.emplace_back(options(Problem::regression), std::move(state), i);
  }
  InProcessEngine healed(graph, options(Problem::regression), std::move(spoiled));
  StepOptions step = until_agreed();
  learn_step(healed, {}, step);
  expect_optimum(healed);
}

TEST_P(HealingNetwork, continues_from_its_state_to_the_same_bits) {
  const TaskStream tasks(3, 5, 4, 4, 2);
  const Graph graph = make_graph(GetParam().graph, 5, 1);
  InProcessEngine engine(graph, options(Problem::regression));
  for (std::size_t t = 0; t < 2; ++t) learn_step(engine, tasks.arrivals(t), {7, 0.0, 1, {}});
  std::vector<Participant> again;
  for (Index i = 0; i < 5; ++i) {
    again.emplace_back(options(Problem::regression), engine.participant(i).state(), i);
  }
  InProcessEngine continued(graph, options(Problem::regression), std::move(again));
  for (std::size_t t = 2; t < 4; ++t) {
    learn_step(engine, tasks.arrivals(t), {7, 0.0, 1, {}});
    learn_step(continued, tasks.arrivals(t), {7, 0.0, 1, {}});
  }
  for (Index i = 0; i < 5; ++i) {
    EXPECT_EQ(continued.participant(i).dictionary(), engine.participant(i).dictionary());
  }
}

TEST_P(HealingNetwork, agrees_on_a_collective_prior) {
  const TaskStream tasks(3, 5, 3, 4, 2);
  const Graph graph = make_graph(GetParam().graph, 5, 1);
  NetworkOptions prior = options(Problem::regression);
  prior.agent.prior = prior_of_network(graph, 4);
  InProcessEngine engine(graph, prior);
  learn_step(engine, tasks.all_arrivals(), until_agreed());
  Matrix mean = Matrix::Zero(engine.participant(0).dictionary().rows(),
                             engine.participant(0).dictionary().cols());
  for (Index i = 0; i < 5; ++i) {
    for (const TaskRecord& record : engine.participant(i).records()) {
      mean += record.contribution.leftCols(mean.cols()) / 15.0;
    }
  }
  for (Index i = 0; i < 5; ++i) {
    const Matrix& found = engine.participant(i).dictionary();
    EXPECT_LT(relative_difference(found / found(0, 0), mean), 1e-8);
  }
}

std::vector<HealingCase> healing_cases() {
  std::vector<HealingCase> all;
  for (const char* graph : {"line", "star", "ring", "complete", "random"}) {
    for (const MetricKind metric : {MetricKind::kronecker, MetricKind::scale}) {
      all.push_back({graph, metric});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Graphs, HealingNetwork, ::testing::ValuesIn(healing_cases()),
                         [](const auto& tested) { return name(tested.param); });

}  // namespace
}  // namespace colla
