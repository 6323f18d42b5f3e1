// SPDX-License-Identifier: Apache-2.0
// Whether two agents belong together.
#pragma once

#include "agent/wire/wire.hpp"
#include "roster/home.hpp"

#include <vector>

namespace colla {

/// What every greeting of this agent says: its identity.
Hello own_hello(const Home& home);

enum class Caller {
  neighbour,
  member,  ///< of a living network with a newer roster, by which it may be a neighbour
};

/// Throws NetworkError, saying what is wrong, unless the greeting comes from an agent of the same
/// network with the same protocol, which is a neighbour or has a newer roster, and the certificate
/// (if names of one are given) is that agent's. All agents have the same network.toml, unless the
/// network lives.
Caller check_hello(const Home& home, const Hello& hello,
                   const std::vector<std::string>& certificate_names);

/// The agents that this one exchanges with.
std::vector<RosterAgent> neighbours_of(const Home& home);

}  // namespace colla
