// SPDX-License-Identifier: Apache-2.0
#include "data/synthetic.hpp"

#include "expectations.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace colla {
namespace {

SyntheticOptions any_options() {
  SyntheticOptions options;
  options.problem = *rc::gen::element(Problem::regression, Problem::classification);
  options.agents = *rc::gen::inRange<Index>(1, 4);
  options.tasks_per_agent = *rc::gen::inRange<Index>(1, 5);
  options.rows = *rc::gen::inRange<Index>(2, 12);
  options.features = *rc::gen::inRange<Index>(1, 6);
  options.atoms = *rc::gen::inRange<Index>(1, 6);
  options.active = *rc::gen::inRange<Index>(1, options.atoms + 1);
  options.seed = *rc::gen::arbitrary<std::uint64_t>();
  return options;
}

RC_GTEST_PROP(Synthetic, is_a_sound_set_of_the_asked_shape, ()) {
  const SyntheticOptions options = any_options();
  const SyntheticData made = make_tasks(options);
  check(made.data);
  RC_ASSERT(made.dictionary.rows() == options.features);
  RC_ASSERT(made.dictionary.cols() == options.atoms);
  RC_ASSERT(static_cast<Index>(made.data.agents.size()) == options.agents);
  for (std::size_t i = 0; i < made.data.agents.size(); ++i) {
    const Stream& stream = made.data.agents[i];
    RC_ASSERT(stream.agent == "agent-" + std::to_string(i));
    RC_ASSERT(static_cast<Index>(stream.batches.size()) == options.tasks_per_agent);
    for (std::size_t k = 0; k < stream.batches.size(); ++k) {
      const Batch& batch = stream.batches[k];
      RC_ASSERT(batch.task == "task-" + std::to_string(k));
      RC_ASSERT(batch.X.rows() == options.rows);
      RC_ASSERT((made.codes[i][k].array() != 0.0).count() == options.active);
      const bool classes = options.problem == Problem::classification;
      RC_ASSERT(!classes || std::abs(batch.y.sum()) < static_cast<double>(options.rows));
    }
  }
}

// y - X L s is normal with standard deviation `noise`: its mean square over n rows is within five
// standard errors, noise^2 sqrt(2/n), of noise^2.
TEST(Synthetic, residuals_of_the_true_models_have_the_asked_noise) {
  SyntheticOptions options;
  options.noise = 0.3;
  options.rows = 500;
  const SyntheticData made = make_tasks(options);
  double squares = 0.0;
  double count = 0.0;
  for (std::size_t k = 0; k < made.codes[0].size(); ++k) {
    const Batch& batch = made.data.agents[0].batches[k];
    squares += (batch.y - batch.X * (made.dictionary * made.codes[0][k])).squaredNorm();
    count += static_cast<double>(batch.y.size());
  }
  const double variance = options.noise * options.noise;
  EXPECT_NEAR(squares / count, variance, 5.0 * variance * std::sqrt(2.0 / count));
}

TEST(Synthetic, labels_without_noise_are_the_signs_of_the_true_margins) {
  SyntheticOptions options;
  options.problem = Problem::classification;
  options.noise = 0.0;
  const SyntheticData made = make_tasks(options);
  const Batch& batch = made.data.agents[0].batches[3];
  const Vector margins = batch.X * (made.dictionary * made.codes[0][3]);
  EXPECT_EQ(Vector(margins.cwiseSign()), batch.y);
}

TEST(Synthetic, a_task_does_not_depend_on_how_many_agents_and_tasks_there_are) {
  SyntheticOptions few;
  few.agents = 2;
  few.tasks_per_agent = 3;
  SyntheticOptions many = few;
  many.agents = 5;
  many.tasks_per_agent = 8;
  const SyntheticData a = make_tasks(few);
  const SyntheticData b = make_tasks(many);
  EXPECT_EQ(a.dictionary, b.dictionary);
  EXPECT_EQ(a.data.agents[1].batches[2].X, b.data.agents[1].batches[2].X);
  EXPECT_EQ(a.data.agents[1].batches[2].y, b.data.agents[1].batches[2].y);
  EXPECT_NE(a.data.agents[0].batches[2].X, a.data.agents[1].batches[2].X);
}

TEST(Synthetic, options_out_of_range_are_named) {
  const auto expect_refused = [](const SyntheticOptions& options, const std::string& name) {
    testing::expect_failure<OptionError>([&] { make_tasks(options); }, {name, "range", "give"});
  };
  expect_refused({.agents = 0}, "agents");
  expect_refused({.tasks_per_agent = 0}, "tasks_per_agent");
  expect_refused({.rows = 1}, "rows");
  expect_refused({.features = 0}, "features");
  expect_refused({.atoms = 0}, "atoms");
  expect_refused({.atoms = 2, .active = 3}, "active");
  expect_refused({.noise = -1.0}, "noise");
  expect_refused({.noise = std::numeric_limits<double>::quiet_NaN()}, "noise");
}

}  // namespace
}  // namespace colla
