// SPDX-License-Identifier: Apache-2.0
#include "row_privacy/gaussian_mechanism.hpp"

#include "oracle.hpp"

#include <gtest/gtest.h>

namespace colla {
namespace {

TEST(GaussianMechanism, noise_is_that_of_dp_accounting) {
  const auto grid = oracle::load("least-noise");
  ASSERT_GT(grid.size(), 50U);
  for (const auto& each : grid) {
    const double expected = each["sigma"];
    EXPECT_NEAR(least_noise(each["epsilon"], each["delta"]), expected, 1e-6 * expected) << each;
  }
}

TEST(GaussianMechanism, noise_is_the_least_for_its_delta) {
  for (const double epsilon : {0.1, 1.0, 8.0}) {
    for (const double delta : {1e-9, 1e-3}) {
      const double sigma = least_noise(epsilon, delta);
      EXPECT_LE(least_delta(sigma, epsilon), delta * (1.0 + 1e-9));
      EXPECT_GT(least_delta(0.999 * sigma, epsilon), delta);
    }
  }
}

}  // namespace
}  // namespace colla
