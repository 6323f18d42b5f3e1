// SPDX-License-Identifier: Apache-2.0
// A member sends what it likes, and is then removed: the others end where they would be without it.
#include "network_problems.hpp"

#include <colla/healing.hpp>
#include <colla/living_agent.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>

namespace colla {
namespace {

using testing::network_options;
using testing::relative_difference;
using testing::TaskStream;

// Agents that wake in random order; messages may be lost, repeated and overtaken.
class LyingNetwork {
 public:
  LyingNetwork(const NetworkOptions& options, Graph graph, std::uint64_t seed, double loss,
               double tolerance = 1e-9, double estimate_tolerance = 1e-4)
      : options_(options),
        graph_(std::move(graph)),
        random_(seed),
        loss_(loss),
        living_{tolerance, estimate_tolerance} {
    for (Index i = 0; i < graph_.agents(); ++i) start(i, {});
  }

  // Changes whatever an agent says.
  using Lie = std::function<void(LivingMessage&)>;
  void corrupt(Index i, Lie lie) { lies_[i] = std::move(lie); }

  // The last agent is gone, and the others know.
  void remove_last() {
    const Index last = graph_.agents() - 1;
    std::vector<Edge> edges = graph_.edges();
    std::erase_if(edges, [last](const Edge& edge) { return edge.j == last; });
    graph_ = Graph(last, std::move(edges));
    std::erase_if(letters_, [last](const Letter& letter) {
      return letter.from == last || letter.to == last;
    });
    agents_.pop_back();
    for (Index i = 0; i < last; ++i) introduce(i);
  }

  LivingAgent& agent(Index i) { return *agents_[static_cast<std::size_t>(i)]; }

  void start(Index i, std::optional<AgentState> state) {
    agents_.resize(static_cast<std::size_t>(graph_.agents()));
    auto& agent = agents_[static_cast<std::size_t>(i)];
    agent = state ? std::make_unique<LivingAgent>(options_, living_, random_(), std::move(*state))
                  : std::make_unique<LivingAgent>(options_, living_, random_());
    introduce(i);
  }

  // Returns the number of messages, or -1 if the agents do not settle.
  int run(int most_turns) {
    int messages = 0;
    for (int turn = 0; turn < most_turns; ++turn) {
      if (is_settled()) return messages;
      const auto i = static_cast<Index>(random_() % agents_.size());
      if (agent(i).has_reason_to_wake()) agent(i).wake();
      for (const Link& link : graph_.links(i)) messages += tell(i, link.neighbour);
      deliver_some();
    }
    return -1;
  }

 private:
  struct Letter {
    Index from;
    Index to;
    LivingMessage message;
  };

  void introduce(Index i) {
    std::map<std::string, double> weights;
    for (const Link& link : graph_.links(i)) {
      weights[std::to_string(link.neighbour)] =
          edge_weight(graph_.pace(), graph_.degree(i), graph_.degree(link.neighbour));
    }
    agent(i).set_neighbours(weights, graph_.agents());
  }

  bool chance(double p) { return std::uniform_real_distribution<>()(random_) < p; }

  bool is_settled() const {
    return letters_.empty() && std::all_of(agents_.begin(), agents_.end(),
                                           [](const auto& agent) { return agent->is_settled(); });
  }

  int tell(Index i, Index neighbour) {
    const std::string name = std::to_string(neighbour);
    auto message = agent(i).next_message(name);
    if (!message && !agent(i).is_heard(name) && chance(0.2)) message = agent(i).repeat(name);
    if (!message) return 0;
    const auto lie = lies_.find(i);
    if (lie != lies_.end()) lie->second(*message);
    if (!chance(loss_)) letters_.push_back({i, neighbour, *message});
    if (chance(loss_)) letters_.push_back({i, neighbour, *message});
    return 1;
  }

  void deliver_some() {
    for (std::size_t k = letters_.size() / 2 + 1; k > 0 && !letters_.empty(); --k) {
      const std::size_t which = chance(loss_) ? random_() % letters_.size() : 0;
      const Letter letter = std::move(letters_[which]);
      letters_.erase(letters_.begin() + static_cast<std::ptrdiff_t>(which));
      agent(letter.to).receive(std::to_string(letter.from), letter.message);
    }
  }

  NetworkOptions options_;
  Graph graph_;
  std::mt19937_64 random_;
  double loss_;
  LivingOptions living_;
  std::vector<std::unique_ptr<LivingAgent>> agents_;
  std::deque<Letter> letters_;
  std::map<Index, Lie> lies_;
};

// Of all tasks, with their codes as they are.
Matrix optimum_without_liars(LyingNetwork& network, Index agents, double lambda) {
  std::vector<const std::vector<TaskRecord>*> records;
  for (Index i = 0; i < agents; ++i) records.push_back(&network.agent(i).learner().records());
  const Matrix& any = network.agent(0).dictionary();
  return testing::consensus_optimum(records, lambda, any.rows(), any.cols());
}

constexpr Index all_agents = 4;  // the last one lies
constexpr Index honest = all_agents - 1;

enum class Kind { slight, large, huge, replayed };

std::string name_of_kind(Kind kind) {
  const std::map<Kind, std::string> names = {{Kind::slight, "slight"},
                                             {Kind::large, "large"},
                                             {Kind::huge, "huge"},
                                             {Kind::replayed, "replayed"}};
  return names.at(kind);
}

// y of another size, with other signs; or one of long ago, as if it were new.
LyingNetwork::Lie lie_of(Kind kind) {
  auto random = std::make_shared<Random>(5);
  auto first = std::make_shared<Matrix>();
  return [kind, random, first](LivingMessage& message) {
    if (message.number == 0) return;
    if (kind == Kind::replayed) {
      if (first->size() == 0) *first = 3.0 * message.y;
      message.y = *first;
      return;
    }
    const double decades = kind == Kind::slight ? 2.0 : kind == Kind::large ? 12.0 : 149.0;
    for (double& value : message.y.reshaped()) {
      value = std::pow(10.0, decades * random->uniform()) * (random->uniform() - 0.5);
    }
  };
}

NetworkOptions options_with(bool has_prior, const Graph& graph) {
  NetworkOptions options = network_options(Problem::regression, 4, 2);
  options.metric = MetricKind::scale;
  options.refresh = 1;
  if (has_prior) options.agent.prior = prior_of_network(graph, 4);
  return options;
}

// What the agents tell each other and what they store can be read again.
void expect_usable(LyingNetwork& network) {
  for (Index i = 0; i < honest; ++i) {
    const AgentState state = network.agent(i).state();
    EXPECT_TRUE(state.dictionary.allFinite());
    for (const TaskRecord& record : state.records) {
      EXPECT_TRUE(record.code.allFinite());
      EXPECT_TRUE(record.contribution.allFinite());
    }
  }
}

void expect_optimum(LyingNetwork& network, bool has_prior, double lambda) {
  if (!has_prior) {
    const Matrix optimum = optimum_without_liars(network, honest, lambda);
    EXPECT_GT(optimum.norm(), 1e-3) << "the codes have vanished";
    for (Index i = 0; i < honest; ++i) {
      EXPECT_LT(relative_difference(network.agent(i).dictionary(), optimum), 1e-6);
    }
    return;
  }
  const Matrix& first = network.agent(0).dictionary();
  Matrix mean = Matrix::Zero(first.rows(), first.cols());
  double count = 0.0;
  for (Index i = 0; i < honest; ++i) {
    for (const TaskRecord& record : network.agent(i).learner().records()) {
      mean += record.contribution.leftCols(mean.cols());
      ++count;
    }
  }
  mean /= count;
  mean.row(0).setConstant(count / (count + static_cast<double>(honest)));
  for (Index i = 0; i < honest; ++i) {
    const PriorAgent& agent = network.agent(i).learner().prior_agent();
    EXPECT_LT(agent.relative_size(network.agent(i).dictionary() - mean), 1e-6);
    EXPECT_LT(agent.prior(0).mean.norm(), 100.0);
  }
}

class BadMember : public ::testing::TestWithParam<std::tuple<Kind, bool>> {};

TEST_P(BadMember, leaves_no_trace_once_it_is_removed) {
  const auto [kind, has_prior] = GetParam();
  for (const char* const graph_name : {"line", "star", "ring", "complete"}) {
    SCOPED_TRACE(graph_name);
    const Graph graph = make_graph(graph_name, all_agents, 1);
    const NetworkOptions options = options_with(has_prior, graph);
    const TaskStream tasks(3, all_agents, 4, 4, 2);
    LyingNetwork network(options, graph, 7, 0.1);
    network.corrupt(honest, lie_of(kind));
    for (const Arrival& arrival : tasks.all_arrivals()) {
      network.agent(arrival.agent).learn(arrival.task, arrival.X, arrival.y);
      network.run(300);
      expect_usable(network);
    }
    network.remove_last();
    ASSERT_GE(network.run(3000000), 0);
    expect_usable(network);
    expect_optimum(network, has_prior, options.agent.lambda);
  }
}

// Its metric binds its neighbours tightly to each other too, as long as they heed it.
TEST(BadMember, with_a_share_of_any_size_slows_nobody_down_once_it_is_removed) {
  for (const bool has_prior : {false, true}) {
    const Graph graph = make_graph("complete", all_agents, 1);
    const NetworkOptions options = options_with(has_prior, graph);
    const TaskStream tasks(3, all_agents, 4, 4, 2);
    LyingNetwork network(options, graph, 7, 0.0);
    for (const Arrival& arrival : tasks.all_arrivals()) {
      const double size = arrival.agent == honest ? 1e15 : 1.0;
      network.agent(arrival.agent).learn(arrival.task, size * arrival.X, arrival.y);
      network.run(300);
    }
    network.remove_last();
    ASSERT_GE(network.run(3000000), 0);
    expect_optimum(network, has_prior, options.agent.lambda);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, BadMember,
                         ::testing::Combine(::testing::Values(Kind::slight, Kind::large, Kind::huge,
                                                              Kind::replayed),
                                            ::testing::Bool()),
                         [](const auto& tested) {
                           return name_of_kind(std::get<0>(tested.param)) +
                                  (std::get<1>(tested.param) ? "_bayes" : "_colla");
                         });

}  // namespace
}  // namespace colla
