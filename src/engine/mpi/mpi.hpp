// SPDX-License-Identifier: Apache-2.0
// Networks and experiments on several processes started by mpirun. No other module sees MPI.
#pragma once

#include "engine/ranks.hpp"

#include <colla/engine.hpp>

namespace colla {

/// Starts MPI, until the result is destroyed. Throws OptionError in a build without MPI.
std::unique_ptr<Ranks> join_ranks();

/// A network whose agents are spread over the ranks of `join_ranks`; every rank must make it. One
/// thread runs the agents of a rank.
std::unique_ptr<Engine> make_mpi_engine(Graph graph, const NetworkOptions& options,
                                        const std::optional<Matrix>& dictionary);

}  // namespace colla
