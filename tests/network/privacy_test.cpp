// SPDX-License-Identifier: Apache-2.0
// What docs/privacy.md says a neighbour can learn. If one of these fails, the exchange reveals less
// than before: correct the page.
#include "prior/moments.hpp"
#include "privacy/listening.hpp"
#include "privacy/probing.hpp"
#include "privacy/rows.hpp"
#include "privacy/scene.hpp"
#include "random_problems.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace colla::privacy {
namespace {

constexpr Index features = 5;

NetworkOptions options_of(std::uint64_t seed) {
  NetworkOptions options;
  options.agent.features = features;
  options.agent.atoms = 2;
  options.agent.seed = seed;
  return options;
}

Rows random_task(Random& random) {
  constexpr Index rows = 4;
  Samples X = testing::random_rows(random, rows, features);
  X.rightCols(1).setOnes();
  return {X, testing::random_vector(random, rows)};
}

void learn(Participant& agent, const Rows& task) { agent.absorb("task", task.X, task.y); }

// |Gamma^ - Gamma| <= 1e-6 |Gamma|, and alpha alike, up to its sign.
void expect_known(const Share& share, Scene& scene) {
  const SingleTaskModel& truth = scene.victim().agent().record("task").model;
  const double ridge = scene.victim().agent().options().gamma;
  const Statistics found = statistics(share, code_size_by_intercept(share, ridge));
  EXPECT_TRUE(found.gamma.isApprox(truth.gamma->dense(), 1e-6));
  EXPECT_TRUE(found.alpha.isApprox(truth.alpha, 1e-6) || found.alpha.isApprox(-truth.alpha, 1e-6));
}

TEST(Privacy, a_neighbour_that_listens_to_a_leaf_knows_its_task_after_d_plus_1_exchanges) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    Scene scene(options_of(seed), 2, seed % 2 == 0);
    scene.begin_step();
    learn(scene.victim(), random_task(random));
    learn(scene.spy(), random_task(random));
    std::vector<Answer> answers;
    for (Index k = 0; k < features + 1; ++k) answers.push_back(scene.exchange());
    expect_known(identify(answers), scene);
  }
}

// The first exchange starts from what all know; after it the neighbour sends what it has heard,
// with noise that no honest agent would notice.
TEST(Privacy,
     a_neighbour_that_adds_a_little_noise_knows_the_task_of_an_agent_with_another_neighbour) {
  Random random(1);
  Scene scene(options_of(1), 3);
  scene.begin_step();
  learn(scene.victim(), random_task(random));
  learn(scene.far_end(), random_task(random));
  const Answer complete = scene.first_exchange();
  std::vector<Answer> answers;
  for (int k = 0; k < 60; ++k) {
    const Matrix probe = scene.victim().dictionary() + 1e-3 * random.normal_matrix(features, 2);
    answers.push_back(scene.exchange(&probe));
  }
  expect_known(identify_by_history(answers, complete), scene);
}

Statistics statistics_of(const Rows& task, double ridge) {
  const SingleTaskModel model = fit_ridge(task.X, task.y, ridge);
  return {model.gamma->dense(), model.alpha};
}

TEST(Privacy, two_rows_follow_from_their_statistics) {
  Rows task{Samples{{0.5, -1.25, 1.0}, {3.0, 0.75, 1.0}}, Vector{{2.0, -1.0}}};
  std::optional<Rows> found = one_or_two_rows(statistics_of(task, 0.01), 0.01);
  ASSERT_TRUE(found);
  if (found->X(0, 0) > found->X(1, 0)) {
    found->X.row(0).swap(found->X.row(1));
    std::swap(found->y[0], found->y[1]);
  }
  EXPECT_TRUE(found->X.isApprox(task.X, 1e-8));
  EXPECT_TRUE(found->y.isApprox(task.y, 1e-8));
}

// The rows of README.md, targets in tenths.
TEST(Privacy, rows_of_whole_numbers_follow_from_their_statistics) {
  const Rows task{Samples{{31, 2, 70, 1}, {44, 3, 65, 1}, {58, 1, 82, 1}, {67, 2, 90, 1}},
                  Vector{{19, 20, 24, 31}}};
  const auto found = whole_rows(statistics_of(task, 0.01), 0.01, 10, 1'000'000);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].X, task.X);
  EXPECT_EQ(found[0].y, task.y);
}

// What a leaf's task adds to the sums, from one exchange: (1 + shift) x = s + coupling.
Matrix sums_of_leaf(const Participant& spy, const Matrix& coupling) {
  const Matrix sums = (1.0 + 0.5 * spy.rho()) * spy.neighbour_dictionary(0) - coupling;
  EXPECT_NEAR(sums(moment::tasks, 0), 1.0, 1e-12);
  return sums;
}

// V = (X'X/sigma^2 + D^-1)^-1 and theta = V X'y/sigma^2, under the prior before the first task.
TEST(Privacy, a_neighbour_of_a_leaf_with_a_collective_prior_knows_its_task_after_one_exchange) {
  const Graph line = make_graph("line", 2, 1);
  NetworkOptions options;
  options.agent.features = features;
  options.agent.prior = prior_of_network(line, features);
  options.rho = averaging_penalty(line);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    Participant leaf(options, line, 0);
    Participant spy(options, line, 1);
    leaf.begin_step();
    spy.begin_step();
    const Rows task = random_task(random);
    learn(leaf, task);
    const Matrix coupling = -0.5 * spy.dual(0) + 0.5 * spy.rho() * spy.dictionary();
    leaf.exchange();
    spy.receive(0, leaf.dictionary());

    constexpr Index correlated = 1;
    const Vector sums = sums_of_leaf(spy, coupling).col(correlated);
    const Vector theta = sums.segment(moment::theta, features);
    const double noise = 0.5;  // and D = noise I
    const Vector known = sums.segment(moment::theta + features, features);
    Matrix V = noise * (1.0 - known.array()).matrix().asDiagonal();
    Index next = moment::theta + 2 * features;
    for (Index j = 0; j < features; ++j) {
      ++next;  // theta_j^2
      for (Index i = j + 1; i < features; ++i, ++next) {
        V(i, j) = V(j, i) = sums[next] - theta[i] * theta[j];
      }
    }
    const Matrix precision = V.inverse();
    const Matrix gram = noise * precision - Matrix::Identity(features, features);
    EXPECT_TRUE(gram.isApprox(task.X.transpose() * task.X, 1e-9));
    EXPECT_TRUE((noise * precision * theta).isApprox(task.X.transpose() * task.y, 1e-9));
    EXPECT_NEAR(sums[moment::free_rows] + gram.cwiseProduct(V).sum() / noise, 4.0, 1e-6);
  }
}

}  // namespace
}  // namespace colla::privacy
