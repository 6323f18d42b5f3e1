// SPDX-License-Identifier: Apache-2.0
#include "training/measures.hpp"

#include "random_problems.hpp"

#include <colla/prediction.hpp>
#include <colla/random.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace colla {
namespace {

Vector vec(std::initializer_list<double> values) {
  Vector result(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

TEST(Measures, rmse_is_the_root_of_the_mean_square) {
  EXPECT_DOUBLE_EQ(rmse(vec({1, 2, 3}), vec({1, 4, 7})), std::sqrt(20.0 / 3.0));
  EXPECT_TRUE(std::isnan(rmse(Vector(), Vector())));
}

TEST(Measures, explained_variance_is_1_for_the_truth_and_0_for_the_mean) {
  const Vector y = vec({1, 5, 3, 7});
  EXPECT_DOUBLE_EQ(explained_variance(y, y), 1.0);
  EXPECT_DOUBLE_EQ(explained_variance(y, Vector::Constant(4, 4.0)), 0.0);
  EXPECT_TRUE(std::isnan(explained_variance(vec({2, 2}), vec({1, 3}))));
  const Vector rounded_mean = Vector::Constant(10, 0.1);
  EXPECT_TRUE(std::isnan(explained_variance(rounded_mean, Vector::Zero(10))));
}

// The definition: P(score+ > score-) + P(score+ = score-)/2 over all pairs.
RC_GTEST_PROP(Measures, auc_counts_pairs_and_half_of_the_ties, (std::uint64_t seed)) {
  Random random(seed);
  const Index rows = *rc::gen::inRange<Index>(2, 30);
  const Vector y = testing::random_labels(random, rows);
  Vector scores(rows);
  for (double& score : scores) score = static_cast<double>(random.below(6));  // many ties
  double wins = 0.0;
  double pairs = 0.0;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < rows; ++j) {
      if (y[i] < 0.0 || y[j] > 0.0) continue;
      pairs += 1.0;
      wins += scores[i] > scores[j] ? 1.0 : scores[i] == scores[j] ? 0.5 : 0.0;
    }
  }
  RC_ASSERT(std::abs(auc(y, scores) - wins / pairs) < 1e-12);
  RC_ASSERT(std::abs(auc(y, Vector(-scores)) - (1.0 - wins / pairs)) < 1e-12);
}

TEST(Measures, auc_of_one_class_is_undefined_and_left_out_of_means) {
  EXPECT_TRUE(std::isnan(auc(vec({1, 1}), vec({0.2, 0.3}))));
  DefinedMean mean;
  EXPECT_TRUE(std::isnan(mean.value()));
  mean.add(std::nan(""));
  mean.add(2.0);
  mean.add(4.0);
  EXPECT_EQ(mean.value(), 3.0);
}

TEST(Measures, predictions_that_are_no_numbers_are_the_worst) {
  Vector y(4);
  y << 1, -1, 1, -1;
  Vector scores(4);
  scores << 2, -2, std::nan(""), -3;
  EXPECT_EQ(auc(y, scores), 0.0);
  EXPECT_EQ(rmse(y, scores), std::numeric_limits<double>::infinity());
}

// Enough pairs that they are counted in order.
TEST(Measures, auc_of_many_rows_is_the_same_count) {
  Random random(1, {});
  const Vector scores = (10.0 * random.normal_matrix(600, 1)).array().round();  // with ties
  const Vector y = (random.normal_matrix(600, 1) + 0.1 * scores).array().sign();
  double won = 0.0;
  double pairs = 0.0;
  for (Index p = 0; p < 600; ++p) {
    for (Index n = 0; n < 600; ++n) {
      if (!(y[p] > 0.0 && y[n] < 0.0)) continue;
      pairs += 1.0;
      won += scores[p] > scores[n] ? 1.0 : (scores[p] == scores[n] ? 0.5 : 0.0);
    }
  }
  EXPECT_GT(pairs, 30000.0);
  EXPECT_DOUBLE_EQ(auc(y, scores), won / pairs);
}

TEST(Measures, accuracy_counts_the_labels_that_predict_gives) {
  EXPECT_DOUBLE_EQ(accuracy(vec({1, -1, -1, 1}), vec({0.0, 0.1, -3, 2})), 0.75);
}

}  // namespace
}  // namespace colla
