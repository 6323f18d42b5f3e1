// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/lifelong_agent.hpp>

#include <string>
#include <utility>
#include <vector>

namespace colla::python {

/// An agent's state and what it computes with: what Python keeps of an agent.
struct SavedAgent {
  AgentOptions options;
  AgentState state;
};

std::vector<std::string> task_names(const std::vector<TaskRecord>& records);
/// The codes in A and b, with their tasks' names.
using NamedCodes = std::vector<std::pair<std::string, Vector>>;
NamedCodes codes_of(const std::vector<TaskRecord>& records);

}  // namespace colla::python
