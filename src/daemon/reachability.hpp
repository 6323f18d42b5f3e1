// SPDX-License-Identifier: Apache-2.0
// Whether a machine can be reached, before any word is spoken.
#pragma once

#include "roster/address.hpp"

#include <chrono>
#include <string>

namespace colla {

/// Why no connection can be made in this time, and what to do; empty: one can.
std::string why_unreachable(const Address& address, std::chrono::milliseconds patience);

}  // namespace colla
