// SPDX-License-Identifier: Apache-2.0
// Whether two agents belong together.
#pragma once

#include "agent/wire/wire.hpp"
#include "roster/home.hpp"

#include <vector>

namespace colla {

/// This agent's greeting: its identity and the last message it has received.
Hello own_hello(const Home& home, const Position& received = {}, std::uint32_t checksum = 0);

/// Throws NetworkError, saying what is wrong, unless the greeting comes from a neighbour in the
/// same network with the same network.toml and the same protocol, and the certificate (if names of
/// one are given) is that agent's. Returns its place among the neighbours.
std::size_t check_hello(const Home& home, const Graph& graph, const Hello& hello,
                        const std::vector<std::string>& certificate_names);

}  // namespace colla
