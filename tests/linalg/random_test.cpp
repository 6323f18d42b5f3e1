// SPDX-License-Identifier: Apache-2.0
#include <colla/random.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace colla {
namespace {

// Written down once; any platform must give the same bits.
TEST(Random, the_first_values_are_the_same_everywhere) {
  Random random(2018, {3, 1});
  EXPECT_EQ(random.bits(), 15623670304623457016ULL);
  EXPECT_EQ(random.uniform(), 0x1.d8b9b85e6fda3p-1);
  EXPECT_EQ(random.normal(), 0x1.73c9beed4a9dap-1);
}

TEST(Random, a_key_of_its_own_gives_a_stream_of_its_own) {
  EXPECT_NE(Random(1, {0}).bits(), Random(1, {1}).bits());
  EXPECT_NE(Random(1, {0}).bits(), Random(1, {0, 0}).bits());
  EXPECT_NE(Random(1).bits(), Random(std::uint64_t{1} << 32).bits());
}

// The moments of a standard normal: 0, 1, 0, 3; their standard errors are sqrt(var/n).
TEST(Random, normal_has_the_moments_of_a_standard_normal) {
  const Matrix sample = Random(7).normal_matrix(1000, 400);
  const double n = 400000;
  EXPECT_NEAR(sample.mean(), 0.0, 5 * std::sqrt(1 / n));
  EXPECT_NEAR(sample.array().square().mean(), 1.0, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(sample.array().cube().mean(), 0.0, 5 * std::sqrt(15 / n));
  EXPECT_NEAR(sample.array().pow(4).mean(), 3.0, 5 * std::sqrt(96 / n));
}

TEST(Random, below_is_uniform) {
  Random random(5);
  std::vector<int> counts(7);
  for (int k = 0; k < 70000; ++k) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 5 * std::sqrt(10000 * 6.0 / 7.0));
}

RC_GTEST_PROP(Random, shuffle_permutes, (std::uint64_t seed)) {
  std::vector<Index> items(*rc::gen::inRange<std::size_t>(0, 50));
  std::iota(items.begin(), items.end(), Index{0});
  auto shuffled = items;
  Random(seed).shuffle(shuffled);
  std::sort(shuffled.begin(), shuffled.end());
  RC_ASSERT(shuffled == items);
}

}  // namespace
}  // namespace colla
