// SPDX-License-Identifier: Apache-2.0
#include "experiment/training.hpp"

#include "experiment/split.hpp"
#include "experiment/test_scores.hpp"

#include <colla/error.hpp>
#include <colla/go_mtl.hpp>

#include <algorithm>
#include <numeric>

namespace colla {
namespace {

using Observer = std::function<void(const StepReport&)>;

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::colla:
      return "colla";
    case Algorithm::ella:
      return "ella";
    case Algorithm::stl:
      return "stl";
    case Algorithm::go_mtl:
      return "go-mtl";
    case Algorithm::offline_colla:
      return "offline-colla";
  }
  return "";
}

TrainingOptions completed(TrainingOptions options, const DataSet& data) {
  options.network.agent.problem = data.problem;
  options.network.agent.features = static_cast<Index>(data.features.size());
  check(options.network.agent);
  const bool exchanges =
      options.algorithm == Algorithm::colla || options.algorithm == Algorithm::offline_colla;
  if (!exchanges) options.edges.clear();
  return options;
}

std::size_t longest_stream(const DataSet& data) {
  std::size_t longest = 0;
  for (const Stream& stream : data.agents) longest = std::max(longest, stream.batches.size());
  return longest;
}

// The last batch of every task, in order of first arrival.
std::vector<std::size_t> newest_batches(const Stream& stream) {
  std::vector<std::string> names;
  std::vector<std::size_t> newest;
  for (std::size_t k = 0; k < stream.batches.size(); ++k) {
    const auto known = std::find(names.begin(), names.end(), stream.batches[k].task);
    if (known == names.end()) {
      names.push_back(stream.batches[k].task);
      newest.push_back(k);
    } else {
      newest[static_cast<std::size_t>(known - names.begin())] = k;
    }
  }
  return newest;
}

// One run. The engine's agent k is the data's agent order_[k].
class Training {
 public:
  Training(const DataSet& data, const TrainingOptions& options)
      : options_(completed(options, data)),
        rows_(split(data, options.test_fraction, options.network.agent.seed)),
        scores_(rows_.test) {
    result_.problem = data.problem;
    result_.model.algorithm = name_of(options.algorithm);
    result_.model.options = options_.network.agent;
    result_.model.features = data.features;
  }

  TrainingResult run(const Observer& observer) {
    switch (options_.algorithm) {
      case Algorithm::colla:
      case Algorithm::ella:
        learn_online(observer);
        break;
      case Algorithm::offline_colla:
        learn_offline_network(observer);
        break;
      case Algorithm::go_mtl:
        learn_go_mtl(observer);
        break;
      case Algorithm::stl:
        learn_single_tasks(observer);
        break;
    }
    DefinedMean single;
    for (std::size_t i = 0; i < result_.model.agents.size(); ++i) {
      for (const TaskRecord& task : result_.model.agents[i].tasks) {
        single.add(scores_.score(i, task.name, task.model.alpha));
        ++result_.tasks;
      }
    }
    result_.stl = single.value();
    return std::move(result_);
  }

 private:
  std::size_t agents() const { return rows_.train.agents.size(); }

  InProcessEngine make_engine() {
    Graph graph(static_cast<Index>(agents()), options_.edges);
    order_.resize(agents());
    std::iota(order_.begin(), order_.end(), Index{0});
    if (options_.order_by_colour) {
      order_ = colour_order(graph);
      graph = graph.renumbered(order_);
    }
    return {std::move(graph), options_.network, options_.first_dictionary};
  }

  std::size_t data_agent(std::size_t k) const { return static_cast<std::size_t>(order_[k]); }

  Arrival arrival(std::size_t k, std::size_t batch) {
    const Batch& rows = rows_.train.agents[data_agent(k)].batches[batch];
    scores_.arrived(data_agent(k), batch);
    return {static_cast<Index>(k), rows.task, rows.X, rows.y};
  }

  void learn_online(const Observer& observer) {
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
      add_step(engine, report, observer);
    }
    finish(engine);
  }

  void learn_offline_network(const Observer& observer) {
    InProcessEngine engine = make_engine();
    std::vector<Arrival> arrivals;
    for (std::size_t k = 0; k < agents(); ++k) {
      for (const std::size_t batch : newest_batches(rows_.train.agents[data_agent(k)])) {
        arrivals.push_back(arrival(k, batch));
      }
    }
    OfflineOptions offline;
    if (options_.tolerance > 0.0) offline.exchange_tolerance = options_.tolerance;
    const OfflineSummary summary = learn_offline(engine, arrivals, offline);
    result_.objectives = summary.objectives;
    result_.converged = summary.converged;
    StepReport report;
    report.step = report.steps = 1;
    report.exchange = summary.last;
    report.exchange.exchanges = summary.exchanges;
    report.exchange.bytes = summary.bytes;
    add_step(engine, report, observer);
    finish(engine);
  }

  void learn_go_mtl(const Observer& observer) {
    const AgentOptions& agent = options_.network.agent;
    std::vector<GoMtlTask> tasks;
    for (std::size_t i = 0; i < agents(); ++i) {
      for (const std::size_t batch : newest_batches(rows_.train.agents[i])) {
        const Batch& rows = rows_.train.agents[i].batches[batch];
        tasks.push_back({rows.task, rows.X, rows.y});
      }
    }
    GoMtlOptions go_mtl;
    go_mtl.problem = agent.problem;
    go_mtl.atoms = agent.atoms;
    go_mtl.lambda = agent.lambda;
    go_mtl.mu = agent.mu;
    go_mtl.gamma = agent.gamma;
    go_mtl.seed = agent.seed;
    go_mtl.solver = agent.solver;
    const GoMtlResult fitted = fit_go_mtl(tasks, go_mtl);
    result_.objectives = fitted.objectives;
    result_.converged = fitted.status == GoMtlStatus::converged;
    result_.model.options.codes = Codes::stored;
    Index next = 0;
    for (std::size_t i = 0; i < agents(); ++i) {
      result_.model.agents.push_back({rows_.train.agents[i].agent, 1, fitted.dictionary, {}});
      for (const std::size_t batch : newest_batches(rows_.train.agents[i])) {
        fit_single_task(i, batch).code = fitted.codes.col(next++);
      }
    }
    add_model_step({1, 1}, observer);
  }

  void learn_single_tasks(const Observer& observer) {
    result_.model.options.atoms = 0;
    const auto features = static_cast<Index>(rows_.train.features.size());
    for (const Stream& stream : rows_.train.agents) {
      result_.model.agents.push_back({stream.agent, 0, Matrix(features, 0), {}});
    }
    const std::size_t steps = longest_stream(rows_.train);
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t i = 0; i < agents(); ++i) {
        ++result_.model.agents[i].step;
        if (t < rows_.train.agents[i].batches.size()) fit_single_task(i, t);
      }
      add_model_step({static_cast<Index>(t + 1), static_cast<Index>(steps)}, observer);
    }
  }

  // The single-task solution of a batch, in place of an earlier one of the same task.
  TaskRecord& fit_single_task(std::size_t agent, std::size_t batch) {
    const AgentOptions& options = options_.network.agent;
    const Batch& rows = rows_.train.agents[agent].batches[batch];
    scores_.arrived(agent, batch);
    std::vector<TaskRecord>& tasks = result_.model.agents[agent].tasks;
    const auto known = std::find_if(tasks.begin(), tasks.end(), [&rows](const TaskRecord& task) {
      return task.name == rows.task;
    });
    TaskRecord& task = known == tasks.end() ? tasks.emplace_back() : *known;
    task = {rows.task, fit(options.problem, rows.X, rows.y, options.gamma), Vector()};
    return task;
  }

  static double largest_change(const std::vector<Matrix>& before,
                               const std::vector<Matrix>& after) {
    double largest = 0.0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double size = after[i].norm();
      if (size > 0.0) largest = std::max(largest, (after[i] - before[i]).norm() / size);
    }
    return largest;
  }

  void add_step(const Engine& engine, StepReport report, const Observer& observer) {
    DefinedMean mean;
    for (std::size_t k = 0; k < agents(); ++k) {
      const LifelongAgent& agent = engine.participant(static_cast<Index>(k)).agent();
      for (const TaskRecord& task : agent.records()) {
        mean.add(scores_.score(data_agent(k), task.name, agent.dictionary() * agent.code(task)));
        ++report.tasks;
      }
    }
    report.score = mean.value();
    result_.exchanges += engine.graph().edges().empty() ? 0 : report.exchange.exchanges;
    result_.bytes += report.exchange.bytes;
    result_.steps.push_back(report);
    if (observer) observer(report);
  }

  // The same for a method without an engine: its models are in the result.
  void add_model_step(StepReport report, const Observer& observer) {
    DefinedMean mean;
    for (std::size_t i = 0; i < agents(); ++i) {
      const ModelAgent& agent = result_.model.agents[i];
      const std::vector<Vector> thetas = task_models(result_.model, agent);
      for (std::size_t k = 0; k < thetas.size(); ++k) {
        mean.add(scores_.score(i, agent.tasks[k].name, thetas[k]));
        ++report.tasks;
      }
    }
    report.score = mean.value();
    result_.steps.push_back(report);
    if (observer) observer(report);
  }

  // Everything the engine holds, in the data's numbering.
  void finish(const Engine& engine) {
    result_.consensus_gap = consensus_gap(engine);
    result_.model.agents.resize(agents());
    std::vector<std::string> names;
    for (std::size_t k = 0; k < agents(); ++k) {
      const LifelongAgent& agent = engine.participant(static_cast<Index>(k)).agent();
      const std::string& name = rows_.train.agents[data_agent(k)].agent;
      names.push_back(name);
      result_.model.agents[data_agent(k)] = {name, agent.step(), agent.dictionary(),
                                             agent.records()};
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
  void add_dual(Index from, Index to, const Matrix& dual) {
    const Index i = order_[static_cast<std::size_t>(from)];
    const Index j = order_[static_cast<std::size_t>(to)];
    if (i < j) {
      result_.duals.push_back({{i, j}, dual});
    } else {
      result_.duals.push_back({{j, i}, -dual});
    }
  }

  TrainingOptions options_;
  SplitData rows_;
  TestScores scores_;
  std::vector<Index> order_;
  TrainingResult result_;
};

}  // namespace

TrainingResult train(const DataSet& data, const TrainingOptions& options,
                     const Observer& observer) {
  return Training(data, options).run(observer);
}

}  // namespace colla
