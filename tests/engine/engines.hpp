// SPDX-License-Identifier: Apache-2.0
// The engines that a program's suite is run with. Agents may be in other processes: what the suite
// looks at is collected from all of them.
#pragma once

#include <colla/engine.hpp>

#include <ostream>

namespace colla::testing {

struct EngineCase {
  std::string name;
  EngineMaker make;
  /// Its agents plan a step's exchanges beforehand, as the options say.
  bool plans_steps = false;
};

/// Each program with the suite has its own.
std::vector<EngineCase> engines_under_test();

inline void PrintTo(const EngineCase& engine, std::ostream* out) { *out << engine.name; }

/// What an agent holds.
struct AgentNumbers {
  Matrix dictionary;
  std::vector<Matrix> duals;  ///< per neighbour
  std::vector<Vector> codes;  ///< per task, in order of arrival
  bool operator==(const AgentNumbers&) const = default;
};

inline std::vector<AgentNumbers> states(const Engine& engine) {
  const auto numbers = engine.collect([&engine](const Participant& participant) {
    Numbers all;
    const auto add = [&all](const Matrix& matrix) {
      all.insert(all.end(), matrix.data(), matrix.data() + matrix.size());
    };
    add(participant.dictionary());
    for (Index n = 0; n < engine.graph().degree(participant.position()); ++n) {
      add(participant.dual(n));
    }
    for (const TaskRecord& record : participant.agent().records()) add(record.code);
    return all;
  });
  const AgentOptions& options = engine.options().agent;
  std::vector<AgentNumbers> result(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double* next = numbers[i].data();
    const auto take = [&next](Index rows, Index columns) {
      const Matrix matrix = Eigen::Map<const Matrix>(next, rows, columns);
      next += rows * columns;
      return matrix;
    };
    result[i].dictionary = take(options.features, options.atoms);
    for (Index n = 0; n < engine.graph().degree(static_cast<Index>(i)); ++n) {
      result[i].duals.push_back(take(options.features, options.atoms));
    }
    while (next < numbers[i].data() + numbers[i].size()) {
      result[i].codes.emplace_back(take(options.atoms, 1));
    }
  }
  return result;
}

}  // namespace colla::testing
