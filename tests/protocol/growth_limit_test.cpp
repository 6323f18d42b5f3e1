// SPDX-License-Identifier: Apache-2.0
// Honest agents never refuse each other; one whose dictionaries grow by leaps is refused soon.
#include "agent/protocol/growth_limit.hpp"

#include "expectations.hpp"
#include "protocol/memory_home.hpp"

#include <cmath>

namespace colla {
namespace {

using testing::MemoryHome;
using testing::Simulation;

double power_of_ten(Random& random, double least, double most) {
  return std::pow(10.0, least + (most - least) * random.uniform());
}

enum class Learner {
  dense,
  matrix_free,
  prior,           // with features of unit size, as its networks have them
  prior_of_others  // with any
};

// With penalties and rounds of all kinds.
testing::SimulatedNetwork wild_network(Random& random, Learner learner) {
  const auto problem = random.below(4) == 0 ? Problem::classification : Problem::regression;
  testing::SimulatedNetwork network = testing::random_network(
      random, problem, learner == Learner::matrix_free ? Solver::matrix_free : Solver::dense);
  AgentOptions& agent = network.options.agent;
  agent.lambda = power_of_ten(random, -4, 1);
  agent.mu = random.below(8) == 0 ? 0.0 : power_of_ten(random, -4, 0);
  agent.gamma = power_of_ten(random, -4, 0);
  network.options.rho = power_of_ten(random, -3, 1);
  network.options.exchanges = parse_exchange_plan(std::to_string(1 + random.below(12)));
  if (learner == Learner::dense || learner == Learner::matrix_free) return network;
  network.options.refresh = static_cast<Index>(random.below(6));
  return testing::with_prior(network);
}

// Each agent's and each feature's numbers have their own scale, up to the largest a row may have.
void scale(Random& random, std::vector<std::vector<TaskRows>>& all, Problem problem, double decades,
           bool scales_features) {
  const auto scaled = [](double value, double factor) {
    return std::clamp(value * factor, -1e30, 1e30);
  };
  for (auto& tasks : all) {
    const double of_agent = power_of_ten(random, -decades, decades);
    const double of_targets = power_of_ten(random, -decades, decades);
    for (TaskRows& task : tasks) {
      for (Index k = 0; scales_features && k < task.X.cols(); ++k) {
        const double factor =
            random.below(2) == 0 ? of_agent : of_agent * power_of_ten(random, -decades, decades);
        task.X.col(k) = task.X.col(k).unaryExpr([&](double x) { return scaled(x, factor); });
      }
      if (problem == Problem::classification) continue;
      task.y = task.y.unaryExpr([&](double y) { return scaled(y, of_targets); });
    }
  }
}

enum class Outcome { learned, stopped };

// Whatever the numbers are, everything is learned or an agent stops and says why.
Outcome run_honestly(std::uint64_t seed, double decades, Learner learner) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed, {static_cast<std::uint64_t>(decades)});
  const auto network = wild_network(random, learner);
  auto tasks = testing::random_tasks(random, network);
  scale(random, tasks, network.options.agent.problem, decades, learner != Learner::prior);
  std::vector<std::unique_ptr<testing::Home>> homes;
  for (Index i = 0; i < network.graph.agents(); ++i) {
    homes.push_back(std::make_unique<MemoryHome>(network, i, tasks[static_cast<std::size_t>(i)]));
  }
  Simulation simulation(network.graph, network.plan(), std::move(homes), seed);
  try {
    simulation.run({0.01, 0.01, 500});
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find(" grew "), std::string::npos) << error.what();
    return Outcome::stopped;
  } catch (const NetworkError& error) {
    ADD_FAILURE() << error.what();
  }
  return Outcome::learned;
}

class HonestNetworks : public ::testing::TestWithParam<std::tuple<double, Learner>> {};

TEST_P(HonestNetworks, never_refuse_each_other) {
  const auto [decades, learner] = GetParam();
  int stopped = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    stopped += run_honestly(seed, decades, learner) == Outcome::stopped ? 1 : 0;
  }
  // Up to 1e6 nothing stops; where rows are as large as they may be, few do. More do with a prior
  // of such rows, whose means hold squares.
  const int few = learner == Learner::prior_of_others ? 15 : 6;
  EXPECT_LE(stopped, learner == Learner::prior || decades <= 6.0 ? 0 : few);
}

INSTANTIATE_TEST_SUITE_P(Scales, HonestNetworks,
                         ::testing::Combine(::testing::Values(0.0, 3.0, 6.0, 15.0, 30.0),
                                            ::testing::Values(Learner::dense, Learner::matrix_free,
                                                              Learner::prior,
                                                              Learner::prior_of_others)));

TEST(GrowthLimit, allows_a_neighbour_one_leap_per_distance_behind_it_and_one_more) {
  const Graph line = make_graph("line", 5, 1);
  const Graph ring = make_graph("ring", 5, 1);
  const Graph complete = make_graph("complete", 5, 1);
  const Graph star = make_graph("star", 5, 1);
  const auto leaps = [](const Graph& graph, Index neighbour, Index agent) {
    GrowthLimit limit(graph, neighbour, agent, 1.0);
    std::uint32_t count = 0;
    for (double size = 1e3; !limit.forbids(limit.growth_to(size, 1.0)); size *= 1e3, ++count) {
      limit.take(size, limit.growth_to(size, 1.0));
    }
    return count;
  };
  EXPECT_EQ(leaps(line, 0, 1), 2U);
  EXPECT_EQ(leaps(line, 1, 0), 5U);
  EXPECT_EQ(leaps(ring, 1, 0), 5U);
  EXPECT_EQ(leaps(complete, 1, 0), 3U);
  EXPECT_EQ(leaps(star, 1, 0), 2U);
  EXPECT_EQ(leaps(star, 0, 1), 3U);
}

TEST(GrowthLimit, compares_with_all_that_both_have_sent_in_the_step) {
  GrowthLimit limit(make_graph("line", 2, 1), 1, 0, 1.0);
  EXPECT_EQ(limit.growth_to(50.0, 1.0), 50.0);
  EXPECT_EQ(limit.growth_to(50.0, 10.0), 5.0);
  limit.take(100.0);
  limit.take(1.0);
  EXPECT_EQ(limit.growth_to(50.0, 1.0), 0.5);
  limit.begin_step();
  EXPECT_EQ(limit.growth_to(50.0, 1.0), 50.0);
}

// L_0 = (rho/2 L_1 - Z/2)/(rho/2 + lambda) and Z = -rho L_1 without tasks: nearly twice L_1.
TEST(NetworkedAgent, a_dictionary_beyond_the_bound_is_not_sent) {
  NetworkOptions options = testing::network_options(Problem::regression, 3, 2);
  options.rho = 5.0;
  const Graph graph = make_graph("line", 2, 1);
  NetworkedAgent agent(Participant(options, graph, 0), graph, {parse_exchange_plan("3"), 0});
  agent.begin_step(nullptr);
  agent.receive(0, agent.sent({1, 0}));
  const Matrix large = Matrix::Constant(3, 2, 0.9 * largest_value);
  const auto message = std::make_shared<const Message>(Message{{1, 1}, checksum(large), large});
  testing::expect_failure<DataError>(
      [&] { agent.receive(0, message); },
      {"grew beyond 1e+150 in step 1, exchange 2", "the state of the step before is safe"});
  EXPECT_EQ(agent.sent().back()->position, (Position{1, 1}));
}

// An agent, a neighbour that probes by sending ever larger dictionaries, and another neighbour.
class Probing : public ::testing::TestWithParam<std::tuple<std::string, double>> {
 protected:
  static constexpr Index prober = 1;
  static constexpr std::size_t exchanges = 12;

  void SetUp() override {
    const NetworkOptions options = testing::network_options(Problem::regression, 3, 2);
    for (Index i = 0; i < 3; ++i) {
      agents_.emplace_back(Participant(options, graph_, i), graph_, plan_);
      Random random(static_cast<std::uint64_t>(i) + 1);
      const TaskRows task = {"a", testing::random_rows(random, 6, 3),
                             testing::random_vector(random, 6)};
      agents_.back().begin_step(&task);
    }
  }

  std::shared_ptr<const Message> next(Index from, Index to) const {
    const NetworkedAgent& receiver = agents_[static_cast<std::size_t>(to)];
    const auto slot = static_cast<std::size_t>(graph_.slot(to, from));
    const auto message =
        agents_[static_cast<std::size_t>(from)].sent(plan_.after(receiver.received(slot)));
    if (message == nullptr || from != prober || to != 0) return message;
    Message larger = *message;
    larger.dictionary *= std::pow(std::get<1>(GetParam()), larger.position.exchange);
    if (larger.position.exchange > 0) larger.checksum = checksum(larger.dictionary);
    return std::make_shared<const Message>(std::move(larger));
  }

  bool deliver(Index from, Index to) {
    const auto message = next(from, to);
    if (message == nullptr) return false;
    agents_[static_cast<std::size_t>(to)].receive(static_cast<std::size_t>(graph_.slot(to, from)),
                                                  message);
    return true;
  }

  void deliver_all() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const Edge& edge : graph_.edges()) {
        moved = deliver(edge.i, edge.j) || moved;
        moved = deliver(edge.j, edge.i) || moved;
      }
    }
  }

  Graph graph_ = make_graph(std::get<0>(GetParam()), 3, 1);
  StepPlan plan_ = {parse_exchange_plan(std::to_string(exchanges)), 0};
  std::vector<NetworkedAgent> agents_;
};

TEST_P(Probing, is_refused_soon_and_again_and_counted) {
  const auto slot = static_cast<std::size_t>(graph_.slot(0, prober));
  EXPECT_THROW(deliver_all(), NetworkError);
  const Position reached = agents_[0].received(slot);
  EXPECT_EQ(reached.exchange, std::get<0>(GetParam()) == "star" ? 2U : 3U);
  EXPECT_EQ(agents_[0].probes(slot), 1U);
  const Matrix before = agents_[0].participant().dictionary();
  testing::expect_failure<NetworkError>([&] { deliver(prober, 0); },
                                        {"-fold in one exchange", "honest", "probing"});
  EXPECT_EQ(agents_[0].received(slot), reached);
  EXPECT_EQ(agents_[0].probes(slot), 2U);
  EXPECT_EQ(agents_[0].participant().dictionary(), before);
}

INSTANTIATE_TEST_SUITE_P(Graphs, Probing,
                         ::testing::Combine(::testing::Values("star", "ring"),
                                            ::testing::Values(1e3, 1e9)));

}  // namespace
}  // namespace colla
