// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/lifelong_agent.hpp>
#include <colla/participant.hpp>

#include <string>
#include <utility>
#include <vector>

namespace colla::python {

/// The whole state of an agent between two steps.
struct AgentState {
  AgentOptions options;
  Matrix dictionary;
  std::uint64_t step = 0;
  std::vector<TaskRecord> records;
  KnowledgeState knowledge;
  std::vector<EdgeState> edge_states;  ///< of an agent in a network

  LifelongAgent agent() const { return {options, dictionary, step, records, knowledge}; }
};

std::vector<std::string> task_names(const std::vector<TaskRecord>& records);
/// The codes in A and b, with their tasks' names.
using NamedCodes = std::vector<std::pair<std::string, Vector>>;
NamedCodes codes_of(const std::vector<TaskRecord>& records);

AgentState state_of(const LifelongAgent& agent);
AgentState state_of(const Participant& participant);

}  // namespace colla::python
