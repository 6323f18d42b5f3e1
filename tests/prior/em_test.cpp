// SPDX-License-Identifier: Apache-2.0
// Agents against EM with all tasks in one place, written without anything of src/prior.
#include "oracle.hpp"

#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>
#include <colla/random.hpp>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>

namespace colla {
namespace {

std::vector<TaskRows> related_tasks(Index count, Index rows, Index d, std::uint64_t seed) {
  Random random(seed, {1});
  const Vector mean = random.normal_matrix(d, 1) * 2.0;
  std::vector<TaskRows> tasks;
  for (Index t = 0; t < count; ++t) {
    const Vector theta = mean + random.normal_matrix(d, 1) * 0.5;
    TaskRows task{"t" + std::to_string(t), random.normal_matrix(rows, d), Vector()};
    task.X.rightCols(1).setOnes();
    task.y = task.X * theta + random.normal_matrix(rows, 1) * 0.7;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

// E-step: V = (X'X/s + D^-1)^-1, theta = V (X'y/s + D^-1 m). M-step: means, with two pseudo-tasks
// of variance 0.01 s and two rows of noise 0.01.
struct Em {
  Vector m;
  Vector v;
  double s = 0.5;
  std::vector<Vector> thetas;

  void run(const std::vector<TaskRows>& tasks, int rounds) {
    const Index d = tasks.front().X.cols();
    m = Vector::Zero(d);
    v = Vector::Constant(d, s);
    for (int k = 0; k < rounds; ++k) step(tasks);
  }

  void step(const std::vector<TaskRows>& tasks) {
    const auto n = static_cast<double>(tasks.size());
    const Index d = m.size();
    Vector mean = Vector::Zero(d);
    Vector squares = Vector::Zero(d);
    double noise = 0.0;
    double rows = 0.0;
    thetas.clear();
    for (const TaskRows& task : tasks) {
      const Matrix G = task.X.transpose() * task.X;
      const Matrix V = (G / s + Matrix(v.cwiseInverse().asDiagonal())).inverse();
      const Vector theta = V * (task.X.transpose() * task.y / s + m.cwiseQuotient(v));
      thetas.push_back(theta);
      mean += theta / n;
      squares += (theta.cwiseAbs2() + V.diagonal()) / n;
      noise += (task.y - task.X * theta).squaredNorm() + (G * V).trace();
      rows += static_cast<double>(task.y.size());
    }
    m = mean;
    s = (noise + 2.0 * 0.01) / (rows + 2.0);
    v = (n * (squares - m.cwiseAbs2()) + 2.0 * Vector::Constant(d, 0.01 * s)) / (n + 2.0);
  }
};

AgentOptions options_for(Index d, Index agents) {
  AgentOptions options;
  options.features = d;
  options.prior = PriorOptions{};
  options.prior->agents = agents;
  return options;
}

class OnGraphs : public ::testing::TestWithParam<std::string> {};

TEST_P(OnGraphs, agents_that_exchange_reach_em_in_one_place) {
  constexpr Index agents = 4;
  constexpr Index d = 3;
  const std::vector<TaskRows> tasks = related_tasks(12, 9, d, 5);
  Em em;
  em.run(tasks, 4000);

  const Graph graph = make_graph(GetParam(), agents, 1);
  NetworkOptions options;
  options.agent = options_for(d, agents);
  options.rho = averaging_penalty(graph);
  InProcessEngine engine(graph, options);
  std::vector<Arrival> arrivals;  // unevenly: 6, 3, 3 and no task
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    arrivals.push_back(arrival_of(t < 6 ? 0 : static_cast<Index>(t) % 2 + 1, tasks[t]));
  }
  engine.begin_step(arrivals);
  for (int k = 0; k < 1200; ++k) {
    engine.exchange(40);
    engine.refresh_codes();
  }
  engine.exchange(400);
  for (Index i = 0; i < agents; ++i) {
    const PriorAgent& agent = engine.participant(i).prior_agent();
    const Prior prior = agent.prior(0);
    EXPECT_LT(oracle::distance(prior.mean, em.m), 1e-8) << i;
    EXPECT_LT(oracle::distance(prior.root.cwiseAbs2(), em.v), 1e-8) << i;
    EXPECT_NEAR(prior.noise, em.s, 1e-8) << i;
  }
  const PriorAgent& first = engine.participant(0).prior_agent();
  for (std::size_t t = 0; t < 6; ++t) {
    const Posterior posterior(Problem::regression, *first.records()[t].statistics, first.prior(0));
    EXPECT_LT(oracle::distance(posterior.theta(), em.thetas[t]), 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, OnGraphs,
                         ::testing::Values("line", "star", "ring", "complete", "random"),
                         [](const auto& instance) { return instance.param; });

TEST(PriorAgents, threads_give_the_same_bits_as_one) {
  const std::vector<TaskRows> tasks = related_tasks(10, 6, 4, 2);
  const auto learned = [&tasks](int threads) {
    const Graph graph = make_graph("line", 5, 1);
    NetworkOptions options;
    options.agent = options_for(4, 5);
    options.agent.prior->correlated = 1;
    options.rho = averaging_penalty(graph);
    options.refresh = 3;
    options.threads = threads;
    InProcessEngine engine(graph, options);
    for (std::size_t t = 0; t < tasks.size(); t += 5) {
      std::vector<Arrival> arrivals;
      for (std::size_t i = 0; i < 5; ++i) {
        arrivals.push_back(arrival_of(static_cast<Index>(i), tasks[t + i]));
      }
      learn_step(engine, arrivals, step_options(options, static_cast<Index>(t / 5 + 1)));
    }
    return engine.participant(2).dictionary();
  };
  EXPECT_EQ(learned(1), learned(2));
}

TEST(PriorAgents, a_state_continues_bit_for_bit) {
  const std::vector<TaskRows> tasks = related_tasks(6, 5, 4, 3);
  PriorAgent agent(options_for(4, 1));
  const auto learn = [](PriorAgent& one, const TaskRows& task) {
    one.begin_step();
    one.absorb(task.task, task.X, task.y);
    for (int k = 0; k < 3; ++k) {
      one.prepare(0.0);
      one.solve();
      one.refresh_codes();
    }
  };
  for (std::size_t t = 0; t < 3; ++t) learn(agent, tasks[t]);
  PriorAgent again(agent.options(), agent.state());
  for (std::size_t t = 3; t < 6; ++t) {
    learn(agent, tasks[t]);
    learn(again, tasks[t]);
  }
  EXPECT_EQ(agent.dictionary(), again.dictionary());
}

TEST(PriorAgents, learning_and_forgetting_a_task_restores_the_sums) {
  const std::vector<TaskRows> tasks = related_tasks(4, 5, 3, 4);
  PriorAgent agent(options_for(3, 1));
  const auto settle = [&agent] {
    for (int k = 0; k < 2000; ++k) {
      agent.prepare(0.0);
      agent.solve();
      agent.refresh_codes();
    }
  };
  agent.begin_step();
  for (std::size_t t = 0; t < 3; ++t) agent.absorb(tasks[t].task, tasks[t].X, tasks[t].y);
  settle();
  const Prior before = agent.prior(0);
  agent.absorb(tasks[3].task, tasks[3].X, tasks[3].y);
  settle();
  EXPECT_GT((agent.prior(0).mean - before.mean).norm(), 1e-3);
  agent.remove(tasks[3].task);
  settle();
  EXPECT_LT((agent.prior(0).mean - before.mean).norm(), 1e-8);
  EXPECT_FALSE(agent.knows(tasks[3].task));
}

// Whatever tasks do not have in common passes for noise at first, where the second one meets the
// narrow prior of the first. EM stays there for more than twenty rounds.
TEST(PriorAgents, five_rounds_a_step_tell_noise_from_differences_between_four_tasks) {
  constexpr Index d = 11;
  constexpr double deviation = 0.1;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed, {1});
    PriorAgent agent(options_for(d, 1));
    std::vector<Vector> truth;
    for (int t = 0; t < 4; ++t) {
      const Samples X = random.normal_matrix(20, d);
      truth.push_back(random.normal_matrix(d, 1));
      agent.begin_step();
      agent.absorb(std::to_string(t), X,
                   X * truth.back() + deviation * random.normal_matrix(20, 1));
      for (int k = 0; k <= 5; ++k) {
        if (k > 0) agent.refresh_codes();
        agent.prepare(0.0);
        agent.solve();
      }
    }
    EXPECT_NEAR(std::sqrt(agent.prior(0).noise), deviation, 0.5 * deviation);
    for (std::size_t t = 0; t < truth.size(); ++t) {
      EXPECT_LT((agent.predictor(agent.records()[t]).theta() - truth[t]).norm(), 0.25);
    }
  }
}

// As many rows as coefficients: a task's own fit leaves no noise, and a narrow prior takes what
// differs between tasks for noise.
TEST(PriorAgents, tasks_of_few_rows_keep_what_differs_between_them) {
  double squares = 0.0;
  constexpr int seeds = 10;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Random random(seed, {1});
    PriorAgent agent(options_for(3, 1));
    for (int t = 0; t < 5; ++t) {
      Samples X = random.normal_matrix(3, 3);
      X.rightCols(1).setOnes();
      const double level = 0.5 * (t - 2);
      agent.begin_step();
      agent.absorb(std::to_string(t), X,
                   Vector::Constant(3, level) + 0.05 * random.normal_matrix(3, 1));
      for (int k = 0; k <= 5; ++k) {
        if (k > 0) agent.refresh_codes();
        agent.prepare(0.0);
        agent.solve();
      }
    }
    for (int t = 0; t < 5; ++t) {
      const double found = agent.predictor(agent.record(std::to_string(t))).theta()[2];
      squares += (found - 0.5 * (t - 2)) * (found - 0.5 * (t - 2)) / (5 * seeds);
    }
  }
  EXPECT_LT(std::sqrt(squares), 0.25);  // 0.71 if all tasks had one level
}

// Its estimate is finite, because the prior is, and other tasks say how far to trust it.
TEST(PriorAgents, a_task_of_one_class_is_learned_under_the_prior) {
  AgentOptions options = options_for(2, 1);
  options.problem = Problem::classification;
  PriorAgent agent(options);
  Random random(4);
  for (int t = 0; t < 9; ++t) {
    Samples X = random.normal_matrix(20, 2);
    X.rightCols(1).setOnes();
    Vector y = (X.col(0) + 0.5 * random.normal_matrix(20, 1)).cwiseSign();
    if (t == 8) y.setOnes();
    agent.begin_step();
    agent.check_rows(std::to_string(t), X, y);
    agent.absorb(std::to_string(t), X, y);
    for (int k = 0; k <= 5; ++k) {
      if (k > 0) agent.refresh_codes();
      agent.prepare(0.0);
      agent.solve();
    }
  }
  const Vector theta = agent.predictor(agent.record("8")).theta();
  EXPECT_TRUE(theta.allFinite());
  EXPECT_GT(theta[1], agent.prior(0).mean[1] + 0.5);
  EXPECT_LT(theta.norm(), 20.0);
}

// Finite numbers and sensible predictions where there is little to learn from.
TEST(PriorAgents, one_row_a_constant_target_and_duplicate_columns_give_finite_numbers) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    AgentOptions options = options_for(3, 1);
    options.problem = problem;
    options.prior->correlated = 1;
    options.prior->feature_squares = Vector::Constant(3, 7.5);
    options.prior->target_variance = 49.0;
    PriorAgent agent(options);
    Samples X(4, 3);
    X << 1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 3.0, 3.0, 1.0, 4.0, 4.0, 1.0;
    const Vector y = has_labels(problem) ? Vector(Vector::Ones(4).array() * 1.0)
                                         : Vector(Vector::Constant(4, 7.0));
    for (const Index rows : {1, 2, 4}) {
      agent.begin_step();
      agent.absorb("t" + std::to_string(rows), X.topRows(rows), y.head(rows));
      for (int k = 0; k < 30; ++k) {
        agent.prepare(0.0);
        agent.solve();
        agent.refresh_codes();
      }
    }
    const Predicted predicted = agent.predictor(agent.record("t4")).predict(X.row(1));
    EXPECT_TRUE(agent.dictionary().allFinite());
    EXPECT_TRUE(std::isfinite(predicted.mean));
    if (!has_labels(problem)) {
      EXPECT_NEAR(predicted.mean, 7.0, 3.5);  // seven rows in all: nearer to them than to 0
    }
    EXPECT_TRUE(std::isfinite(agent.predictor().predict(X.row(1)).deviation));
  }
}

}  // namespace
}  // namespace colla
