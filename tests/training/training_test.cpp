// SPDX-License-Identifier: Apache-2.0
#include "training/training.hpp"

#include "data/synthetic.hpp"
#include "numerics_problems.hpp"
#include "training/split.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

DataSet tasks(Problem problem, Index agents, std::uint64_t seed) {
  return make_tasks({.problem = problem,
                     .agents = agents,
                     .tasks_per_agent = 6,
                     .rows = 21,
                     .features = 5,
                     .seed = seed})
      .data;
}

TrainingOptions ella() {
  TrainingOptions options;
  options.algorithm = Algorithm::ella;
  return options;
}

RC_GTEST_PROP(Split, every_row_is_in_one_part_and_the_parts_have_their_sizes,
              (std::uint64_t seed)) {
  const auto problem = *rc::gen::element(Problem::regression, Problem::classification);
  const double fraction = *rc::gen::inRange(0, 100) / 100.0;
  const DataSet data = tasks(problem, 2, seed);
  const SplitData parts = split(data, fraction, seed);
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    for (std::size_t k = 0; k < data.agents[i].batches.size(); ++k) {
      const Batch& all = data.agents[i].batches[k];
      const Batch& train = parts.train.agents[i].batches[k];
      const Batch& test = parts.test.agents[i].batches[k];
      std::vector<double> seen(train.X.col(0).begin(), train.X.col(0).end());
      seen.insert(seen.end(), test.X.col(0).begin(), test.X.col(0).end());
      std::vector<double> expected(all.X.col(0).begin(), all.X.col(0).end());
      std::sort(seen.begin(), seen.end());
      std::sort(expected.begin(), expected.end());
      RC_ASSERT(seen == expected);
      RC_ASSERT(train.X.rows() >= 1);
      RC_ASSERT(std::abs(static_cast<double>(test.X.rows()) - fraction * 21.0) <= 1.5);
      if (problem == Problem::classification) RC_ASSERT(train.y.minCoeff() != train.y.maxCoeff());
    }
  }
}

// Poison: whatever the held-out rows contain, training must not see it.
TEST(Training, rows_of_the_test_do_not_reach_training) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    TrainingOptions options = ella();
    options.test_fraction = 0.4;
    options.network.agent.atoms = 3;
    const DataSet clean = tasks(problem, 2, 5);
    DataSet poisoned = clean;
    const SplitData parts = split(clean, 0.4, options.network.agent.seed);
    for (std::size_t i = 0; i < clean.agents.size(); ++i) {
      for (std::size_t k = 0; k < clean.agents[i].batches.size(); ++k) {
        Batch& batch = poisoned.agents[i].batches[k];
        const auto& test = parts.test.agents[i].batches[k].X;
        for (Index row = 0; row < batch.X.rows(); ++row) {
          for (Index t = 0; t < test.rows(); ++t) {
            if (batch.X.row(row) != test.row(t)) continue;
            batch.X.row(row).setConstant(1e100);
            // The class stays: the split itself may look at it.
            if (problem == Problem::regression) batch.y[row] = -1e100;
          }
        }
      }
    }
    const TrainingResult a = train(clean, options, nullptr);
    const TrainingResult b = train(poisoned, options, nullptr);
    for (std::size_t i = 0; i < a.model.agents.size(); ++i) {
      EXPECT_EQ(a.model.agents[i].state.dictionary, b.model.agents[i].state.dictionary);
      for (std::size_t k = 0; k < a.model.agents[i].state.records.size(); ++k) {
        EXPECT_EQ(a.model.agents[i].state.records[k].code, b.model.agents[i].state.records[k].code);
      }
    }
    if (problem == Problem::regression) {
      EXPECT_NE(a.final_score(), b.final_score());
    }
  }
}

TEST(Training, separate_agents_learn_what_each_learns_alone) {
  const DataSet both = tasks(Problem::regression, 2, 3);
  TrainingOptions options = ella();
  options.test_fraction = 0.0;
  const TrainingResult together = train(both, options, nullptr);
  for (std::size_t i = 0; i < 2; ++i) {
    DataSet one = both;
    one.agents = {both.agents[i]};
    const TrainingResult alone = train(one, options, nullptr);
    EXPECT_EQ(alone.model.agents[0].state.dictionary, together.model.agents[i].state.dictionary);
  }
}

TEST(Training, the_curve_has_a_point_per_step_and_the_observer_hears_each) {
  TrainingOptions options = ella();
  std::vector<double> heard;
  const TrainingResult result =
      train(tasks(Problem::regression, 3, 1), options,
            [&](const StepReport& report) { heard.push_back(report.score); });
  ASSERT_EQ(result.steps.size(), 6U);
  ASSERT_EQ(heard.size(), 6U);
  EXPECT_EQ(result.steps[0].tasks, 3);
  EXPECT_EQ(result.steps[5].tasks, 18);
  EXPECT_EQ(heard.back(), result.final_score());
}

TEST(Training, single_task_learning_scores_what_it_is_compared_with) {
  TrainingOptions options = ella();
  options.algorithm = Algorithm::stl;
  const TrainingResult result = train(tasks(Problem::regression, 2, 1), options, nullptr);
  EXPECT_EQ(result.final_score(), result.stl);
  EXPECT_EQ(result.model.agents[0].state.dictionary.cols(), 0);
}

// Every method is compared with the same fits, whose intercept is free unless asked otherwise.
TEST(Training, tasks_on_their_own_have_a_free_intercept) {
  DataSet data = tasks(Problem::regression, 2, 4);
  add_intercept(data);
  for (Stream& stream : data.agents) {
    for (Batch& batch : stream.batches) batch.y.array() += 30.0;
  }
  TrainingOptions options;
  options.edges = make_graph("line", 2, 1).edges();
  options.network.agent.gamma = 0.5;
  options.algorithm = Algorithm::stl;
  const double alone = train(data, options, nullptr).stl;
  options.penalise_intercept = true;
  const double penalised = train(data, options, nullptr).stl;
  EXPECT_GT(penalised, 2.0 * alone);
  for (const auto algorithm :
       {Algorithm::colla, Algorithm::ella, Algorithm::go_mtl, Algorithm::offline_colla}) {
    options.algorithm = algorithm;
    options.penalise_intercept = false;
    const TrainingResult free = train(data, options, nullptr);
    EXPECT_EQ(free.stl, alone) << name_of(algorithm);
    options.penalise_intercept = true;
    const TrainingResult paper = train(data, options, nullptr);
    EXPECT_NEAR(paper.stl, penalised, 1e-9) << name_of(algorithm);
    EXPECT_EQ(paper.final_score(), free.final_score()) << "the method itself has changed";
  }
}

TEST(Training, tasks_on_their_own_may_have_their_own_penalty) {
  const DataSet data = tasks(Problem::regression, 2, 4);
  TrainingOptions options = ella();
  options.network.agent.gamma = 2.0;
  options.gamma_alone = 0.1;
  const TrainingResult shared = train(data, options, nullptr);
  options.algorithm = Algorithm::stl;
  const double heavy = train(data, options, nullptr).stl;
  options.network.agent.gamma = 0.1;
  EXPECT_EQ(shared.stl, train(data, options, nullptr).stl);
  EXPECT_NE(shared.stl, heavy);
}

TEST(Training, nothing_is_compared_if_nobody_asks) {
  TrainingOptions options = ella();
  options.compare_alone = false;
  const TrainingResult result = train(tasks(Problem::regression, 2, 1), options, nullptr);
  EXPECT_TRUE(std::isnan(result.stl));
  EXPECT_FALSE(std::isnan(result.final_score()));
}

TEST(Training, without_test_rows_there_is_no_score) {
  TrainingOptions options = ella();
  options.test_fraction = 0.0;
  EXPECT_TRUE(std::isnan(train(tasks(Problem::regression, 1, 1), options, nullptr).final_score()));
}

// Tasks from 4 shared atoms in 12 dimensions, with 10 training rows each: alone a task is
// underdetermined; the dictionary is not.
TEST(Training, tasks_that_share_atoms_help_each_other) {
  SyntheticOptions synthetic;
  synthetic.tasks_per_agent = 60;
  synthetic.rows = 20;
  synthetic.features = 12;
  synthetic.noise = 0.3;
  TrainingOptions options = ella();
  const TrainingResult result = train(make_tasks(synthetic).data, options, nullptr);
  EXPECT_LT(result.final_score(), 0.7 * result.stl);
}

// 6 agents, 24 tasks each of 10 training rows in 10 dimensions, from 3 atoms. Means over 5 sets of
// tasks, so that the margins are several standard errors wide.
class Learning : public ::testing::Test {
 protected:
  static constexpr int trials = 5;

  static std::vector<double> mean_curve(Algorithm algorithm, Index refresh) {
    std::vector<double> sum;
    for (std::uint64_t seed = 1; seed <= trials; ++seed) {
      SyntheticOptions synthetic;
      synthetic.agents = 6;
      synthetic.tasks_per_agent = 24;
      synthetic.rows = 20;
      synthetic.atoms = 3;
      synthetic.seed = seed;
      TrainingOptions options;
      options.algorithm = algorithm;
      options.edges = make_graph("line", 6, seed).edges();
      options.network.refresh = refresh;
      AgentOptions& agent = options.network.agent;
      agent.atoms = 3;
      agent.lambda = 0.01;
      agent.mu = 0.1;
      agent.seed = seed;
      const TrainingResult result = train(make_tasks(synthetic).data, options, nullptr);
      sum.resize(result.steps.size());
      for (std::size_t t = 0; t < sum.size(); ++t) sum[t] += result.steps[t].score / trials;
    }
    return sum;
  }
};

TEST_F(Learning, the_collective_is_ahead_from_the_first_steps_and_all_end_near_pooled_data) {
  const std::vector<double> ella = mean_curve(Algorithm::ella, 0);
  const std::vector<double> collective = mean_curve(Algorithm::colla, 0);
  const std::vector<double> refreshed = mean_curve(Algorithm::colla, 1);
  const std::vector<double> stl = mean_curve(Algorithm::stl, 0);
  const double pooled = mean_curve(Algorithm::go_mtl, 0).back();
  const double offline = mean_curve(Algorithm::offline_colla, 0).back();
  for (std::size_t t = 3; t < 12; ++t) {
    EXPECT_LT(collective[t], 0.95 * ella[t]) << "step " << t + 1;
    EXPECT_LT(refreshed[t], 0.8 * ella[t]) << "step " << t + 1;
  }
  EXPECT_LT(ella.back(), 0.7 * stl.back());
  EXPECT_LT(ella.back(), 1.5 * pooled);
  EXPECT_LT(collective.back(), 1.35 * pooled);
  EXPECT_LT(refreshed.back(), 1.15 * pooled);
  EXPECT_LT(offline, 1.1 * pooled);
}

// One agent's second of three tasks stalls.
TEST(Training, every_method_reports_the_step_in_which_a_fit_stalled) {
  DataSet data = make_tasks({.problem = Problem::classification,
                             .agents = 2,
                             .tasks_per_agent = 3,
                             .features = testing::stalling_features})
                     .data;
  const testing::LabelledRows rows = testing::stalling_rows();
  data.agents[1].batches[1].X = rows.X;
  data.agents[1].batches[1].y = rows.y;
  for (const Named<Algorithm>& method : Names<Algorithm>::all) {
    if (!has_ridge(method.value)) continue;  // a prior keeps these fits from stalling
    TrainingOptions options;
    options.algorithm = method.value;
    options.network.agent.gamma = testing::stalling_gamma;
    options.test_fraction = 0.0;
    options.edges = make_graph("line", 2, 1).edges();
    const TrainingResult result = train(data, options, nullptr);
    EXPECT_EQ(result.numerics().fits_stalled, 1) << method.name;
    const std::size_t step = result.steps.size() == 1 ? 0 : 1;
    EXPECT_EQ(result.steps[step].exchange.numerics.fits_stalled, 1) << method.name;
  }
}

TEST(Training, a_revisit_replaces_the_task_and_its_test_rows) {
  DataSet data = tasks(Problem::regression, 1, 2);
  std::vector<Batch>& batches = data.agents[0].batches;
  batches[5].task = batches[0].task;
  const TrainingResult result = train(data, ella(), nullptr);
  EXPECT_EQ(result.tasks, 5);
  EXPECT_EQ(result.steps[5].tasks, 5);
  EXPECT_EQ(result.steps[4].tasks, 5);
}

}  // namespace
}  // namespace colla
