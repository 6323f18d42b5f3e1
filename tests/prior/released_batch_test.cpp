// SPDX-License-Identifier: Apache-2.0
// What an agent tells of batches that are released once.
#include "prior/moments.hpp"
#include "random_problems.hpp"

#include <colla/lifelong_agent.hpp>
#include <colla/prior_agent.hpp>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace colla {
namespace {

constexpr Index features_told = 4;

Prior random_prior(Random& random, double scale) {
  return {random.normal_matrix(features_told, 1),
          scale * (0.5 + random.normal_matrix(features_told, 1).array().abs()),
          0.5 + random.uniform()};
}

TaskStatistics random_task(Random& random, Problem problem, Index rows) {
  Samples X = testing::random_rows(random, rows, features_told);
  X.rightCols(1).setOnes();
  X.col(0) += 0.5 * X.col(1);
  Vector y = testing::random_targets(random, problem, rows);
  if (!has_labels(problem)) y += X * random.normal_matrix(features_told, 1);
  return statistics_of(problem, X, y);
}

Vector moments(Problem problem, const TaskStatistics& task, const Prior& prior) {
  const Posterior posterior(problem, task, prior);
  return moments_of(problem, task, posterior, prior, {},
                    moment_count(features_told, {Candidate{}}));
}

TEST(ReleasedMoments, under_the_prior_of_the_release_they_are_as_they_were_released) {
  Random random(1);
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    for (const Index rows : {2, 5, 50}) {
      const Prior prior = random_prior(random, 1.0);
      Vector sums = Vector::Zero(moment_count(features_told, {Candidate{}}));
      for (int k = 0; k < 3; ++k) {
        sums += moments(problem, random_task(random, problem, rows), prior);
        EXPECT_LT((moments_under(problem, sums, prior, prior) - sums).norm(), 1e-9 * sums.norm());
      }
    }
  }
}

// With many rows, h z is X'y/sigma^2 and the prior hardly matters.
TEST(ReleasedMoments, with_many_rows_they_are_those_of_an_estimate_from_the_rows) {
  Random random(2);
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    for (const Index rows : {2000, 20000}) {
      const TaskStatistics task = random_task(random, problem, rows);
      const Prior before = random_prior(random, 1.0);
      const Prior after = random_prior(random, 0.5);
      const Vector exact = moments(problem, task, after);
      const Vector found = moments_under(problem, moments(problem, task, before), before, after);
      const double tolerance = 60.0 / static_cast<double>(rows);
      for (const Index first :
           {moment::theta, moment::theta + features_told, moment::theta + 2 * features_told}) {
        EXPECT_LT((found - exact).segment(first, features_told).norm(),
                  tolerance * (1.0 + exact.segment(first, features_told).norm()))
            << rows << " rows, from " << first;
      }
      EXPECT_NEAR(found[moment::squares], exact[moment::squares],
                  tolerance * exact[moment::squares]);
      EXPECT_NEAR(found[moment::free_rows], exact[moment::free_rows], 0.1);
    }
  }
}

AgentOptions telling_in_batches(Index batch) {
  AgentOptions options;
  options.features = features_told;
  options.prior = PriorOptions{};
  options.prior->agents = 2;
  options.prior->means_over_tasks = true;
  options.prior->release_batch = batch;
  return options;
}

class Telling {
 public:
  explicit Telling(Index batch) : random_(3), agent_(telling_in_batches(batch)) {}

  void learn(const std::string& task, Index rows = 6) {
    const Samples X = testing::random_rows(random_, rows, features_told);
    agent_.absorb(task, X, X.rowwise().sum() + testing::random_vector(random_, rows));
    listen();
  }

  void forget(const std::string& task) {
    agent_.remove(task);
    listen();
  }

  double tasks() const { return tasks_; }
  const PriorAgent& agent() const { return agent_; }

  // The numbers of releases so far; what is told changes with these alone.
  std::vector<std::string> released() const {
    std::vector<std::string> all;
    for (const ReleasedBatch& batch : agent_.releases()) {
      std::string text = batch.is_withdrawn() ? "-" : "";
      for (const std::string& task : batch.tasks) text += task;
      all.push_back(text);
    }
    return all;
  }

 private:
  void listen() { tasks_ = agent_.share().is_known() ? agent_.share().codes(0, 0) : 0.0; }

  Random random_;
  PriorAgent agent_;
  double tasks_ = 0.0;
};

using Names = std::vector<std::string>;

TEST(ReleasedBatches, a_task_waits_until_its_batch_is_full) {
  Telling telling(3);
  telling.learn("a");
  telling.learn("b");
  EXPECT_EQ(telling.tasks(), 0.0);
  EXPECT_EQ(telling.agent().unreleased(), 2U);
  telling.learn("c");
  EXPECT_EQ(telling.tasks(), 3.0);
  telling.learn("d");
  EXPECT_EQ(telling.released(), Names{"abc"});
  EXPECT_EQ(telling.agent().unreleased(), 1U);
}

TEST(ReleasedBatches, new_rows_are_told_of_once_all_tasks_of_the_batch_have_some) {
  Telling telling(3);
  for (const char* task : {"a", "b", "c", "d"}) telling.learn(task);
  const Matrix before = telling.agent().releases().front().sums;
  telling.learn("a");
  telling.learn("c");
  telling.learn("a");
  EXPECT_EQ(telling.agent().releases().front().sums, before);
  telling.learn("b");
  EXPECT_EQ(telling.released(), Names{"abc"});
  EXPECT_NE(telling.agent().releases().front().sums, before);
  EXPECT_EQ(telling.agent().unreleased(), 1U);
}

// The others of a forgotten task's batch are told of with the next batch.
TEST(ReleasedBatches, a_forgotten_task_takes_its_batch_with_it) {
  Telling telling(3);
  for (const char* task : {"a", "b", "c", "d", "e", "f"}) telling.learn(task);
  telling.forget("b");
  EXPECT_EQ(telling.released(), (Names{"-ac", "def"}));
  EXPECT_EQ(telling.tasks(), 3.0);
  telling.forget("f");
  EXPECT_EQ(telling.released(), (Names{"-ac", "-de"}));
  EXPECT_EQ(telling.tasks(), 0.0);
  EXPECT_EQ(telling.agent().unreleased(), 4U);
  telling.learn("g");
  telling.learn("h");
  EXPECT_EQ(telling.tasks(), 0.0);
  telling.learn("i");
  EXPECT_EQ(telling.released(), Names{"acdeghi"});
  EXPECT_EQ(telling.tasks(), 7.0);
}

TEST(ReleasedBatches, what_was_told_of_no_other_task_changes_when_one_is_forgotten) {
  Telling telling(1);
  for (const char* task : {"a", "b", "c"}) telling.learn(task);
  const Matrix kept = telling.agent().releases()[2].sums;
  telling.forget("b");
  EXPECT_EQ(telling.released(), (Names{"a", "c"}));
  EXPECT_EQ(telling.agent().releases()[1].sums, kept);
}

// X2 = X S with signs S, and y2 with the same residual squares and the same X2'(y2 - X2 theta):
// theta, the diagonal of V, the evidence and the noise are the same, X'X and X'y are not.
TEST(ReleasedBatches, tasks_of_other_moments_may_tell_the_same_under_every_prior) {
  Random random(4);
  constexpr Index rows = 8;
  AgentOptions options = telling_in_batches(1);
  PriorAgent one(options);
  PriorAgent other(options);
  Samples X = testing::random_rows(random, rows, features_told);
  X.rightCols(1).setOnes();
  const Vector y = testing::random_vector(random, rows);
  one.absorb("t", X, y);

  const Vector signs{{1.0, -1.0, 1.0, 1.0}};
  const Samples X2 = X * signs.asDiagonal();
  const ReleasedBatch& told = one.releases().front();
  const Vector theta = told.sums.col(0).segment(moment::theta, features_told);
  const Vector rest = y - X * theta;
  const auto explained = [&](const Samples& Z) -> Vector {  // the part of a residual in Z's span
    return Z * (Z.transpose() * Z).inverse() * (X.transpose() * rest);
  };
  const Vector inside = explained(X2);
  Vector outside = testing::random_vector(random, rows);
  outside -= X2 * (X2.transpose() * X2).inverse() * (X2.transpose() * outside);
  const double left = rest.squaredNorm() - inside.squaredNorm();
  ASSERT_GT(left, 0.0);
  const Vector y2 = X2 * theta + inside + std::sqrt(left) * outside.normalized();
  other.absorb("t", X2, y2);

  const Matrix gram = X.transpose() * X;
  const Matrix gram2 = X2.transpose() * X2;
  EXPECT_GT((gram - gram2).norm(), 0.1 * gram.norm());
  EXPECT_LT((other.releases().front().sums - told.sums).norm(), 1e-9 * told.sums.norm());
}

}  // namespace
}  // namespace colla
