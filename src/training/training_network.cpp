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

void append(Numbers& numbers, const Matrix& matrix) {
  numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
}

// The dictionary, the code of every task, the dual of every edge to a larger neighbour.
Numbers state_of(const Participant& participant, const Graph& graph) {
  Numbers state;
  append(state, participant.dictionary());
  for (const TaskRecord& task : participant.agent().records()) append(state, task.code);
  const auto links = graph.links(participant.position());
  for (std::size_t n = 0; n < links.size(); ++n) {
    if (links[n].neighbour < participant.position()) continue;
    append(state, participant.dual(static_cast<Index>(n)));
  }
  return state;
}

// Takes matrices out of numbers, one after the other.
class Unpacked {
 public:
  explicit Unpacked(const Numbers& numbers) : next_(numbers.data()) {}

  Matrix matrix(Index rows, Index columns) {
    const double* const first = next_;
    next_ += rows * columns;
    return Eigen::Map<const Matrix>(first, rows, columns);
  }

 private:
  const double* next_;
};

}  // namespace

std::unique_ptr<Engine> TrainingRun::make_engine() {
  Graph graph(static_cast<Index>(agents()), options_.edges);
  order_.resize(agents());
  std::iota(order_.begin(), order_.end(), Index{0});
  if (options_.order_by_colour) {
    order_ = colour_order(graph);
    graph = graph.renumbered(order_);
  }
  if (options_.make_engine) {
    return options_.make_engine(std::move(graph), options_.network, options_.first_dictionary);
  }
  return std::make_unique<InProcessEngine>(graph, options_.network, options_.first_dictionary);
}

Arrival TrainingRun::arrival(std::size_t k, std::size_t batch) {
  const Batch& rows = rows_.train.agents[data_agent(k)].batches[batch];
  arrived(data_agent(k), batch);
  return {static_cast<Index>(k), rows.task, rows.X, rows.y};
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
  const auto scores = engine.collect([this](const Participant& participant) {
    const LifelongAgent& agent = participant.agent();
    const std::size_t i = data_agent(static_cast<std::size_t>(participant.position()));
    Numbers own;
    for (const TaskRecord& task : agent.records()) {
      own.push_back(scores_.score(i, task.name, agent.dictionary() * agent.code(task)));
    }
    return own;
  });
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
  if (options_.keep != Keep::scores) keep_state(engine);
}

void TrainingRun::score_single_tasks(const Engine& engine) {
  const auto scores = engine.collect([this](const Participant& participant) {
    const std::size_t i = data_agent(static_cast<std::size_t>(participant.position()));
    Numbers own;
    for (const TaskRecord& task : participant.agent().records()) {
      own.push_back(scores_.score(i, task.name, task.model.alpha));
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

// Everything the agents hold, in the data's numbering.
void TrainingRun::keep_state(const Engine& engine) {
  const auto states = engine.collect(
      [&engine](const Participant& participant) { return state_of(participant, engine.graph()); },
      Audience::first);
  if (states.empty()) return;
  result_.model.agents.resize(agents());
  for (std::size_t k = 0; k < agents(); ++k) keep_agent(engine, k, states[k]);
}

void TrainingRun::keep_agent(const Engine& engine, std::size_t k, const Numbers& state) {
  const AgentOptions& options = options_.network.agent;
  const std::size_t i = data_agent(k);
  Unpacked unpacked(state);
  ModelAgent& agent = result_.model.agents[i];
  agent.name = rows_.train.agents[i].agent;
  agent.step = static_cast<std::uint64_t>(result_.steps.size());
  agent.dictionary = unpacked.matrix(options.features, options.atoms);
  for (std::size_t t = 0; t < tasks_[i].size(); ++t) {
    agent.tasks.push_back(
        {tasks_[i][t], single_task_model(engine, k, t), unpacked.matrix(options.atoms, 1)});
  }
  const auto from = static_cast<Index>(k);
  for (const Link& link : engine.graph().links(from)) {
    if (link.neighbour < from) continue;
    add_dual(from, link.neighbour, unpacked.matrix(options.features, options.atoms));
  }
}

// The model of an agent elsewhere is fitted again rather than sent: every process has read the
// rows.
SingleTaskModel TrainingRun::single_task_model(const Engine& engine, std::size_t k,
                                               std::size_t task) const {
  if (options_.keep != Keep::models) return {};
  const auto agent = static_cast<Index>(k);
  if (engine.is_local(agent)) return engine.participant(agent).agent().records()[task].model;
  const std::size_t i = data_agent(k);
  const AgentOptions& options = options_.network.agent;
  const Batch& rows = rows_.train.agents[i].batches[scores_.batch(i, tasks_[i][task])];
  return fit(options.problem, rows.X, rows.y, options.gamma);
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
