// SPDX-License-Identifier: Apache-2.0
// Agents of a collective prior: their pickles, and what they say about rows.
#pragma once

#include "agent_state.hpp"
#include "arrays.hpp"
#include "options.hpp"

#include <colla/prior_agent.hpp>

namespace colla::python {

// agents, mean x_j^2, mean y^2, linear features, whether a candidate knows correlations
using PriorOptionsTuple = std::tuple<Index, Vector, double, Vector, std::vector<Index>, Index>;
// name, rows, y'y, X'X, X'y, X, y, what it adds to the sums
using EstimateTuple =
    std::tuple<std::string, Index, double, Matrix, Vector, Samples, Vector, Matrix>;
using PriorTuple = std::tuple<PackedSettings, PriorOptionsTuple, Matrix, std::uint64_t,
                              std::uint64_t, std::vector<EstimateTuple>, std::vector<SideTuple>>;

/// Every bit of an agent with a collective prior.
PriorTuple packed_prior(const SavedAgent& agent);
SavedAgent unpacked_prior(const PriorTuple& tuple);

/// Of an unknown task, the prior's.
TaskPredictor predictor_of(const PriorAgent& agent, const std::string& task);
/// The mean of every row, in classification the log-odds of the second label, and its deviation.
std::pair<Vector, Vector> predictions(const TaskPredictor& predictor, const RowsView& X);

/// Mean coefficients, their standard deviation between tasks, and the deviation of the noise.
std::tuple<Vector, Vector, double> learned_prior(const PriorAgent& agent);

}  // namespace colla::python
