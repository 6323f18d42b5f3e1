// SPDX-License-Identifier: Apache-2.0
// The state of an agent between two steps, as a plain value. An agent gives it (`state`) and is
// made from it; stores, model files and pickles keep it, or a part.
#pragma once

#include <colla/knowledge_base.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace colla {

struct TaskRecord {
  std::string name;
  SingleTaskModel model;  ///< empty if it was not kept
  Vector code;            ///< the one in A and b
};

/// What one end of an edge keeps.
struct EdgeState {
  Index neighbour = 0;
  Matrix dictionary;  ///< the neighbour's newest
  Matrix dual;        ///< Z_l, as both ends have it
};

struct AgentState {
  std::uint64_t step = 0;           ///< time steps lived
  Matrix dictionary;                ///< d x u
  std::vector<TaskRecord> records;  ///< in order of first arrival
  /// Without it, A and b are the sums over the records: after revisits, up to rounding.
  KnowledgeState knowledge = {};
  /// In ascending order of the neighbour; none of an agent on its own.
  std::vector<EdgeState> edge_states = {};
};

}  // namespace colla
