// SPDX-License-Identifier: Apache-2.0
// CoLLA, ELLA and offline CoLLA: agents in an engine.
#include "experiment/training_run.hpp"

#include <algorithm>
#include <numeric>

namespace colla {
namespace {

double largest_change(const std::vector<Matrix>& before, const std::vector<Matrix>& after) {
  double largest = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double size = after[i].norm();
    if (size > 0.0) largest = std::max(largest, (after[i] - before[i]).norm() / size);
  }
  return largest;
}

}  // namespace

InProcessEngine TrainingRun::make_engine() {
  Graph graph(static_cast<Index>(agents()), options_.edges);
  order_.resize(agents());
  std::iota(order_.begin(), order_.end(), Index{0});
  if (options_.order_by_colour) {
    order_ = colour_order(graph);
    graph = graph.renumbered(order_);
  }
  return {std::move(graph), options_.network, options_.first_dictionary};
}

Arrival TrainingRun::arrival(std::size_t k, std::size_t batch) {
  const Batch& rows = rows_.train.agents[data_agent(k)].batches[batch];
  arrived(data_agent(k), batch);
  return {static_cast<Index>(k), rows.task, rows.X, rows.y};
}

void TrainingRun::learn_online() {
  InProcessEngine engine = make_engine();
  const std::size_t steps = longest_stream(rows_.train);
  for (std::size_t t = 0; t < steps; ++t) {
    std::vector<Arrival> arrivals;
    for (std::size_t k = 0; k < agents(); ++k) {
      if (t < rows_.train.agents[data_agent(k)].batches.size()) {
        arrivals.push_back(arrival(k, t));
      }
    }
    const std::vector<Matrix> before = dictionaries(engine);
    StepReport report;
    report.step = static_cast<Index>(t + 1);
    report.steps = static_cast<Index>(steps);
    report.exchange =
        learn_step(engine, arrivals,
                   {options_.exchanges.at(report.step), options_.tolerance, options_.refresh});
    report.change = largest_change(before, dictionaries(engine));
    add_step(engine, report);
  }
  finish(engine);
}

void TrainingRun::learn_offline_network() {
  InProcessEngine engine = make_engine();
  std::vector<Arrival> arrivals;
  for (std::size_t k = 0; k < agents(); ++k) {
    for (const std::size_t batch : newest_batches(rows_.train.agents[data_agent(k)])) {
      arrivals.push_back(arrival(k, batch));
    }
  }
  OfflineOptions offline = options_.offline;
  if (options_.tolerance > 0.0) offline.exchange_tolerance = options_.tolerance;
  const OfflineSummary summary = learn_offline(engine, arrivals, offline);
  result_.objectives = summary.objectives;
  result_.converged = summary.converged;
  StepReport report;
  report.step = report.steps = 1;
  report.exchange = summary.last;
  report.exchange.exchanges = summary.exchanges;
  report.exchange.bytes = summary.bytes;
  add_step(engine, report);
  finish(engine);
}

void TrainingRun::add_step(const Engine& engine, StepReport report) {
  DefinedMean mean;
  for (std::size_t k = 0; k < agents(); ++k) {
    const LifelongAgent& agent = engine.participant(static_cast<Index>(k)).agent();
    for (const TaskRecord& task : agent.records()) {
      mean.add(score(data_agent(k), task.name, agent.dictionary() * agent.code(task)));
      ++report.tasks;
    }
  }
  result_.exchanges += engine.graph().edges().empty() ? 0 : report.exchange.exchanges;
  result_.bytes += report.exchange.bytes;
  add_report(report, mean);
}

// Everything the engine holds, in the data's numbering.
void TrainingRun::finish(const Engine& engine) {
  result_.consensus_gap = consensus_gap(engine);
  result_.model.agents.resize(agents());
  std::vector<std::string> names;
  for (std::size_t k = 0; k < agents(); ++k) {
    const LifelongAgent& agent = engine.participant(static_cast<Index>(k)).agent();
    const std::string& name = rows_.train.agents[data_agent(k)].agent;
    names.push_back(name);
    result_.model.agents[data_agent(k)] = {name, agent.step(), agent.dictionary(), agent.records()};
  }
  for (Index k = 0; k < engine.graph().agents(); ++k) {
    const auto links = engine.graph().links(k);
    for (std::size_t n = 0; n < links.size(); ++n) {
      if (links[n].neighbour < k) continue;
      add_dual(k, links[n].neighbour, engine.participant(k).dual(static_cast<Index>(n)));
    }
  }
  if (options_.diagnose) result_.diagnosis = diagnose(engine, names);
}

// Z is antisymmetric in the ends of its edge.
void TrainingRun::add_dual(Index from, Index to, const Matrix& dual) {
  const Index i = order_[static_cast<std::size_t>(from)];
  const Index j = order_[static_cast<std::size_t>(to)];
  if (i < j) {
    result_.duals.push_back({{i, j}, dual});
  } else {
    result_.duals.push_back({{j, i}, -dual});
  }
}

}  // namespace colla
