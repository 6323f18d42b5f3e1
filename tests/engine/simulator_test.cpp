// SPDX-License-Identifier: Apache-2.0
// Networks of living agents in which everything goes wrong that may: once it stops, all agents
// reach the optimum of the tasks that are left.
#include "engine/simulator/optimum.hpp"
#include "engine/simulator/storm.hpp"
#include "network_problems.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace colla {
namespace {

using testing::network_options;
using testing::TaskStream;

constexpr Index features = 4;
constexpr double settled_by = 1e6;

NetworkOptions options_of(const Graph& graph, bool has_prior,
                          MetricKind metric = MetricKind::kronecker) {
  NetworkOptions options = network_options(Problem::regression, features, 2);
  options.metric = metric;
  if (has_prior) options.agent.prior = prior_of_network(graph, features);
  return options;
}

void learn(SimulatedNetwork& network, const Arrival& arrival) {
  network.learn(arrival.agent, arrival.task, arrival.X, arrival.y);
}

// A network, its tasks and a storm, all drawn from the seed.
class StormyLife {
 public:
  StormyLife(std::uint64_t seed, bool has_prior)
      : random_(seed, {1}),
        graph_(make_graph(graph_names()[random_.below(5)], static_cast<Index>(3 + random_.below(6)),
                          seed)),
        tasks_(seed, graph_.agents(), 4, features, 2),
        network_(options_of(graph_, has_prior,
                            random_.below(2) == 0 ? MetricKind::kronecker : MetricKind::scale),
                 {1e-9, 1e-4}, graph_, seed),
        storm_(network_, weather(), seed) {}

  // Distance of the farthest agent from the optimum, in the end; infinite if they never rest.
  double live() {
    for (const Arrival& arrival : tasks_.all_arrivals()) {
      storm_.run_until(network_.now() + 10.0);
      give(arrival);
    }
    storm_.run_until(network_.now() + 60.0);
    storm_.calm();
    give(tasks_.all_arrivals().back());  // without any task there is no optimum
    const bool is_settled = network_.run_until_settled(settled_by);
    return is_settled ? distance_from(optimum_of(network_), network_) : INFINITY;
  }
  const StormCounts& storm() const { return storm_.counts(); }
  const SimulatedNetwork& network() const { return network_; }

 private:
  static StormOptions weather() {
    StormOptions weather;
    weather.links = {0.3, 0.2, 1.0};
    weather.pauses = weather.restarts = 0.01;
    weather.restores = 0.003;
    weather.joins = weather.leaves = 0.02;
    weather.partitions = 0.5;
    return weather;
  }

  // Any agent that is there may learn it.
  void give(Arrival arrival) {
    std::vector<Index> present;
    for (const Index i : network_.members()) {
      if (network_.is_up(i)) present.push_back(i);
    }
    if (present.empty()) return;
    arrival.agent = present[random_.below(present.size())];
    arrival.task += "-" + std::to_string(given_++);
    learn(network_, arrival);
  }

  Random random_;
  Graph graph_;
  TaskStream tasks_;
  SimulatedNetwork network_;
  Storm storm_;
  int given_ = 0;
};

// `COLLA_SIMULATIONS` says how many: `./dev soak` runs 1,000.
std::uint64_t simulations() {
  const char* const given = std::getenv("COLLA_SIMULATIONS");
  return given == nullptr ? 60 : std::strtoull(given, nullptr, 10);
}

TEST(Simulations, all_agents_reach_the_optimum_once_the_storm_is_over) {
  StormCounts storms;
  double farthest = 0.0;
  double latest = 0.0;
  for (std::uint64_t seed = 1; seed <= simulations(); ++seed) {
    StormyLife life(seed, seed % 2 == 0);
    const double distance = life.live();
    EXPECT_LT(distance, 1e-6) << "seed " << seed;
    farthest = std::max(farthest, distance);
    latest = std::max(latest, life.network().now());
    storms.pauses += life.storm().pauses;
    storms.restarts += life.storm().restarts;
    storms.restores += life.storm().restores;
    storms.joins += life.storm().joins;
    storms.leaves += life.storm().leaves;
    storms.partitions += life.storm().partitions;
  }
  std::cout << "farthest " << farthest << ", settled by " << latest << "; pauses " << storms.pauses
            << ", restarts " << storms.restarts << ", restores " << storms.restores << ", joins "
            << storms.joins << ", leaves " << storms.leaves << ", partitions " << storms.partitions
            << "\n";
  for (const std::uint64_t count : {storms.pauses, storms.restarts, storms.restores, storms.joins,
                                    storms.leaves, storms.partitions}) {
    EXPECT_GT(count, 0U);
  }
}

TEST(Simulations, a_seed_gives_the_same_bits_again) {
  StormyLife one(5, false);
  StormyLife again(5, false);
  StormyLife other(7, false);
  EXPECT_EQ(one.live(), again.live());
  EXPECT_EQ(one.network().counts().messages, again.network().counts().messages);
  other.live();
  EXPECT_NE(one.network().counts().messages, other.network().counts().messages);
}

class SimulatedGraphs : public ::testing::TestWithParam<std::string> {};

// Every z becomes garbage of 100 times the size of what agents tell.
TEST_P(SimulatedGraphs, garbage_of_a_hundred_times_the_size_is_forgiven) {
  for (const bool has_prior : {false, true}) {
    const TaskStream tasks(3, 5, 3, features, 2);
    const Graph graph = make_graph(GetParam(), 5, 1);
    SimulatedNetwork network(options_of(graph, has_prior), {1e-9, 1e-4}, graph, 3);
    Random random(4);
    network.tamper([&random](Index, LivingMessage& message) {
      if (message.number == 0) return;
      message.y = 100.0 * random.normal_matrix(message.y.rows(), message.y.cols());
    });
    for (const Arrival& arrival : tasks.all_arrivals()) learn(network, arrival);
    network.run_until(6.0);
    EXPECT_GT(distance_from(optimum_of(network), network), 10.0);
    network.tamper({});
    ASSERT_TRUE(network.run_until_settled(settled_by));
    EXPECT_LT(distance_from(optimum_of(network), network), 1e-6);
  }
}

// A member whose certificate is good sends garbage for a while and is then removed.
TEST_P(SimulatedGraphs, a_bad_member_leaves_no_trace) {
  for (const bool has_prior : {false, true}) {
    const TaskStream tasks(3, 5, 3, features, 2);
    const Graph graph = make_graph(GetParam(), 5, 1);
    SimulatedNetwork network(options_of(graph, has_prior), {1e-9, 1e-4}, graph, 3);
    for (const Arrival& arrival : tasks.all_arrivals()) learn(network, arrival);
    ASSERT_TRUE(network.run_until_settled(settled_by));
    constexpr Index bad = 2;
    Random random(4);
    network.tamper([&random](Index from, LivingMessage& message) {
      if (from != bad || message.number == 0) return;
      message.y = 1e100 * random.normal_matrix(message.y.rows(), message.y.cols());
    });
    network.learn(bad, "spoiled", tasks.X[0][0], tasks.y[0][0]);
    network.run_until(network.now() + 60.0);
    EXPECT_GT(distance_from(optimum_of(network), network), 1.0);
    network.leave(bad);
    ASSERT_TRUE(network.run_until_settled(settled_by));
    EXPECT_LT(distance_from(optimum_of(network), network), 1e-6);
  }
}

// x.theta of every row and task, in a row's own task.
Vector predictions(const std::vector<Samples>& rows, const std::vector<TaskRecord>& records,
                   const Prior& prior) {
  std::vector<double> all;
  for (const TaskRecord& record : records) {
    const Posterior posterior(Problem::regression, *record.statistics, prior);
    for (const Samples& X : rows) {
      for (const double value : Vector(X * posterior.theta())) all.push_back(value);
    }
  }
  return Eigen::Map<const Vector>(all.data(), std::ssize(all));
}

// While all of them estimate their tasks again and again, and a third of the messages is lost.
TEST_P(SimulatedGraphs, a_collective_prior_predicts_as_em_in_one_place_does) {
  const TaskStream tasks(3, 6, 4, features, 2);
  const Graph graph = make_graph(GetParam(), 6, 1);
  NetworkOptions options = options_of(graph, true);
  options.refresh = 1;
  SimulatedNetwork network(options, {}, graph, 3);
  network.set_links({0.3, 0.1, 0.5});
  AgentOptions alone = options.agent;
  alone.prior->agents = 1;
  PriorAgent one(alone);
  for (const Arrival& arrival : tasks.all_arrivals()) {
    learn(network, arrival);
    network.run_until(network.now() + 3.0);
    one.absorb(arrival.task + "-" + std::to_string(arrival.agent), arrival.X, arrival.y);
  }
  ASSERT_TRUE(network.run_until_settled(settled_by));
  for (int round = 0; round < 1000; ++round) {
    one.refresh_codes();
    one.prepare(0.0);
    one.solve();
  }
  const std::vector<Samples> rows = TaskStream(9, 1, 2, features, 2).X[0];
  const Vector expected = predictions(rows, one.records(), one.prior(0));
  const double spread = std::sqrt((expected.array() - expected.mean()).square().mean());
  for (const Index i : network.members()) {
    const Prior prior = network.agent(i).learner().prior_agent().prior(0);
    const Vector found = predictions(rows, one.records(), prior);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-3 * spread);
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, SimulatedGraphs,
                         ::testing::Values("line", "star", "ring", "complete", "random"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace colla
