// SPDX-License-Identifier: Apache-2.0
// What the system must let an agent have. Without it, gRPC aborts or waits for ever.
#pragma once

#include <string>

namespace colla {

/// Allows as many descriptors as the system can: strangers may hold some for a while.
void raise_file_limit();
/// What this process cannot have, and what to do; empty: it can have enough.
std::string what_is_lacking();

}  // namespace colla
