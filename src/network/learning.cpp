// SPDX-License-Identifier: Apache-2.0
#include <colla/learning.hpp>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

using Dictionaries = std::vector<Matrix>;

const Matrix& at(const Dictionaries& all, Index agent) {
  return all[static_cast<std::size_t>(agent)];
}

double total_size(const Dictionaries& all) {
  double sum = 0.0;
  for (const Matrix& L : all) sum += L.squaredNorm();
  return std::sqrt(sum);
}

double primal_residual(const Graph& graph, const Dictionaries& all) {
  double sum = 0.0;
  for (const Edge& edge : graph.edges()) sum += (at(all, edge.i) - at(all, edge.j)).squaredNorm();
  return std::sqrt(sum);
}

// After exchange k, agent i's gradient with the new duals is rho sum_{j > i} (L_j^k - L_j^(k+1)).
double dual_residual(const Engine& engine, const Dictionaries& before, const Dictionaries& after) {
  double sum = 0.0;
  for (Index i = 0; i < engine.graph().agents(); ++i) {
    Matrix change = Matrix::Zero(at(after, i).rows(), at(after, i).cols());
    for (const Link& link : engine.graph().links(i)) {
      if (link.neighbour > i) change += at(after, link.neighbour) - at(before, link.neighbour);
    }
    sum += std::pow(engine.participant(i).rho(), 2) * change.squaredNorm();
  }
  return std::sqrt(sum);
}

// Exchanges, at least one; the residuals are those of the last.
StepSummary exchange(Engine& engine, Index count, double tolerance) {
  StepSummary summary;
  const Graph& graph = engine.graph();
  if (tolerance == 0.0 && count > 1) engine.exchange(count - 1);
  summary.exchanges = tolerance == 0.0 ? count - 1 : 0;
  do {
    const Dictionaries before = dictionaries(engine);
    engine.exchange(1);
    ++summary.exchanges;
    const Dictionaries after = dictionaries(engine);
    const double size = std::max(total_size(after), 1e-300);
    summary.primal_residual = primal_residual(graph, after) / size;
    summary.dual_residual = dual_residual(engine, before, after) / size;
  } while (summary.exchanges < count &&
           std::max(summary.primal_residual, summary.dual_residual) > tolerance);
  summary.gap = consensus_gap(engine);
  const auto entries = static_cast<std::uint64_t>(engine.participant(0).dictionary().size());
  summary.bytes = static_cast<std::uint64_t>(summary.exchanges) * 2 * graph.edges().size() *
                  entries * sizeof(double);
  return summary;
}

double agent_objective(const LifelongAgent& agent) {
  const AgentOptions& options = agent.options();
  const Matrix& L = agent.dictionary();
  double tasks = 0.0;
  Vector rest;
  Matrix weighted(L.rows(), 1);
  for (const TaskRecord& record : agent.records()) {
    rest = record.model.alpha - L * record.code;
    record.model.gamma->multiply(MatrixView(rest), weighted);
    tasks += rest.dot(weighted.col(0)) + options.mu * record.code.lpNorm<1>();
  }
  if (!agent.records().empty()) tasks /= static_cast<double>(agent.records().size());
  return tasks + options.lambda * L.squaredNorm();
}

}  // namespace

std::vector<Matrix> dictionaries(const Engine& engine) {
  std::vector<Matrix> all;
  for (Index i = 0; i < engine.graph().agents(); ++i) {
    all.push_back(engine.participant(i).dictionary());
  }
  return all;
}

double network_objective(const Engine& engine) {
  double sum = 0.0;
  for (Index i = 0; i < engine.graph().agents(); ++i) {
    sum += agent_objective(engine.participant(i).agent());
  }
  return sum;
}

double consensus_gap(const Engine& engine) {
  double widest = 0.0;
  double largest = 0.0;
  for (Index i = 0; i < engine.graph().agents(); ++i) {
    largest = std::max(largest, engine.participant(i).dictionary().norm());
  }
  for (const Edge& edge : engine.graph().edges()) {
    widest = std::max(
        widest,
        (engine.participant(edge.i).dictionary() - engine.participant(edge.j).dictionary()).norm());
  }
  return largest > 0.0 ? widest / largest : 0.0;
}

StepSummary learn_step(Engine& engine, std::span<const Arrival> arrivals,
                       const StepOptions& options) {
  engine.begin_step(arrivals);
  // Without edges one exchange is all there is to do.
  const Index exchanges = engine.graph().edges().empty() ? 1 : options.exchanges;
  StepSummary summary = exchange(engine, exchanges, options.tolerance);
  for (Index r = 0; r < options.refresh; ++r) {
    engine.refresh_codes();
    const StepSummary again = exchange(engine, exchanges, options.tolerance);
    const Index so_far = summary.exchanges;
    const std::uint64_t bytes = summary.bytes;
    summary = again;
    summary.exchanges += so_far;
    summary.bytes += bytes;
  }
  return summary;
}

OfflineSummary learn_offline(Engine& engine, std::span<const Arrival> arrivals,
                             const OfflineOptions& options) {
  OfflineSummary summary;
  engine.begin_step(arrivals);
  double before = network_objective(engine);
  while (!summary.converged &&
         static_cast<Index>(summary.objectives.size()) < options.most_alternations) {
    summary.last = exchange(engine, options.most_exchanges, options.exchange_tolerance);
    summary.exchanges += summary.last.exchanges;
    summary.bytes += summary.last.bytes;
    engine.refresh_codes();
    const double objective = network_objective(engine);
    summary.objectives.push_back(objective);
    summary.converged =
        std::abs(before - objective) < options.objective_tolerance * std::abs(objective);
    before = objective;
  }
  return summary;
}

}  // namespace colla
