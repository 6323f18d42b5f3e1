// SPDX-License-Identifier: Apache-2.0
// The state of an agent between two steps, as a plain value. An agent gives it (`state`) and is
// made from it; stores, model files and pickles keep it, or a part.
#pragma once

#include <colla/knowledge_base.hpp>
#include <colla/released_batch.hpp>
#include <colla/task_statistics.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace colla {

struct TaskRecord {
  std::string name;
  SingleTaskModel model;  ///< empty if it was not kept
  Vector code;            ///< the one in A and b
  /// With a collective prior, in place of model and code: what is kept of the rows, and what the
  /// task adds to the sums, a column per candidate.
  std::shared_ptr<const TaskStatistics> statistics = {};
  Matrix contribution = {};
  /// Set: what the network may know of the rows. The columns of the contribution that travel are
  /// computed from it alone, and predictions of the task from `statistics`.
  std::shared_ptr<const TaskStatistics> released = {};
};

/// What one end of an edge keeps.
struct EdgeState {
  Index neighbour = 0;
  Matrix dictionary;  ///< the neighbour's newest
  /// What the exchange rule keeps, the same at both ends: Z_l; or, if it heals, z_ij beside z_ji
  /// for i < j, d x 2u.
  Matrix dual;
  // Of the rule that heals (healing.hpp):
  double weight = 0.0;  ///< c_e
  Share share = {};     ///< the neighbour's newest
};

struct AgentState {
  std::uint64_t step = 0;           ///< time steps lived
  Matrix dictionary;                ///< d x u; with a collective prior, its means
  std::vector<TaskRecord> records;  ///< in order of first arrival
  /// Without it, A and b are the sums over the records: after revisits, up to rounding.
  KnowledgeState knowledge = {};
  /// In ascending order of the neighbour; none of an agent on its own.
  std::vector<EdgeState> edge_states = {};
  /// What it told its neighbours last.
  Share share = {};
  /// With a collective prior, the record to estimate again first.
  std::uint64_t next_refresh = 0;
  /// What it has told of its tasks, with a collective prior that asks for it.
  std::vector<ReleasedBatch> releases = {};
};

}  // namespace colla
