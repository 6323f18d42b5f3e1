// SPDX-License-Identifier: Apache-2.0
#include "network/diagnosis.hpp"

#include "linalg/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace colla {
namespace {

constexpr std::size_t first_coefficient = 3;

// The extreme eigenvalues of A/T and the system's condition, or NaN; then, task by task, whether
// each coefficient is nonzero.
Numbers describe(const Participant& participant) {
  Numbers numbers(first_coefficient, std::numeric_limits<double>::quiet_NaN());
  const KnowledgeBase& knowledge = participant.agent().knowledge();
  if (knowledge.solver() == Solver::dense) {
    Matrix A = knowledge.a();
    if (knowledge.tasks() > 0) A /= static_cast<double>(knowledge.tasks());
    Vector values;
    if (symmetric_eigen_in_place(A, values)) {
      const double smallest = std::max(0.0, values[0]);
      const double largest = std::max(0.0, values[values.size() - 1]);
      const double shift = participant.shift();
      numbers = {smallest, largest, (largest + shift) / (smallest + shift)};
    }
  }
  for (const TaskRecord& record : participant.agent().records()) {
    for (const double coefficient : record.code) numbers.push_back(coefficient == 0.0 ? 0.0 : 1.0);
  }
  return numbers;
}

AgentDiagnosis diagnose_agent(const Numbers& numbers) {
  if (std::isnan(numbers[0])) return {};
  return {numbers[0], numbers[1], numbers[2]};
}

std::optional<double> rho_bound(const Engine& engine, const std::vector<AgentDiagnosis>& agents) {
  const Graph& graph = engine.graph();
  std::optional<double> bound;
  for (Index i = 0; i < graph.agents(); ++i) {
    if (graph.degree(i) == 0) continue;
    // Where A is not formed: its smallest eigenvalue is at least 0.
    const double smallest = agents[static_cast<std::size_t>(i)].smallest.value_or(0.0);
    const double eta = 2.0 * (smallest + engine.options().agent.lambda);
    const double of_agent =
        2.0 * eta /
        (3.0 * static_cast<double>(graph.agents() - 1) * static_cast<double>(graph.degree(i)));
    bound = std::min(bound.value_or(of_agent), of_agent);
  }
  return bound;
}

}  // namespace

Diagnosis diagnose(const Engine& engine, const std::vector<std::vector<std::string>>& tasks) {
  Diagnosis result;
  const NetworkOptions& options = engine.options();
  result.rho = options.rho;
  const auto described = engine.collect(describe);
  for (const Numbers& numbers : described) result.agents.push_back(diagnose_agent(numbers));
  result.rho_bound = rho_bound(engine, result.agents);

  const auto atoms = static_cast<std::size_t>(options.agent.atoms);
  result.atoms.resize(atoms);
  for (std::size_t k = 0; k < atoms; ++k) result.atoms[k].atom = static_cast<Index>(k);
  double coefficients = 0.0;
  double nonzero = 0.0;
  for (std::size_t i = 0; i < described.size(); ++i) {
    const std::span used = std::span(described[i]).subspan(first_coefficient);
    for (std::size_t n = 0; n < used.size(); ++n) {
      coefficients += 1.0;
      if (used[n] == 0.0) continue;
      nonzero += 1.0;
      result.atoms[n % atoms].tasks.push_back(tasks[i][n / atoms]);
    }
  }
  result.nonzero_share = coefficients > 0.0 ? nonzero / coefficients : 0.0;
  return result;
}

}  // namespace colla
