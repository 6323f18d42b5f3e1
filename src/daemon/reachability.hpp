// SPDX-License-Identifier: Apache-2.0
// Whether machines can be reached and ports be had, before any word is spoken.
#pragma once

#include "roster/address.hpp"

#include <chrono>
#include <string>

namespace colla {

/// Why no connection can be made in this time, and what to do; empty: one can.
std::string why_unreachable(const Address& address, std::chrono::milliseconds patience);

/// Why this machine cannot listen there, and what to do; empty: it can.
std::string why_not_to_listen_on(const Address& address);

}  // namespace colla
