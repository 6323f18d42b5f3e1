// SPDX-License-Identifier: Apache-2.0
// What an agent may tell of a task is one thing, what it predicts the task from another.
#include <colla/lifelong_agent.hpp>
#include <colla/prior_agent.hpp>
#include <colla/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace colla {
namespace {

constexpr Index coefficients = 3;
constexpr int how_many = 12;

using RowsByTask = std::map<std::string, TaskRows>;

RowsByTask random_tasks(std::uint64_t seed) {
  Random random(seed, {1});
  RowsByTask all;
  for (int t = 0; t < how_many; ++t) {
    TaskRows task{"t" + std::to_string(t), random.normal_matrix(8, coefficients), Vector()};
    task.y = task.X * random.normal_matrix(coefficients, 1) + 0.3 * random.normal_matrix(8, 1);
    all.emplace(task.task, std::move(task));
  }
  return all;
}

AgentOptions options_with(RowRelease release) {
  AgentOptions options;
  options.features = coefficients;
  options.prior = PriorOptions{};
  options.prior->agents = 2;
  options.prior->release = std::move(release);
  return options;
}

// Tells the rows of another task in each one's place.
RowRelease tells(const RowsByTask& others) {
  return [&others](const std::string& task, const SamplesView& /*X*/, const VectorView& /*y*/) {
    const TaskRows& other = others.at(task);
    return statistics_of(Problem::regression, other.X, other.y);
  };
}

void solve(PriorAgent& agent) {
  agent.prepare(0.0);
  agent.solve();
}

PriorAgent learned(const AgentOptions& options, const RowsByTask& all) {
  PriorAgent agent(options);
  for (const auto& [name, task] : all) {
    agent.begin_step();
    agent.absorb(name, task.X, task.y);
    solve(agent);
    agent.refresh_codes();
    solve(agent);
  }
  return agent;
}

TEST(Released, what_agents_exchange_has_the_bits_of_the_released_rows) {
  const RowsByTask rows = random_tasks(1);
  const RowsByTask others = random_tasks(2);
  const PriorAgent telling = learned(options_with(tells(others)), rows);
  const PriorAgent honest = learned(options_with({}), others);
  EXPECT_EQ(telling.dictionary(), honest.dictionary());
  for (const auto& [name, task] : rows) {
    EXPECT_EQ(telling.record(name).contribution.col(0), honest.record(name).contribution.col(0));
  }
}

TEST(Released, rows_that_are_released_as_they_are_change_no_bit) {
  const RowsByTask rows = random_tasks(1);
  const PriorAgent telling = learned(options_with(tells(rows)), rows);
  const PriorAgent honest = learned(options_with({}), rows);
  EXPECT_EQ(telling.dictionary(), honest.dictionary());
  EXPECT_EQ(telling.own_weight(), honest.own_weight());
  for (const auto& [name, task] : rows) {
    EXPECT_EQ(telling.record(name).contribution, honest.record(name).contribution);
  }
}

TEST(Released, tasks_are_predicted_from_their_own_rows_with_the_network_s_prior) {
  const RowsByTask rows = random_tasks(1);
  const RowsByTask others = random_tasks(2);
  const PriorAgent agent = learned(options_with(tells(others)), rows);
  const double own = agent.own_weight();
  for (const auto& [name, task] : rows) {
    const TaskStatistics exact = statistics_of(Problem::regression, task.X, task.y);
    const Vector expected =
        (1.0 - own) * Posterior(Problem::regression, exact, agent.prior(0)).theta() +
        own * Posterior(Problem::regression, exact, agent.own_prior(0)).theta();
    EXPECT_LT((agent.predictor(agent.record(name)).theta() - expected).norm(), 1e-3);
  }
}

// The lead of the own prior is the difference of the evidence of rows that the network has not
// seen; before the first tasks have shaped a prior, none counts. Of agents that live, no prior has
// less evidence than the one from before the first task.
TEST(Released, an_agent_chooses_its_own_prior_by_its_rows) {
  const RowsByTask rows = random_tasks(1);
  RowsByTask others = random_tasks(2);
  for (auto& [name, task] : others) task.y *= 10.0;
  for (const bool lives : {false, true}) {
    AgentOptions options = options_with(tells(others));
    options.prior->means_over_tasks = lives;
    PriorAgent agent(options);
    const Prior first = agent.prior(0);
    for (const auto& [name, task] : rows) {
      const TaskStatistics exact = statistics_of(Problem::regression, task.X, task.y);
      const auto evidence_under = [&](const Prior& prior) {
        const double evidence = Posterior(Problem::regression, exact, prior).evidence();
        const double least = Posterior(Problem::regression, exact, first).evidence();
        return lives ? std::max(evidence, least) : evidence;
      };
      const double lead = evidence_under(agent.own_prior(0)) - evidence_under(agent.prior(0));
      agent.absorb(name, task.X, task.y);
      const auto evidence = agent.record(name).contribution.row(1);
      EXPECT_NEAR(evidence[1] - evidence[0], agent.records().size() > 4 ? lead : 0.0, 1e-9) << name;
      solve(agent);
    }
  }
}

TEST(Released, rows_are_released_once_and_added_to_those_before_them) {
  const RowsByTask rows = random_tasks(1);
  int calls = 0;
  PriorAgent agent(options_with(
      [&calls](const std::string& /*task*/, const SamplesView& X, const VectorView& y) {
        ++calls;
        return statistics_of(Problem::regression, X, y);
      }));
  const TaskRows& first = rows.at("t0");
  const TaskRows& second = rows.at("t1");
  agent.absorb("one", first.X, first.y);
  for (int k = 0; k < 5; ++k) agent.refresh_codes();
  EXPECT_EQ(calls, 1);
  agent.absorb("one", second.X, second.y, Revisit::append);
  EXPECT_EQ(calls, 2);
  const TaskStatistics& released = *agent.record("one").released;
  EXPECT_EQ(released.rows, 16);
  const Matrix gram = first.X.transpose() * first.X + second.X.transpose() * second.X;
  EXPECT_LT((released.gram - gram).norm(), 1e-12 * gram.norm());
  agent.absorb("one", second.X, second.y);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(*agent.record("one").released, statistics_of(Problem::regression, second.X, second.y));
}

TEST(Released, the_same_rows_again_are_released_again) {
  const RowsByTask rows = random_tasks(1);
  const TaskRows& task = rows.at("t0");
  PriorAgent agent(options_with(tells(rows)));
  agent.absorb("t0", task.X, task.y);
  EXPECT_FALSE(agent.absorb("t0", task.X, task.y).unchanged);
  PriorAgent honest(options_with({}));
  honest.absorb("t0", task.X, task.y);
  EXPECT_TRUE(honest.absorb("t0", task.X, task.y).unchanged);
}

}  // namespace
}  // namespace colla
