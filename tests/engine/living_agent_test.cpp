// SPDX-License-Identifier: Apache-2.0
#include "engine/simulator/optimum.hpp"
#include "network_problems.hpp"

#include <gtest/gtest.h>

namespace colla {
namespace {

using testing::network_options;
using testing::relative_difference;
using testing::TaskStream;

constexpr double long_enough = 1e6;

void learn(SimulatedNetwork& network, Index agent, const Arrival& arrival) {
  network.learn(agent, arrival.task, arrival.X, arrival.y);
}

// Messages come late and in any order; some are lost, as many come twice.
SimulatedNetwork make_network(const NetworkOptions& options, const Graph& graph, double loss) {
  SimulatedNetwork network(options, {1e-9, 1e-4}, graph, 7);
  network.set_links({loss, loss, 1.0});
  return network;
}

// vec L* = (sum_i A_i/T_i + N lambda I)^-1 sum_i b_i/T_i
Matrix closed_form(const SimulatedNetwork& network) {
  std::vector<const std::vector<TaskRecord>*> agents;
  for (const Index i : network.members()) agents.push_back(&network.agent(i).learner().records());
  const Matrix& any = network.agent(0).dictionary();
  return testing::consensus_optimum(agents, network.options().agent.lambda, any.rows(), any.cols());
}

class Living : public ::testing::TestWithParam<std::string> {};

TEST_P(Living, agents_reach_the_optimum_whatever_happens_to_messages) {
  for (const MetricKind metric : {MetricKind::kronecker, MetricKind::scale}) {
    for (const double loss : {0.0, 0.3}) {
      const TaskStream tasks(3, 5, 3, 4, 2);
      NetworkOptions options = network_options(Problem::regression, 4, 2);
      options.metric = metric;
      SimulatedNetwork network = make_network(options, make_graph(GetParam(), 5, 1), loss);
      for (const Arrival& arrival : tasks.all_arrivals()) {
        learn(network, arrival.agent, arrival);
        network.run_until(network.now() + 4.0);
      }
      ASSERT_TRUE(network.run_until_settled(long_enough));
      std::cout << GetParam() << " " << name_of(metric) << " " << loss << ": "
                << network.counts().messages << " messages\n";
      const Matrix optimum = closed_form(network);
      EXPECT_LT(relative_difference(optimum_of(network), optimum), 1e-10);
      for (const Index i : network.members()) {
        EXPECT_LT(relative_difference(network.agent(i).dictionary(), optimum), 1e-6);
      }
    }
  }
}

TEST_P(Living, a_collective_prior_settles_with_its_tasks_estimated_again) {
  for (const double loss : {0.0, 0.3}) {
    const TaskStream tasks(3, 5, 3, 4, 2);
    const Graph graph = make_graph(GetParam(), 5, 1);
    NetworkOptions options = network_options(Problem::regression, 4, 2);
    options.agent.prior = prior_of_network(graph, 4);
    options.refresh = 1;
    SimulatedNetwork network = make_network(options, graph, loss);
    for (const Arrival& arrival : tasks.all_arrivals()) {
      learn(network, arrival.agent, arrival);
      network.run_until(network.now() + 4.0);
    }
    ASSERT_TRUE(network.run_until_settled(long_enough));
    std::cout << GetParam() << " prior " << loss << ": " << network.counts().messages
              << " messages\n";
    EXPECT_LT(distance_from(optimum_of(network), network), 1e-6);
  }
}

// With few tasks in a large network, what an agent tells of a task comes back to it before others
// have heard of it.
TEST_P(Living, a_few_tasks_settle_where_one_agent_with_all_of_them_does) {
  for (const int count : {1, 3, 6}) {
    const Index agents = 12;
    const TaskStream tasks(5, 1, count, 4, 2);
    const Graph graph = make_graph(GetParam(), agents, 1);
    NetworkOptions options = network_options(Problem::regression, 4, 2);
    options.agent.prior = prior_of_network(graph, 4);
    options.refresh = 1;
    SimulatedNetwork network = make_network(options, graph, 0.0);
    AgentOptions alone = options.agent;
    alone.prior->agents = 1;
    PriorAgent one(alone);
    Index where = 0;
    for (const Arrival& arrival : tasks.all_arrivals()) {
      one.absorb(arrival.task, arrival.X, arrival.y);
      learn(network, where, arrival);
      where = (where + 5) % agents;
      ASSERT_TRUE(network.run_until_settled(long_enough));
    }
    for (int round = 0; round < 300; ++round) {
      one.refresh_codes();
      one.prepare(0.0);
      one.solve();
    }
    const Matrix sums = network.agent(0).learner().prior_agent().mean_of_sums() * agents;
    const Prior expected = one.prior(0);
    const Prior found = network.agent(0).learner().prior_agent().prior(0);
    EXPECT_NEAR(sums(0, 0), count, 1e-5);
    EXPECT_LT((found.mean - expected.mean).norm(), 0.1 * (1.0 + expected.mean.norm()))
        << found.mean.transpose() << " and " << expected.mean.transpose();
  }
}

// Nothing is known, so nothing is told: no ridge pulls dictionaries to 0 for ever.
TEST_P(Living, agents_without_tasks_rest) {
  const NetworkOptions options = network_options(Problem::regression, 4, 2);
  SimulatedNetwork network = make_network(options, make_graph(GetParam(), 5, 1), 0.0);
  const Matrix first = network.agent(0).dictionary();
  ASSERT_TRUE(network.run_until_settled(100.0));
  for (const Index i : network.members()) {
    EXPECT_LT(relative_difference(network.agent(i).dictionary(), first), 1e-12);
  }
}

// Tasks around a mean; returns the mean square of what predictions of noiseless rows are off.
double error_of_related_tasks(const Graph& graph, Index batch, std::uint64_t seed) {
  constexpr Index d = 4;
  constexpr int count = 30;
  constexpr Index rows = 6;
  NetworkOptions options = network_options(Problem::regression, d, 2);
  options.agent.prior = prior_of_network(graph, d);
  options.agent.prior->correlated = 0;
  options.agent.prior->release_batch = batch;
  options.refresh = 1;
  SimulatedNetwork network = make_network(options, graph, 0.0);
  Random random(seed);
  const Vector mean = 2.0 * random.normal_matrix(d, 1);
  std::vector<Vector> truth;
  for (int t = 0; t < count; ++t) {
    truth.emplace_back(mean + 0.5 * random.normal_matrix(d, 1));
    const Samples X = random.normal_matrix(rows, d);
    const Vector y = X * truth.back() + 0.7 * random.normal_matrix(rows, 1);
    network.learn(t % graph.agents(), std::to_string(t), X, y);
    network.run_until(network.now() + 4.0);
  }
  EXPECT_TRUE(network.run_until_settled(long_enough));
  double sum = 0.0;
  for (int t = 0; t < count; ++t) {
    const PriorAgent& agent = network.agent(t % graph.agents()).learner().prior_agent();
    const Vector theta = agent.predictor(agent.record(std::to_string(t))).theta();
    sum += (theta - truth[static_cast<std::size_t>(t)]).squaredNorm();
  }
  return sum / count;
}

TEST_P(Living, tasks_that_are_told_of_once_teach_nearly_as_much) {
  const Graph graph = make_graph(GetParam(), 5, 1);
  const auto mean_error = [&graph](Index batch) {
    constexpr std::uint64_t networks = 10;
    double sum = 0.0;
    for (std::uint64_t seed = 1; seed <= networks; ++seed) {
      sum += error_of_related_tasks(graph, batch, seed);
    }
    return sum / networks;
  };
  const double exact = mean_error(0);
  for (const Index batch : {1, 3}) {
    const double error = mean_error(batch);
    std::cout << GetParam() << ", batches of " << batch << ": " << error << " instead of " << exact
              << "\n";
    // Sums over ten batches are coarse; least squares on 6 rows alone would be off by 1.96.
    EXPECT_LT(error, batch == 1 ? 1.1 * exact : 0.8);
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, Living,
                         ::testing::Values("line", "star", "ring", "complete", "random"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace colla
