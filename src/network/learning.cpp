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

// The dictionaries in this process: those of its agents and of their neighbours.
Dictionaries known_dictionaries(const Engine& engine) {
  const Graph& graph = engine.graph();
  Dictionaries known(static_cast<std::size_t>(graph.agents()));
  for (Index i = 0; i < graph.agents(); ++i) {
    if (!engine.is_local(i)) continue;
    const Participant& participant = engine.participant(i);
    known[static_cast<std::size_t>(i)] = participant.dictionary();
    for (Index n = 0; n < graph.degree(i); ++n) {
      const Index neighbour = graph.links(i)[static_cast<std::size_t>(n)].neighbour;
      if (engine.is_local(neighbour)) continue;
      known[static_cast<std::size_t>(neighbour)] = participant.neighbour_dictionary(n);
    }
  }
  return known;
}

// How far the agents agree, from sums over the agents and the edges in their order.
struct Agreement {
  double primal = 0.0;
  double dual = 0.0;
  double gap = 0.0;
};

Agreement agreement(const Engine& engine, const Dictionaries& before, const Dictionaries& after) {
  const Graph& graph = engine.graph();
  // |L_i|^2, the dual residual's, and |L_i - L_j|^2 for every edge once
  const auto parts = engine.collect([&](const Participant& participant) {
    const Index i = participant.position();
    Numbers own = {at(after, i).squaredNorm(), participant.squared_dual_residual(before, after)};
    for (const Link& link : graph.links(i)) {
      if (!goes_first(i, link.neighbour)) continue;
      own.push_back((at(after, i) - at(after, link.neighbour)).squaredNorm());
    }
    return own;
  });
  double size = 0.0;
  double largest = 0.0;
  double primal = 0.0;
  double widest = 0.0;
  double dual = 0.0;
  for (const Numbers& own : parts) {
    size += own[0];
    largest = std::max(largest, own[0]);
    dual += own[1];
    for (std::size_t n = 2; n < own.size(); ++n) {
      primal += own[n];
      widest = std::max(widest, own[n]);
    }
  }
  size = std::max(std::sqrt(size), 1e-300);
  return {std::sqrt(primal) / size, std::sqrt(dual) / size,
          largest > 0.0 ? std::sqrt(widest) / std::sqrt(largest) : 0.0};
}

void exchange(Engine& engine, Index count, const Pause& pause) {
  if (!pause) {
    engine.exchange(count);
    return;
  }
  for (Index k = 0; k < count; ++k) {
    pause();
    engine.exchange(1);
  }
}

// Exchanges, at least one; the residuals are those of the last.
StepSummary exchange(Engine& engine, Index count, double tolerance, const Pause& pause) {
  StepSummary summary;
  if (tolerance == 0.0 && count > 1) exchange(engine, count - 1, pause);
  summary.exchanges = tolerance == 0.0 ? count - 1 : 0;
  do {
    const Dictionaries before = known_dictionaries(engine);
    exchange(engine, 1, pause);
    ++summary.exchanges;
    const Agreement reached = agreement(engine, before, known_dictionaries(engine));
    summary.primal_residual = reached.primal;
    summary.dual_residual = reached.dual;
    summary.gap = reached.gap;
  } while (summary.exchanges < count &&
           std::max(summary.primal_residual, summary.dual_residual) > tolerance);
  const auto [rows, columns] = exchanged_size(engine.options().agent);
  summary.bytes = static_cast<std::uint64_t>(summary.exchanges) * 2 *
                  engine.graph().edges().size() * static_cast<std::uint64_t>(rows * columns) *
                  sizeof(double);
  return summary;
}

Numerics numerics_of(const Engine& engine) {
  const auto parts = engine.collect([](const Participant& participant) {
    Numbers own;
    for (const NumericsCount& count : numerics_counts) {
      own.push_back(static_cast<double>(participant.numerics().*count.of));
    }
    return own;
  });
  Numerics all;
  for (const Numbers& own : parts) {
    auto next = own.begin();
    for (const NumericsCount& count : numerics_counts) {
      all.*count.of += static_cast<std::int64_t>(*next++);
    }
  }
  return all;
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

double network_objective(const Engine& engine) {
  const auto parts = engine.collect(
      [](const Participant& participant) { return Numbers{agent_objective(participant.agent())}; });
  double sum = 0.0;
  for (const Numbers& own : parts) sum += own[0];
  return sum;
}

double consensus_gap(const Engine& engine) {
  const Dictionaries known = known_dictionaries(engine);
  return agreement(engine, known, known).gap;
}

StepOptions step_options(const NetworkOptions& options, Index step, Pause pause) {
  return {options.exchanges.at(step), options.tolerance, options.refresh, std::move(pause)};
}

StepSummary learn_step(Engine& engine, std::span<const Arrival> arrivals,
                       const StepOptions& options) {
  engine.begin_step(arrivals);
  const StepRounds step =
      step_rounds(options.exchanges, options.refresh, !engine.graph().edges().empty());
  StepSummary summary;
  for (Index k = 1; k <= step.all(); k += step.exchanges) {
    if (step.refreshes_before(k)) engine.refresh_codes();
    const Index so_far = summary.exchanges;
    const std::uint64_t bytes = summary.bytes;
    summary = exchange(engine, step.exchanges, options.tolerance, options.pause);
    summary.exchanges += so_far;
    summary.bytes += bytes;
  }
  summary.numerics = numerics_of(engine);
  return summary;
}

OfflineSummary learn_offline(Engine& engine, std::span<const Arrival> arrivals,
                             const OfflineOptions& options) {
  OfflineSummary summary;
  engine.begin_step(arrivals);
  double before = network_objective(engine);
  while (!summary.converged &&
         static_cast<Index>(summary.objectives.size()) < options.most_alternations) {
    summary.last =
        exchange(engine, options.most_exchanges, options.exchange_tolerance, options.pause);
    summary.exchanges += summary.last.exchanges;
    summary.bytes += summary.last.bytes;
    engine.refresh_codes();
    const double objective = network_objective(engine);
    summary.objectives.push_back(objective);
    summary.converged =
        std::abs(before - objective) < options.objective_tolerance * std::abs(objective);
    before = objective;
  }
  summary.numerics = numerics_of(engine);
  return summary;
}

}  // namespace colla
