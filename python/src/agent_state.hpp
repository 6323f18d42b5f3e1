// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/participant.hpp>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace colla::python {

/// An agent's state and what it computes with: what Python keeps of an agent.
struct SavedAgent {
  AgentOptions options;
  AgentState state;
};

SavedAgent state_of(const Participant& agent);
/// theta of a task; with a collective prior, its mean. Throws DataError for an unknown task.
Vector model_of(const Participant& agent, const std::string& task);

using ShareTuple = std::tuple<Matrix, Matrix>;
inline ShareTuple packed_share(const Share& share) { return {share.codes, share.features}; }
inline Share unpacked_share(const ShareTuple& share) {
  return {std::get<0>(share), std::get<1>(share)};
}
/// The neighbour, its newest dictionary, the edge's dual and weight, the neighbour's share.
using SideTuple = std::tuple<Index, Matrix, Matrix, double, ShareTuple>;
std::vector<SideTuple> packed_sides(const std::vector<EdgeState>& edge_states);
std::vector<EdgeState> unpacked_sides(const std::vector<SideTuple>& sides);

std::vector<std::string> task_names(const std::vector<TaskRecord>& records);
/// The codes in A and b, with their tasks' names.
using NamedCodes = std::vector<std::pair<std::string, Vector>>;
NamedCodes codes_of(const std::vector<TaskRecord>& records);

}  // namespace colla::python
