// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/steady_waits.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace colla {
namespace {

using namespace std::chrono_literals;

// Between two readings of gRPC's clock.
void expect_an_hour_from_now(gpr_timespec before, gpr_timespec deadline) {
  const gpr_timespec hour = gpr_time_from_hours(1, GPR_TIMESPAN);
  EXPECT_GE(gpr_time_cmp(deadline, gpr_time_add(before, hour)), 0);
  EXPECT_LE(gpr_time_cmp(deadline, gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), hour)), 0);
}

TEST(SteadyWaits, deadlines_are_of_the_clock_that_grpc_reads) {
  const gpr_timespec before = gpr_now(GPR_CLOCK_MONOTONIC);
  expect_an_hour_from_now(before, deadline_in(1h));
}

TEST(SteadyWaits, a_time_of_the_steady_clock_is_as_far_away_for_grpc) {
  const gpr_timespec before = gpr_now(GPR_CLOCK_MONOTONIC);
  const auto time = std::chrono::steady_clock::now() + 1h;
  expect_an_hour_from_now(before, deadline_at(time));
}

}  // namespace
}  // namespace colla
