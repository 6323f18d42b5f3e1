// SPDX-License-Identifier: Apache-2.0
#include "report/numbers.hpp"

#include "report/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace colla {
namespace {

TEST(Numbers, have_a_true_minus_and_no_negative_zero) {
  EXPECT_EQ(fixed_text(2.3456, 2), "2.35");
  EXPECT_EQ(fixed_text(-2.3456, 2), "\u22122.35");
  EXPECT_EQ(fixed_text(-0.001, 2), "0.00");
}

TEST(Numbers, that_are_not_finite_are_dashes) {
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(fixed_text(value, 2), "–");
    EXPECT_EQ(brief_text(value), "–");
    EXPECT_EQ(estimate_text({value, 1.0}, 2), "–");
    EXPECT_EQ(duration_text(value), "–");
  }
}

TEST(Numbers, show_an_error_only_where_there_is_one) {
  EXPECT_EQ(estimate_text({2.0, 0.125}, 2), "2.00 ± 0.12");
  EXPECT_EQ(estimate_text({2.0, 0.0}, 2), "2.00");
  EXPECT_EQ(estimate_text({2.0, std::nan("")}, 2), "2.00");
  EXPECT_EQ(percent_text({0.5144, 0.0123}), "51.4 ± 1.2");
}

TEST(Numbers, are_brief) {
  EXPECT_EQ(brief_text(1e-6), "1e-6");
  EXPECT_EQ(brief_text(0.01), "0.01");
  EXPECT_EQ(brief_text(1e6), "1e6");
  EXPECT_EQ(brief_text(120.0), "120");
  EXPECT_EQ(brief_text(0.0), "0");
}

TEST(Numbers, durations_are_for_people) {
  EXPECT_EQ(duration_text(4.25), "4.2 s");
  EXPECT_EQ(duration_text(9.97), "10 s");
  EXPECT_EQ(duration_text(59.7), "1 min 0 s");
  EXPECT_EQ(duration_text(7500.0), "2 h 5 min");
}

TEST(Numbers, decimals_follow_the_magnitude) {
  EXPECT_EQ(decimals_for(0.77, 4), 4);
  EXPECT_EQ(decimals_for(2.3, 4), 3);
  EXPECT_EQ(decimals_for(10.3, 4), 2);
  EXPECT_EQ(decimals_for(12345.0, 4), 0);
  EXPECT_EQ(decimals_for(0.0, 2), 1);
  EXPECT_EQ(decimals_for(std::nan(""), 2), 1);
}

std::string texts(const std::vector<Tick>& ticks) {
  std::string all;
  for (const Tick& tick : ticks) all += tick.text + " ";
  return all;
}

TEST(Axis, ticks_are_round) {
  EXPECT_EQ(texts(linear_ticks({2.02, 2.64}, 7)), "2.1 2.2 2.3 2.4 2.5 2.6 ");
  EXPECT_EQ(texts(linear_ticks({-0.3, 1.0}, 7)), "\u22120.2 0.0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(texts(linear_ticks({0, 1e6}, 7)), "0 200000 400000 600000 800000 1000000 ");
  EXPECT_EQ(texts(logarithmic_ticks({0.002, 2.0})), "0.01 0.1 1 ");
  EXPECT_EQ(texts(logarithmic_ticks({0.02, 0.3})), "0.02 0.05 0.1 0.2 ");
}

TEST(Axis, steps_are_counted_from_one) {
  EXPECT_EQ(step_ticks(1), (std::vector<int>{1}));
  EXPECT_EQ(step_ticks(4), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(step_ticks(15), (std::vector<int>{1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(step_ticks(23), (std::vector<int>{1, 5, 10, 15, 20}));
}

}  // namespace
}  // namespace colla
