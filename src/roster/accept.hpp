// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roster/network.hpp"

#include <string>

namespace colla {

/// What a roster from outside is to one's own.
enum class RosterVerdict {
  newer,     ///< to be taken
  same,      ///< one's own
  older,     ///< of a lower version
  conflict,  ///< another one of one's own version: the authority has signed two
  bad,       ///< none of this network
};

template <>
struct Names<RosterVerdict> {
  static constexpr Named<RosterVerdict> all[] = {{RosterVerdict::newer, "newer"},
                                                 {RosterVerdict::same, "same"},
                                                 {RosterVerdict::older, "older"},
                                                 {RosterVerdict::conflict, "conflict"},
                                                 {RosterVerdict::bad, "bad"}};
};

struct RosterCheck {
  RosterVerdict verdict = RosterVerdict::bad;
  /// If newer: the network; a collective prior is to be described by `use_prior`.
  Network network = {};
  /// Unless newer or the same: why it is not taken, in one line that follows a name of the roster:
  /// "is of version 3, and version 5 is known".
  std::string reason = {};
};

/// Checks a text that somebody gives as a roster of the network whose roster is `current` and whose
/// authority has this certificate: its signature first, then that it is valid, and that what may
/// never change has not. Never throws, whatever the text holds.
RosterCheck accept_roster(const Network& current, const std::string& text,
                          const std::string& authority_pem);

}  // namespace colla
