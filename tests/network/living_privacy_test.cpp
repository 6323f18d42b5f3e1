// SPDX-License-Identifier: Apache-2.0
// What docs/privacy.md says neighbours of an agent that lives can learn of its tasks.
#include "prior/moments.hpp"
#include "privacy/living_scene.hpp"
#include "random_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace colla::privacy {
namespace {

constexpr Index order = 5;

NetworkOptions options_of_batches(Index batch, Problem problem = Problem::regression) {
  NetworkOptions options;
  options.refresh = 1;
  options.agent.problem = problem;
  options.agent.features = order;
  options.agent.prior = PriorOptions{};
  options.agent.prior->agents = 2;
  options.agent.prior->release_batch = batch;
  return options;
}

Products learn_random(LivingAgent& agent, const std::string& name, Random& random) {
  constexpr Index rows = 8;
  Samples X = testing::random_rows(random, rows, order);
  X.rightCols(1).setOnes();
  const Problem problem = agent.learner().prior_agent().options().problem;
  const Vector y = testing::random_targets(random, problem, rows);
  agent.learn(name, X, y);
  return {X.transpose() * X, X.transpose() * y};
}

// The neighbour makes the agent estimate its tasks under priors of its choice.
std::vector<PriorSighting> probe(LivingScene& scene, Random& random, const NetworkOptions& options,
                                 int count = 20) {
  std::vector<PriorSighting> all;
  Sighting last = scene.wake();
  for (int k = 0; k < count; ++k) {
    const Prior wanted = {random.normal_matrix(order, 1),
                          (0.5 * random.normal_matrix(order, 1)).array().exp(), 0.5};
    last = scene.couple(coupling_for(wanted, last, scene.shift(), options.agent));
    all.push_back(sighting_of(last, options.agent));
  }
  return all;
}

Products identified(const std::vector<PriorSighting>& seen) {
  std::vector<Prior> priors;
  std::vector<Vector> thetas;
  for (std::size_t k = 2; k < seen.size(); ++k) {
    priors.push_back(seen[k].prior);
    thetas.emplace_back(seen[k].sums.segment(moment::theta, order));
  }
  return identify(priors, thetas);
}

TEST(LivingPrivacy, a_neighbour_that_is_trusted_can_probe_for_a_tasks_moments) {
  for (const Index neighbours : {1, 3}) {
    Random random(1);
    NetworkOptions options = options_of_batches(0);
    options.agent.prior->agents = neighbours + 1;
    LivingScene scene(options, neighbours);
    const Products task = learn_random(scene.agent(), "task", random);
    const Products found = identified(probe(scene, random, options));
    EXPECT_TRUE(found.gram.isApprox(task.gram, 1e-8));
    EXPECT_TRUE(found.products.isApprox(task.products, 1e-8));
  }
}

TEST(LivingPrivacy, of_a_task_that_is_released_once_the_same_probes_find_no_moments) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const NetworkOptions options = options_of_batches(1);
    LivingScene scene(options, 1);
    Matrix gram = learn_random(scene.agent(), "task", random).gram;
    Matrix found = identified(probe(scene, random, options)).gram;
    EXPECT_GT((found - gram).norm(), 0.1 * gram.norm());
    gram.diagonal().setZero();
    found.diagonal().setZero();
    EXPECT_GT((found - gram).norm(), 0.5 * gram.norm());
  }
}

// The numbers that were released, and the prior that the neighbour chose, give all that it sees.
TEST(LivingPrivacy, whatever_neighbours_send_they_see_a_function_of_what_was_released) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    for (const Index batch : {1, 3}) {
      Random random(2);
      const NetworkOptions options = options_of_batches(batch, problem);
      LivingScene scene(options, 1);
      for (const char* task : {"a", "b", "c"}) learn_random(scene.agent(), task, random);
      const auto& releases = scene.agent().learner().prior_agent().releases();
      EXPECT_EQ(std::ssize(releases), 3 / batch);
      for (const PriorSighting& seen : probe(scene, random, options)) {
        Vector expected = Vector::Zero(seen.sums.size());
        for (const ReleasedBatch& one : releases) {
          const auto column = one.priors.col(0);
          const Prior at = {column.head(order), column.segment(order, order).cwiseSqrt(),
                            column[2 * order]};
          expected += moments_under(problem, one.sums.col(0), at, seen.prior);
        }
        const Vector difference = seen.sums - expected;
        EXPECT_LT(difference.norm(), 1e-6 * expected.norm());
      }
    }
  }
}

// What is released stays: a neighbour that makes up a prior must not leave it in what is told.
TEST(LivingPrivacy, a_release_under_a_made_up_prior_is_as_good_as_one_of_an_agent_alone) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    for (const double size : {1e3, 1e20, 1e60}) {
      Random random(4);
      Random again(4);
      const NetworkOptions options = options_of_batches(1, problem);
      LivingScene fooled(options, 1);
      LivingScene alone(options, 1);
      const Prior wrong = {Vector::Constant(order, size), Vector::Constant(order, 1e-3), 1e-3};
      Sighting last = fooled.wake();
      for (int k = 0; k < 5; ++k) {
        last = fooled.couple(coupling_for(wrong, last, fooled.shift(), options.agent));
      }
      learn_random(fooled.agent(), "task", random);
      learn_random(alone.agent(), "task", again);
      const auto& told = fooled.agent().learner().prior_agent().releases().front().sums;
      const auto& expected = alone.agent().learner().prior_agent().releases().front().sums;
      EXPECT_LT((told - expected).col(0).segment(moment::theta, order).norm(),
                0.5 * expected.col(0).segment(moment::theta, order).norm() + 1.0)
          << size;
      EXPECT_LT(std::abs(told(moment::evidence, 0)), 1e3) << size;
    }
  }
}

TEST(LivingPrivacy, a_task_travels_with_its_batch_alone) {
  Random random(3);
  const NetworkOptions options = options_of_batches(3);
  LivingScene scene(options, 1);
  const auto told = [&] { return probe(scene, random, options, 4).back().sums[moment::tasks]; };
  learn_random(scene.agent(), "a", random);
  learn_random(scene.agent(), "b", random);
  EXPECT_NEAR(told(), 0.0, 1e-9);
  learn_random(scene.agent(), "c", random);
  EXPECT_NEAR(told(), 3.0, 1e-6);
  learn_random(scene.agent(), "d", random);
  EXPECT_NEAR(told(), 3.0, 1e-6);
  scene.agent().forget("b");
  EXPECT_NEAR(told(), 0.0, 1e-6);
}

}  // namespace
}  // namespace colla::privacy
