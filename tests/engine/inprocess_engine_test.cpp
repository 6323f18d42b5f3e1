// SPDX-License-Identifier: Apache-2.0
#include "network/diagnosis.hpp"
#include "network_problems.hpp"
#include "patience.hpp"

#include <colla/error.hpp>
#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cmath>

namespace colla {
namespace {

using testing::consensus_optimum;
using testing::network_options;
using testing::relative_difference;
using testing::TaskStream;

void learn_all(Engine& engine, const TaskStream& tasks, const StepOptions& options) {
  for (std::size_t t = 0; t < tasks.X.size(); ++t) learn_step(engine, tasks.arrivals(t), options);
}

// Separate ELLA agents: the same tasks, no network at all.
TEST(InProcessEngine, without_edges_it_is_separate_ella_agents_bit_for_bit) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    const TaskStream tasks(1, 3, 5, 6, 3, problem);
    const NetworkOptions options = network_options(problem, 6, 3);
    InProcessEngine engine(make_graph("none", 3, 1), options);
    learn_all(engine, tasks, {});
    for (Index i = 0; i < 3; ++i) {
      LifelongAgent alone(options.agent);
      for (std::size_t t = 0; t < tasks.X.size(); ++t) {
        const auto agent = static_cast<std::size_t>(i);
        alone.learn("task-" + std::to_string(t), tasks.X[t][agent], tasks.y[t][agent]);
      }
      EXPECT_EQ(engine.participant(i).dictionary(), alone.dictionary());
    }
  }
}

TEST(InProcessEngine, one_agent_is_ella_on_any_graph) {
  const TaskStream tasks(2, 1, 4, 5, 2);
  const NetworkOptions options = network_options(Problem::regression, 5, 2);
  LifelongAgent alone(options.agent);
  for (std::size_t t = 0; t < 4; ++t) {
    alone.learn("task-" + std::to_string(t), tasks.X[t][0], tasks.y[t][0]);
  }
  for (const std::string& name : graph_names()) {
    InProcessEngine engine(make_graph(name, 1, 1), options);
    learn_all(engine, tasks, {});
    EXPECT_EQ(engine.participant(0).dictionary(), alone.dictionary()) << name;
  }
}

// Two agents wait for each other, which one thread alone cannot do.
TEST(InProcessEngine, threads_work_at_the_same_time_on_any_number_of_cores) {
  for (const int threads : {2, 4}) {
    NetworkOptions options = network_options(Problem::regression, 4, 2);
    options.threads = threads;
    const InProcessEngine engine(make_graph("line", 8, 1), options);
    std::atomic<int> arrived = 0;
    engine.collect([&](const Participant& /*participant*/) {
      ++arrived;
      if (!HasFailure()) testing::wait_until([&] { return arrived >= 2; }, "another agent");
      return Numbers();
    });
    EXPECT_EQ(arrived, 8);
  }
}

// One exchange at a time forces the paper's order: no agent begins the next before all have done
// this one.
TEST(InProcessEngine, many_exchanges_at_once_are_as_many_single_ones_bit_for_bit) {
  constexpr Index agents = 40;
  constexpr Index exchanges = 37;  // more than one portion, and not a whole number of them
  const TaskStream tasks(4, agents, 1, 4, 2);
  for (const std::string& name : graph_names()) {
    const Graph natural = make_graph(name, agents, 1);
    for (const Graph& graph : {natural, natural.renumbered(colour_order(natural))}) {
      for (const int threads : {1, 2}) {
        NetworkOptions options = network_options(Problem::regression, 4, 2);
        options.threads = threads;
        InProcessEngine at_once(graph, options);
        InProcessEngine one_by_one(graph, options);
        at_once.begin_step(tasks.arrivals(0));
        one_by_one.begin_step(tasks.arrivals(0));
        at_once.exchange(0);
        at_once.exchange(exchanges);
        for (Index k = 0; k < exchanges; ++k) one_by_one.exchange(1);
        for (Index i = 0; i < agents; ++i) {
          const Participant& participant = at_once.participant(i);
          EXPECT_EQ(participant.dictionary(), one_by_one.participant(i).dictionary()) << name;
          for (Index n = 0; n < graph.degree(i); ++n) {
            EXPECT_EQ(participant.dual(n), one_by_one.participant(i).dual(n)) << name;
          }
        }
      }
    }
  }
}

struct Enough {};

TEST(InProcessEngine, a_pause_that_throws_leaves_the_exchanges_so_far) {
  const TaskStream tasks(3, 4, 1, 5, 2);
  for (const int threads : {1, 2}) {
    NetworkOptions options = network_options(Problem::regression, 5, 2);
    options.threads = threads;
    InProcessEngine interrupted(make_graph("ring", 4, 1), options);
    Index calls = 0;
    StepOptions step;
    step.exchanges = 100;
    step.pause = [&calls] {
      if (calls++ == 3) throw Enough();
    };
    EXPECT_THROW(learn_step(interrupted, tasks.arrivals(0), step), Enough);
    InProcessEngine whole(make_graph("ring", 4, 1), options);
    learn_step(whole, tasks.arrivals(0), {.exchanges = 3});
    for (Index i = 0; i < 4; ++i) {
      EXPECT_EQ(interrupted.participant(i).dictionary(), whole.participant(i).dictionary());
    }
  }
}

TEST(InProcessEngine, a_pause_that_returns_changes_no_bit) {
  const TaskStream tasks(4, 3, 2, 5, 2);
  const NetworkOptions options = network_options(Problem::regression, 5, 2);
  InProcessEngine plain(make_graph("line", 3, 1), options);
  InProcessEngine paused(make_graph("line", 3, 1), options);
  Index calls = 0;
  StepOptions step;
  step.refresh = 1;
  learn_all(plain, tasks, step);
  step.pause = [&calls] { ++calls; };
  learn_all(paused, tasks, step);
  EXPECT_EQ(calls, 2 * 2 * step.exchanges);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(plain.participant(i).dictionary(), paused.participant(i).dictionary());
  }
}

TEST(InProcessEngine, an_offline_run_is_interrupted_by_its_pause) {
  const TaskStream tasks(5, 3, 2, 5, 2);
  InProcessEngine engine(make_graph("line", 3, 1), network_options(Problem::regression, 5, 2));
  OfflineOptions options;
  options.pause = [] { throw Enough(); };
  EXPECT_THROW(learn_offline(engine, tasks.all_arrivals(), options), Enough);
}

TEST(InProcessEngine, it_goes_on_from_earlier_participants_bit_for_bit) {
  const TaskStream tasks(6, 4, 3, 5, 2);
  const NetworkOptions options = network_options(Problem::regression, 5, 2);
  const Graph graph = make_graph("ring", 4, 1);
  InProcessEngine first(graph, options);
  learn_step(first, tasks.arrivals(0), {});
  std::vector<Participant> participants;
  for (Index i = 0; i < 4; ++i) participants.push_back(first.participant(i));
  InProcessEngine second(graph, options, participants);
  for (std::size_t t = 1; t < 3; ++t) {
    learn_step(first, tasks.arrivals(t), {});
    learn_step(second, tasks.arrivals(t), {});
  }
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(first.participant(i).dictionary(), second.participant(i).dictionary());
  }
}

class OnEveryGraph : public ::testing::TestWithParam<std::string> {};

TEST_P(OnEveryGraph, enough_exchanges_reach_the_closed_form_optimum) {
  const TaskStream tasks(3, 5, 2, 4, 2);
  InProcessEngine engine(make_graph(GetParam(), 5, 1), network_options(Problem::regression, 4, 2));
  StepOptions options;
  options.exchanges = 20000;
  options.tolerance = 1e-12;
  learn_all(engine, tasks, options);
  const Matrix optimum = consensus_optimum(engine);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_LT(relative_difference(engine.participant(i).dictionary(), optimum), 1e-8);
  }
}

// Each Z_l has + at one end and - at the other.
TEST_P(OnEveryGraph, the_dual_terms_of_all_agents_sum_to_zero) {
  const TaskStream tasks(5, 6, 2, 4, 3);
  const Graph graph = make_graph(GetParam(), 6, 2);
  InProcessEngine engine(graph, network_options(Problem::regression, 4, 3));
  learn_all(engine, tasks, {});
  Matrix sum = Matrix::Zero(4, 3);
  double largest = 0.0;
  for (Index i = 0; i < 6; ++i) {
    for (Index n = 0; n < graph.degree(i); ++n) {
      const double sign = graph.links(i)[static_cast<std::size_t>(n)].neighbour > i ? 1.0 : -1.0;
      sum += sign * engine.participant(i).dual(n);
      largest = std::max(largest, engine.participant(i).dual(n).cwiseAbs().maxCoeff());
    }
  }
  EXPECT_GT(largest, 0.0);
  EXPECT_LT(sum.cwiseAbs().maxCoeff(), 1e-14 * largest);
}

INSTANTIATE_TEST_SUITE_P(Graphs, OnEveryGraph,
                         ::testing::Values("line", "star", "ring", "complete", "random"));

// Theorem 1: 0 < rho < min_i 2 eta_i / (3 (N - 1) |N(i)|).
RC_GTEST_PROP(Theorem1, below_its_bound_the_exchanges_converge, (std::uint64_t seed)) {
  const Index agents = *rc::gen::inRange<Index>(2, 5);
  const auto name = *rc::gen::element<std::string>("line", "star", "ring", "complete", "random");
  const TaskStream tasks(seed, agents, 2, 3, 2);
  NetworkOptions options = network_options(Problem::regression, 3, 2);
  options.agent.lambda = 0.3;
  const Graph graph = make_graph(name, agents, seed);
  InProcessEngine first(graph, options);
  first.begin_step(tasks.all_arrivals());
  const Diagnosis diagnosis =
      diagnose(first, {static_cast<std::size_t>(agents), {"task-0", "task-1"}});
  options.rho = 0.99 * *diagnosis.rho_bound;
  InProcessEngine engine(graph, options);
  StepOptions step;
  step.exchanges = 200000;
  step.tolerance = 1e-9;
  const StepSummary summary = learn_step(engine, tasks.all_arrivals(), step);
  RC_ASSERT(summary.exchanges < step.exchanges);
  const Matrix optimum = consensus_optimum(engine);
  for (Index i = 0; i < agents; ++i) {
    RC_ASSERT(relative_difference(engine.participant(i).dictionary(), optimum) < 1e-5);
  }
}

// Lemma 2: |L_(T+1) - L_T| falls like 1/T. Slope of log |L_(T+1) - L_T| over log T, T = 20 ... 500.
TEST(Lemma2, the_dictionary_settles_at_least_like_one_over_t) {
  const Index steps = 500;
  const TaskStream tasks(6, 2, steps, 6, 3, Problem::regression, 20);
  InProcessEngine engine(make_graph("line", 2, 1), network_options(Problem::regression, 6, 3));
  std::vector<double> log_t;
  std::vector<double> log_change;
  Matrix before;
  for (Index t = 0; t < steps; ++t) {
    learn_step(engine, tasks.arrivals(static_cast<std::size_t>(t)), {});
    const Matrix& now = engine.participant(0).dictionary();
    if (t >= 20) {
      log_t.push_back(std::log(static_cast<double>(t)));
      log_change.push_back(std::log((now - before).norm()));
    }
    before = now;
  }
  const Eigen::Map<Vector> x(log_t.data(), static_cast<Index>(log_t.size()));
  const Eigen::Map<Vector> y(log_change.data(), static_cast<Index>(log_change.size()));
  const Vector centred = x.array() - x.mean();
  EXPECT_LT(centred.dot(y) / centred.squaredNorm(), -0.9);
}

TEST(OfflineColla, its_objective_never_rises_and_does_not_depend_on_the_graph) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    const TaskStream tasks(7, 4, 2, 3, 2, problem);
    std::vector<double> reached;
    for (const char* name : {"line", "star", "ring", "complete", "random"}) {
      InProcessEngine engine(make_graph(name, 4, 3), network_options(problem, 3, 2));
      OfflineOptions options;
      options.exchange_tolerance = 1e-9;
      options.most_exchanges = 100000;
      options.objective_tolerance = 1e-8;
      options.most_alternations = 5000;
      const OfflineSummary summary = learn_offline(engine, tasks.all_arrivals(), options);
      EXPECT_TRUE(summary.converged);
      for (std::size_t k = 1; k < summary.objectives.size(); ++k) {
        EXPECT_LE(summary.objectives[k], summary.objectives[k - 1] * (1.0 + 1e-9));
      }
      reached.push_back(summary.objectives.back());
    }
    for (const double objective : reached) EXPECT_NEAR(objective, reached[0], 1e-6 * reached[0]);
  }
}

TEST(InProcessEngine, agents_without_tasks_learn_from_their_neighbours) {
  const TaskStream tasks(8, 1, 3, 5, 2);
  InProcessEngine engine(make_graph("line", 3, 1), network_options(Problem::regression, 5, 2));
  StepOptions step;
  step.exchanges = 3000;
  learn_all(engine, tasks, step);  // all arrive at agent 0
  EXPECT_TRUE(engine.participant(2).agent().records().empty());
  const Matrix optimum = consensus_optimum(engine);
  EXPECT_LT(relative_difference(engine.participant(2).dictionary(), optimum), 1e-6);
}

TEST(InProcessEngine, refreshed_codes_are_those_of_the_newest_dictionary) {
  const TaskStream tasks(9, 2, 3, 5, 2);
  InProcessEngine engine(make_graph("line", 2, 1), network_options(Problem::regression, 5, 2));
  learn_all(engine, tasks, {});
  const LifelongAgent& agent = engine.participant(0).agent();
  EXPECT_FALSE(agent.record("task-0").code.isApprox(agent.code("task-0"), 1e-6));
  engine.refresh_codes();
  EXPECT_TRUE(agent.record("task-0").code.isApprox(agent.code("task-0"), 1e-12));
}

TEST(InProcessEngine, a_tolerance_ends_the_exchanges_early) {
  const TaskStream tasks(10, 4, 1, 4, 2);
  InProcessEngine engine(make_graph("complete", 4, 1), network_options(Problem::regression, 4, 2));
  StepOptions step;
  step.exchanges = 100000;
  step.tolerance = 1e-4;
  const StepSummary summary = learn_step(engine, tasks.arrivals(0), step);
  EXPECT_LT(summary.exchanges, 100000);
  EXPECT_LE(summary.primal_residual, 1e-4);
  EXPECT_LE(summary.dual_residual, 1e-4);
  EXPECT_EQ(summary.bytes,
            static_cast<std::uint64_t>(summary.exchanges) * 2 * 6 * 8 * sizeof(double));
}

// A dead atom is redrawn alike by its owner and in every neighbour's copy.
TEST(InProcessEngine, redrawn_atoms_need_no_message) {
  NetworkOptions options = network_options(Problem::regression, 4, 3);
  options.agent.mu = 1e6;  // every code is 0, every atom dies
  const TaskStream tasks(11, 3, 2, 4, 3);
  InProcessEngine engine(make_graph("line", 3, 1), options);
  StepOptions step;
  step.exchanges = 5000;
  learn_step(engine, tasks.arrivals(0), step);
  EXPECT_LT(engine.participant(1).dictionary().norm(), 1e-100);
  engine.begin_step(tasks.arrivals(1));
  EXPECT_GT(engine.participant(1).dictionary().norm(), 0.1);
  EXPECT_EQ(engine.participant(0).dictionary(), engine.participant(1).dictionary());
}

}  // namespace
}  // namespace colla
