// SPDX-License-Identifier: Apache-2.0
// CoLLA, ELLA and offline CoLLA: agents in an engine.
#include "training/training_run.hpp"

#include <algorithm>
#include <numeric>

namespace colla {
namespace {

// Those of the agents in this process.
std::vector<Matrix> local_dictionaries(const Engine& engine) {
  std::vector<Matrix> all(static_cast<std::size_t>(engine.graph().agents()));
  for (Index k = 0; k < engine.graph().agents(); ++k) {
    if (engine.is_local(k)) all[static_cast<std::size_t>(k)] = engine.participant(k).dictionary();
  }
  return all;
}

double largest_change(const Engine& engine, const std::vector<Matrix>& before) {
  const auto changes = engine.collect([&before](const Participant& participant) {
    const Matrix& L = participant.dictionary();
    const double size = L.norm();
    const double change = (L - before[static_cast<std::size_t>(participant.position())]).norm();
    return Numbers{size > 0.0 ? change / size : 0.0};
  });
  double largest = 0.0;
  for (const Numbers& own : changes) largest = std::max(largest, own[0]);
  return largest;
}

}  // namespace

std::unique_ptr<Engine> TrainingRun::make_engine() {
  Graph graph(static_cast<Index>(agents()), options_.edges);
  order_.resize(agents());
  std::iota(order_.begin(), order_.end(), Index{0});
  if (options_.order_by_colour) {
    order_ = colour_order(graph);
    graph = graph.renumbered(order_);
  }
  if (options_.network.agent.prior && !graph.edges().empty()) {
    options_.network.rho = averaging_penalty(graph);
  }
  if (options_.make_engine) {
    return options_.make_engine(std::move(graph), options_.network, options_.first_dictionary);
  }
  return std::make_unique<InProcessEngine>(graph, options_.network, options_.first_dictionary);
}

Arrival TrainingRun::arrival(std::size_t k, std::size_t batch) {
  const Batch& rows = rows_.train.agents[data_agent(k)].batches[batch];
  arrived(data_agent(k), batch);
  return arrival_of(static_cast<Index>(k), rows);
}

void TrainingRun::learn_online() {
  const std::unique_ptr<Engine> engine = make_engine();
  const std::size_t steps = longest_stream(rows_.train);
  for (std::size_t t = 0; t < steps; ++t) {
    std::vector<Arrival> arrivals;
    for (std::size_t k = 0; k < agents(); ++k) {
      if (t < rows_.train.agents[data_agent(k)].batches.size()) {
        arrivals.push_back(arrival(k, t));
      }
    }
    const std::vector<Matrix> before = local_dictionaries(*engine);
    StepReport report;
    report.step = static_cast<Index>(t + 1);
    report.steps = static_cast<Index>(steps);
    report.exchange =
        learn_step(*engine, arrivals, step_options(options_.network, report.step, options_.pause));
    report.change = largest_change(*engine, before);
    add_step(*engine, report);
  }
  finish(*engine);
}

void TrainingRun::learn_offline_network() {
  const std::unique_ptr<Engine> engine = make_engine();
  std::vector<Arrival> arrivals;
  for (std::size_t k = 0; k < agents(); ++k) {
    for (const std::size_t batch : newest_batches(rows_.train.agents[data_agent(k)])) {
      arrivals.push_back(arrival(k, batch));
    }
  }
  OfflineOptions offline = options_.offline;
  if (options_.network.tolerance > 0.0) offline.exchange_tolerance = options_.network.tolerance;
  offline.pause = options_.pause;
  const OfflineSummary summary = learn_offline(*engine, arrivals, offline);
  result_.objectives = summary.objectives;
  result_.converged = summary.converged;
  StepReport report;
  report.step = report.steps = 1;
  report.exchange = summary.last;
  report.exchange.exchanges = summary.exchanges;
  report.exchange.bytes = summary.bytes;
  report.exchange.numerics = summary.numerics;
  add_step(*engine, report);
  finish(*engine);
}

void TrainingRun::add_step(const Engine& engine, StepReport report) {
  const auto scores =
      engine.collect([this](const Participant& participant) { return scores_of(participant); });
  DefinedMean mean;
  for (std::size_t k = 0; k < agents(); ++k) {
    for (std::size_t t = 0; t < scores[k].size(); ++t) {
      mean.add(scores[k][t]);
      note_score(data_agent(k), tasks_[data_agent(k)][t], scores[k][t]);
      ++report.tasks;
    }
  }
  result_.exchanges += engine.graph().edges().empty() ? 0 : report.exchange.exchanges;
  result_.bytes += report.exchange.bytes;
  add_report(report, mean);
}

void TrainingRun::finish(const Engine& engine) {
  result_.consensus_gap = consensus_gap(engine);
  score_single_tasks(engine);
  if (options_.diagnose) diagnose_network(engine);
  if (options_.keep != Keep::scores) keep_states(engine);
}

void TrainingRun::score_single_tasks(const Engine& engine) {
  const auto scores = engine.collect([this](const Participant& participant) {
    const std::size_t i = data_agent(static_cast<std::size_t>(participant.position()));
    Numbers own;
    for (const TaskRecord& task : participant.records()) {
      own.push_back(score_alone(i, task.name));
    }
    return own;
  });
  std::vector<Numbers> of_data(agents());
  for (std::size_t k = 0; k < agents(); ++k) of_data[data_agent(k)] = scores[k];
  DefinedMean mean;
  for (const Numbers& own : of_data) {
    for (const double score : own) mean.add(score);
  }
  result_.stl = mean.value();
}

void TrainingRun::diagnose_network(const Engine& engine) {
  std::vector<std::vector<std::string>> tasks(agents());
  for (std::size_t k = 0; k < agents(); ++k) {
    const std::size_t i = data_agent(k);
    for (const std::string& task : tasks_[i]) {
      tasks[k].push_back(rows_.train.agents[i].agent + "/" + task);
    }
  }
  result_.diagnosis = diagnose(engine, tasks);
}

// What the agents hold, in the data's numbering.
void TrainingRun::keep_states(const Engine& engine) {
  std::vector<AgentState> states = engine.states();
  states_.resize(states.size());
  for (std::size_t k = 0; k < states.size(); ++k) {
    renumber_edges(k, states[k]);
    if (options_.keep == Keep::models) complete_models(data_agent(k), states[k]);
    states_[data_agent(k)] = std::move(states[k]);
  }
}

// Z is antisymmetric in the ends of its edge; z_ij stands before z_ji.
void TrainingRun::renumber_edges(std::size_t k, AgentState& state) const {
  const auto from = static_cast<Index>(k);
  for (EdgeState& edge : state.edge_states) {
    const bool was_first = goes_first(from, edge.neighbour);
    edge.neighbour = order_[static_cast<std::size_t>(edge.neighbour)];
    if (goes_first(order_[k], edge.neighbour) == was_first) continue;
    if (options_.network.rule == Rule::paper) {
      edge.dual = -edge.dual;
    } else {
      const Index half = edge.dual.cols() / 2;
      edge.dual.leftCols(half).swap(edge.dual.rightCols(half));
    }
  }
  std::sort(state.edge_states.begin(), state.edge_states.end(),
            [](const EdgeState& a, const EdgeState& b) { return a.neighbour < b.neighbour; });
}

// The models of an agent elsewhere are fitted again rather than sent: every process has read the
// rows.
void TrainingRun::complete_models(std::size_t agent, AgentState& state) const {
  const AgentOptions& options = options_.network.agent;
  for (TaskRecord& record : state.records) {
    if (record.model.gamma != nullptr || record.statistics != nullptr) continue;
    if (options.prior) {
      record.statistics = std::make_shared<const TaskStatistics>(statistics_at(agent, record.name));
      continue;
    }
    const Batch& rows = rows_.train.agents[agent].batches[scores_.batch(agent, record.name)];
    record.model = fit(options.problem, rows.X, rows.y, options.gamma);
  }
}

}  // namespace colla
