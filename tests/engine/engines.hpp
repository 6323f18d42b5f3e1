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
  std::vector<Matrix> codes;  ///< or contributions, per task, in order of arrival
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
    for (const TaskRecord& record : participant.records()) {
      add(participant.has_prior() ? record.contribution : Matrix(record.code));
    }
    return all;
  });
  const AgentOptions& options = engine.options().agent;
  const auto of_task =
      options.prior ? contribution_size(options) : std::pair<Index, Index>(options.atoms, 1);
  std::vector<AgentNumbers> result(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double* next = numbers[i].data();
    const auto take = [&next](const std::pair<Index, Index>& size) {
      const Matrix matrix = Eigen::Map<const Matrix>(next, size.first, size.second);
      next += matrix.size();
      return matrix;
    };
    result[i].dictionary = take(exchanged_size(options));
    for (Index n = 0; n < engine.graph().degree(static_cast<Index>(i)); ++n) {
      auto size = exchanged_size(options);
      if (engine.options().rule == Rule::healing) size.second *= 2;
      result[i].duals.push_back(take(size));
    }
    while (next < numbers[i].data() + numbers[i].size()) {
      result[i].codes.push_back(take(of_task));
    }
  }
  return result;
}

}  // namespace colla::testing
