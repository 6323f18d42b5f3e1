// SPDX-License-Identifier: Apache-2.0
// Time as the agent's connections count it: by the steady clock, whatever the machine's clock says.
#pragma once

#include <grpc/support/time.h>

#include <chrono>

namespace colla {

/// gRPC sleeps until times of the wall clock. A clock that is set back by an hour would let its
/// retries, pings and deadlines rest for an hour. From the first call on all its sleeps, in the
/// whole program, are as long as they were meant to be.
void sleep_by_the_steady_clock();

/// For gRPC.
gpr_timespec deadline_at(std::chrono::steady_clock::time_point time);
/// From now on.
gpr_timespec deadline_in(std::chrono::nanoseconds time);

}  // namespace colla
