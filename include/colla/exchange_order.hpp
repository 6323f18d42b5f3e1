// SPDX-License-Identifier: Apache-2.0
// The order of a time step, for everything that runs one: engines and separate programs.
#pragma once

#include <colla/matrix.hpp>

namespace colla {

/// In every exchange the smaller end of an edge computes first.
constexpr bool goes_first(Index agent, Index neighbour) { return agent < neighbour; }

/// The exchange of the neighbour whose dictionary exchange k of the agent takes, counted from 1 in
/// the step; 0 is the end of the step before. Of two neighbours one takes k, the other k - 1, so
/// that neither can be more than one exchange ahead.
constexpr Index exchange_taken(Index agent, Index neighbour, Index k) {
  return goes_first(agent, neighbour) ? k - 1 : k;
}

/// A step's exchanges: rounds of the same length. Between two rounds all codes are refreshed.
struct StepRounds {
  Index rounds = 1;
  Index exchanges = 1;  ///< of a round

  constexpr Index all() const { return rounds * exchanges; }
  /// Of an exchange, counted from 1 in the step.
  constexpr bool begins_round(Index k) const { return (k - 1) % exchanges == 0; }
  constexpr bool refreshes_before(Index k) const { return k > 1 && begins_round(k); }
};

/// Without edges, nothing changes after the first exchange of a round.
constexpr StepRounds step_rounds(Index exchanges, Index refresh, bool has_edges) {
  return {1 + refresh, has_edges ? exchanges : 1};
}

}  // namespace colla
