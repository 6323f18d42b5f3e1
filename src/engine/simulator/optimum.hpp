// SPDX-License-Identifier: Apache-2.0
// What a simulated network's agents should come to, computed in one place.
#pragma once

#include "engine/simulator/simulated_network.hpp"

namespace colla {

/// Of N agents with these tasks:
///
///     sum_i (1/T_i) sum_t (s s' kron Gamma) vec L + N lambda vec L
///         = vec sum_i (1/T_i) sum_t Gamma alpha s'
///
/// An agent without tasks has its lambda alone. Dense, of order du.
Matrix best_dictionary(const AgentOptions& options,
                       std::span<const std::vector<TaskRecord>* const> agents);

/// The x of all members' tasks as they are estimated now: the best dictionary, or the mean of all
/// contributions to a collective prior with n/(n + N) in the row of their number.
Matrix optimum_of(const SimulatedNetwork& network);

/// Each member's x from there: relative to the optimum's size; with a collective prior, by the
/// entry that is farthest in units of its own.
std::vector<double> distances_from(const Matrix& optimum, const SimulatedNetwork& network);
/// That of the farthest member.
double distance_from(const Matrix& optimum, const SimulatedNetwork& network);

}  // namespace colla
