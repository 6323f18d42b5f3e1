// SPDX-License-Identifier: Apache-2.0
#include "experiment/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace colla {
namespace {

const double nan = std::nan("");

// mean 5, sum of squares 32: sqrt(32/7/8).
TEST(Statistics, an_estimate_is_the_mean_with_its_standard_error) {
  const Estimate result = estimate({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(result.mean, 5.0);
  EXPECT_DOUBLE_EQ(result.standard_error, std::sqrt(32.0 / 7.0 / 8.0));
}

TEST(Statistics, undefined_values_are_left_out_and_one_value_has_no_error) {
  const Estimate two = estimate({nan, 1.0, 3.0});
  EXPECT_EQ(two.mean, 2.0);
  EXPECT_DOUBLE_EQ(two.standard_error, 1.0);
  EXPECT_EQ(estimate({7.0}).mean, 7.0);
  EXPECT_EQ(estimate({7.0}).standard_error, 0.0);
  EXPECT_TRUE(std::isnan(estimate({}).mean));
  EXPECT_TRUE(std::isnan(estimate({nan}).mean));
}

// n = 1: P(|t| <= x) = 2/pi atan x.  n = 2: x / sqrt(2 + x^2).  n = 4: with s = x^2/(4 + x^2),
// sqrt(s) (3 - s)/2.
TEST(Statistics, students_t_has_its_closed_forms) {
  for (const double p : {0.0, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.99999}) {
    EXPECT_NEAR(2.0 / std::numbers::pi * std::atan(student_t_quantile(p, 1)), p, 1e-13);
    const double x = student_t_quantile(p, 2);
    EXPECT_NEAR(x / std::sqrt(2.0 + x * x), p, 1e-13);
    const double z = student_t_quantile(p, 4);
    const double s = z * z / (4.0 + z * z);
    EXPECT_NEAR(std::sqrt(s) * (3.0 - s) / 2.0, p, 1e-13);
  }
}

// Any table of the distribution; with many degrees of freedom it is the normal one.
TEST(Statistics, quantiles_are_those_of_the_tables) {
  EXPECT_NEAR(student_t_quantile(0.95, 1), 12.706204736, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.95, 2), 4.302652730, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.95, 4), 2.776445105, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.95, 9), 2.262157163, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.95, 99), 1.984216952, 1e-8);
  EXPECT_NEAR(student_t_quantile(0.95, 1e7), 1.959964, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.5, 1), 1.0, 1e-12);
}

// Differences 1, 2, 3: mean 2, standard error 1/sqrt(3), t with 2 degrees of freedom.
TEST(Statistics, a_paired_interval_is_that_of_the_differences) {
  const Interval interval = paired_interval({11, 22, 33}, {10, 20, 30});
  EXPECT_DOUBLE_EQ(interval.mean, 2.0);
  EXPECT_NEAR(interval.low, 2.0 - 4.302652730 / std::sqrt(3.0), 1e-8);
  EXPECT_NEAR(interval.high, 2.0 + 4.302652730 / std::sqrt(3.0), 1e-8);
}

TEST(Statistics, a_pair_counts_only_if_both_are_defined) {
  const Interval interval = paired_interval({nan, 3.0, 5.0, 1.0}, {1.0, 1.0, nan, 1.0});
  EXPECT_EQ(interval.mean, 1.0);
  EXPECT_EQ(paired_interval({2.0}, {1.0}).high, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(paired_interval({nan}, {1.0}).mean));
}

TEST(Statistics, the_median_is_in_the_middle) {
  EXPECT_EQ(median({3, 1, 2}), 2.0);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

}  // namespace
}  // namespace colla
