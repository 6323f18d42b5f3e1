// SPDX-License-Identifier: Apache-2.0
// What did not reach its accuracy is counted, and nothing else.
#include "numerics_problems.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace colla {
namespace {

using testing::LabelledRows;

TEST(Numerics, are_told_in_words) {
  EXPECT_EQ(to_string(Numerics{}), "");
  EXPECT_EQ(to_string(Numerics{1, 0, 0}), "1 fit stalled");
  EXPECT_EQ(to_string(Numerics{0, 2, 0}), "2 codes did not converge");
  EXPECT_EQ(to_string(Numerics{2, 1, 3}), "2 fits stalled, 1 code and 3 solves did not converge");
}

RC_GTEST_PROP(Numerics, ordinary_tasks_are_clean, (std::uint64_t seed)) {
  Random random(seed);
  AgentOptions options;
  options.problem = *rc::gen::element(Problem::regression, Problem::classification);
  options.solver = *rc::gen::element(Solver::dense, Solver::matrix_free);
  options.features = 5;
  options.atoms = 3;
  LifelongAgent agent(options);
  for (int t = 0; t < 8; ++t) {
    const Index rows = 2 + static_cast<Index>(random.below(20));
    const auto revisit = random.below(2) == 0 ? Revisit::replace : Revisit::append;
    agent.learn("task-" + std::to_string(random.below(5)),
                testing::random_rows(random, rows, options.features),
                testing::random_targets(random, options.problem, rows), revisit);
    agent.refresh_codes();
    RC_ASSERT(agent.numerics().are_clean());
  }
}

AgentOptions options_of_stalling_rows() {
  AgentOptions options;
  options.problem = Problem::classification;
  options.features = testing::stalling_features;
  options.gamma = testing::stalling_gamma;
  return options;
}

TEST(Numerics, a_fit_that_stalls_is_counted_in_its_step) {
  LifelongAgent agent(options_of_stalling_rows());
  const LabelledRows task = testing::stalling_rows();
  const LearnSummary summary = agent.learn("task", task.X, task.y);
  EXPECT_EQ(summary.fit.status, FitStatus::stalled);
  EXPECT_EQ(agent.numerics(), (Numerics{1, 0, 0}));
  agent.begin_step();
  EXPECT_TRUE(agent.numerics().are_clean());
  agent.learn("task", task.X, task.y);  // nothing changes, and the fit stalls again
  EXPECT_EQ(agent.numerics().fits_stalled, 1);
  const LabelledRows more{2.0 * task.X, task.y};
  EXPECT_EQ(agent.learn("task", more.X, more.y, Revisit::append).fit.status, FitStatus::stalled);
  EXPECT_EQ(agent.numerics().fits_stalled, 1);
}

TEST(Numerics, fits_of_times_are_counted_if_they_stall_and_their_models_are_finite) {
  Random random(1);
  AgentOptions options = options_of_stalling_rows();
  options.gamma = AgentOptions().gamma;
  LifelongAgent agent(options);
  for (int t = 0; t < 10; ++t) {
    const LabelledRows task = testing::rows_of_times(random);
    for (const Revisit revisit : {Revisit::replace, Revisit::append}) {
      const LearnSummary summary = agent.learn("task", task.X, task.y, revisit);
      const bool stalled = summary.fit.status == FitStatus::stalled;
      EXPECT_EQ(agent.numerics().fits_stalled, stalled ? 1 : 0);
      EXPECT_TRUE(agent.model("task").allFinite());
    }
  }
}

TEST(Numerics, a_code_that_does_not_converge_is_counted) {
  LifelongAgent agent(testing::options_of_collinear_atoms(), testing::collinear_atoms());
  const LabelledRows task = testing::skew_rows();
  agent.begin_step();
  EXPECT_FALSE(agent.absorb("task", task.X, task.y).code.converged);
  EXPECT_EQ(agent.numerics(), (Numerics{0, 1, 0}));
  agent.refresh_codes();
  EXPECT_EQ(agent.numerics(), (Numerics{0, 2, 0}));
}

// Each task scales the features differently, so that the mean of the Gammas, of condition 1e20,
// preconditions none of them.
TEST(Numerics, a_solve_that_does_not_converge_is_counted) {
  Random random(1);
  AgentOptions options;
  options.features = 6;
  options.solver = Solver::matrix_free;
  options.lambda = 1e-18;
  LifelongAgent agent(options);
  std::int64_t unconverged = 0;
  for (int t = 0; t < 6; ++t) {
    Samples X = testing::random_rows(random, 20, options.features).array() + 1e4;
    for (Index j = 0; j < X.cols(); ++j) {
      X.col(j) *= std::pow(1e6, static_cast<double>((t + j) % 6) / 5.0);
    }
    const LearnSummary summary =
        agent.learn("task-" + std::to_string(t), X, testing::random_vector(random, 20));
    EXPECT_EQ(agent.numerics().solves_unconverged, summary.solve.converged ? 0 : 1);
    unconverged += agent.numerics().solves_unconverged;
  }
  EXPECT_GT(unconverged, 0);
}

}  // namespace
}  // namespace colla
