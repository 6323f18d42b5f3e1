// SPDX-License-Identifier: Apache-2.0
#include "network/diagnosis.hpp"

#include "linalg/lapack.hpp"

#include <algorithm>

namespace colla {
namespace {

AgentDiagnosis diagnose_agent(const Participant& participant) {
  AgentDiagnosis result;
  const KnowledgeBase& knowledge = participant.agent().knowledge();
  if (knowledge.solver() != Solver::dense) return result;
  Matrix A = knowledge.a();
  if (knowledge.tasks() > 0) A /= static_cast<double>(knowledge.tasks());
  Vector values;
  if (!symmetric_eigen_in_place(A, values)) return result;
  result.smallest = std::max(0.0, values[0]);
  result.largest = std::max(0.0, values[values.size() - 1]);
  result.condition =
      (*result.largest + participant.shift()) / (*result.smallest + participant.shift());
  return result;
}

std::optional<double> rho_bound(const Engine& engine, const std::vector<AgentDiagnosis>& agents) {
  const Graph& graph = engine.graph();
  std::optional<double> bound;
  for (Index i = 0; i < graph.agents(); ++i) {
    if (graph.degree(i) == 0) continue;
    // Without A, its smallest eigenvalue is at least 0.
    const double smallest = agents[static_cast<std::size_t>(i)].smallest.value_or(0.0);
    const double eta = 2.0 * (smallest + engine.participant(i).agent().options().lambda);
    const double of_agent =
        2.0 * eta /
        (3.0 * static_cast<double>(graph.agents() - 1) * static_cast<double>(graph.degree(i)));
    bound = std::min(bound.value_or(of_agent), of_agent);
  }
  return bound;
}

}  // namespace

Diagnosis diagnose(const Engine& engine, const std::vector<std::string>& names) {
  Diagnosis result;
  const Index agents = engine.graph().agents();
  result.rho = engine.participant(0).rho();
  for (Index i = 0; i < agents; ++i) {
    result.agents.push_back(diagnose_agent(engine.participant(i)));
  }
  result.rho_bound = rho_bound(engine, result.agents);

  result.atoms.resize(static_cast<std::size_t>(engine.participant(0).dictionary().cols()));
  for (std::size_t k = 0; k < result.atoms.size(); ++k)
    result.atoms[k].atom = static_cast<Index>(k);
  double coefficients = 0.0;
  double nonzero = 0.0;
  for (Index i = 0; i < agents; ++i) {
    for (const TaskRecord& record : engine.participant(i).agent().records()) {
      for (Index k = 0; k < record.code.size(); ++k) {
        AtomUse& atom = result.atoms[static_cast<std::size_t>(k)];
        coefficients += 1.0;
        if (record.code[k] == 0.0) continue;
        nonzero += 1.0;
        atom.tasks.push_back(names[static_cast<std::size_t>(i)] + "/" + record.name);
      }
    }
  }
  result.nonzero_share = coefficients > 0.0 ? nonzero / coefficients : 0.0;
  return result;
}

}  // namespace colla
