// SPDX-License-Identifier: Apache-2.0
// Whether a machine accepts connections, before any data is sent.
#pragma once

#include "roster/address.hpp"

#include <chrono>
#include <string>

namespace colla {

/// Why no connection succeeds in this time, and what to do; empty: one does.
std::string why_unreachable(const Address& address, std::chrono::milliseconds patience);

/// Whether what accepts connections there answers without TLS, as an agent does that has none.
bool speaks_without_tls(const Address& address, std::chrono::milliseconds patience);

}  // namespace colla
