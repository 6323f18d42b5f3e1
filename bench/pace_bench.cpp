// SPDX-License-Identifier: Apache-2.0
// How fast living agents come together, in exchanges and messages: on the paper's data, where they
// are there, beside the paper's rule with the best rho of a grid; and what a message costs in a
// network of ten thousand. Prints one JSON object.
#include "data/registry.hpp"
#include "engine/simulator/optimum.hpp"
#include "workload.hpp"

#include <colla/error.hpp>
#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>

namespace colla::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double near = 1e-3;
constexpr Index most_exchanges = 3000;

NetworkOptions options_for(const DataSet& data, Rule rule, double rho) {
  NetworkOptions options;
  options.agent.problem = data.problem;
  options.agent.features = std::ssize(data.features);
  options.agent.atoms = 10;
  options.rule = rule;
  options.rho = rho;
  return options;
}

std::vector<Arrival> all_tasks(const DataSet& data) {
  std::vector<Arrival> arrivals;
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    for (const Batch& batch : data.agents[i].batches) {
      arrivals.push_back(arrival_of(static_cast<Index>(i), batch));
    }
  }
  return arrivals;
}

std::vector<Arrival> tasks_of_step(const DataSet& data, std::size_t step) {
  std::vector<Arrival> arrivals;
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    const std::vector<Batch>& batches = data.agents[i].batches;
    if (step < batches.size()) arrivals.push_back(arrival_of(static_cast<Index>(i), batches[step]));
  }
  return arrivals;
}

Matrix optimum_of(const Engine& engine) {
  std::vector<const std::vector<TaskRecord>*> agents;
  for (Index i = 0; i < engine.graph().agents(); ++i) {
    agents.push_back(&engine.participant(i).records());
  }
  return best_dictionary(engine.options().agent, agents);
}

double distance(const Engine& engine, const Matrix& optimum) {
  double farthest = 0.0;
  for (Index i = 0; i < engine.graph().agents(); ++i) {
    const Matrix apart = engine.participant(i).dictionary() - optimum;
    farthest = std::max(farthest, apart.norm() / optimum.norm());
  }
  return farthest;
}

// From the first dictionary with all tasks at once, in the paper's order; `most` if there are more.
Index exchanges_in_order(const DataSet& data, const Graph& graph, Rule rule, double rho,
                         Index most) {
  InProcessEngine engine(graph, options_for(data, rule, rho));
  engine.begin_step(all_tasks(data));
  const Matrix optimum = optimum_of(engine);
  for (Index k = 1; k < most; ++k) {
    engine.exchange(1);
    if (distance(engine, optimum) < near) return k;
  }
  return most;
}

// Mean distance from the network's exact optimum after each step.
double distance_of_steps(const DataSet& data, const Graph& graph, Rule rule, double rho,
                         Index exchanges) {
  constexpr std::size_t steps = 23;
  InProcessEngine engine(graph, options_for(data, rule, rho));
  double sum = 0.0;
  for (std::size_t t = 0; t < steps; ++t) {
    learn_step(engine, tasks_of_step(data, t), {exchanges, 0.0, 0, {}});
    sum += distance(engine, optimum_of(engine));
  }
  return sum / static_cast<double>(steps);
}

std::vector<double> grid() {
  std::vector<double> rhos;
  for (int tenth = -40; tenth <= 10; ++tenth) rhos.push_back(std::pow(10.0, 0.1 * tenth));
  return rhos;
}

Index best_of_paper(const DataSet& data, const Graph& graph) {
  Index best = most_exchanges;
  for (const double rho : grid()) {
    best = std::min(best, exchanges_in_order(data, graph, Rule::paper, rho, best));
  }
  return best;
}

// In wakes per agent, of living agents that wake at random.
double exchanges_at_random(const DataSet& data, const Graph& graph) {
  SimulatedNetwork network(options_for(data, Rule::healing, 0.0), {}, graph, 1);
  for (const Arrival& arrival : all_tasks(data)) {
    network.learn(arrival.agent, arrival.task, arrival.X, arrival.y);
  }
  const Matrix optimum = colla::optimum_of(network);
  while (distance_from(optimum, network) >= near && network.now() < 10'000.0) {
    network.run_until(network.now() + 0.1);
  }
  return static_cast<double>(network.counts().wakes) / static_cast<double>(graph.agents());
}

Json london_schools() {
  const DataSet data = deal(load_registered("london-schools", "", 1));
  Json found;
  for (const char* name : {"line", "star", "random", "complete"}) {
    const Graph graph = make_graph(name, std::ssize(data.agents), 1);
    double paper = INFINITY;
    for (const double rho : grid()) {
      paper = std::min(paper, distance_of_steps(data, graph, Rule::paper, rho, 20));
    }
    found[name] = {{"healing", exchanges_in_order(data, graph, Rule::healing, 0.0, most_exchanges)},
                   {"paper", best_of_paper(data, graph)},
                   {"random_wakes", exchanges_at_random(data, graph)},
                   {"five_exchanges", distance_of_steps(data, graph, Rule::healing, 0.0, 5)},
                   {"paper_twenty", paper}};
  }
  return found;
}

Json other_set(const std::string& name) {
  const DataSet data = deal(load_registered(name, "", 1));
  const Graph graph = make_graph("line", std::ssize(data.agents), 1);
  return {{"healing", exchanges_in_order(data, graph, Rule::healing, 0.0, most_exchanges)},
          {"paper", best_of_paper(data, graph)}};
}

DataSet synthetic(Index agents, Index tasks, Index features, Index atoms) {
  SyntheticOptions options;
  options.agents = agents;
  options.tasks_per_agent = tasks;
  options.features = features;
  options.atoms = atoms;
  options.rows = 20;
  return make_tasks(options).data;
}

NetworkOptions small_options(const Graph& graph, Index features, Index atoms, bool has_prior) {
  NetworkOptions options;
  options.agent.features = features;
  options.agent.atoms = atoms;
  if (has_prior) options.agent.prior = prior_of_network(graph, features);
  return options;
}

// A settled network of 20 is given one more task: messages an edge until all are near the optimum.
double messages_of_a_task(const std::string& graph_name, bool has_prior) {
  const DataSet data = synthetic(20, 4, 10, 4);
  const Graph graph = make_graph(graph_name, 20, 1);
  SimulatedNetwork network(small_options(graph, 10, 4, has_prior), {}, graph, 1);
  const auto learn = [&network](Index agent, const Batch& batch) {
    network.learn(agent, batch.task, batch.X, batch.y);
  };
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    for (std::size_t t = 0; t < 3; ++t) learn(static_cast<Index>(i), data.agents[i].batches[t]);
  }
  network.run_until_settled(1e5);
  const std::uint64_t before = network.counts().messages;
  learn(7, data.agents[7].batches[3]);
  const Matrix optimum = colla::optimum_of(network);
  while (distance_from(optimum, network) >= near) network.run_until(network.now() + 0.1);
  return static_cast<double>(network.counts().messages - before) /
         static_cast<double>(graph.edges().size());
}

// Processor time of a message in a ring.
double seconds_of_message(Index agents) {
  const DataSet data = synthetic(agents, 1, 10, 4);
  const Graph graph = make_graph("ring", agents, 1);
  SimulatedNetwork network(small_options(graph, 10, 4, false), {}, graph, 1);
  for (Index i = 0; i < agents; ++i) {
    const Batch& batch = data.agents[static_cast<std::size_t>(i)].batches.front();
    network.learn(i, batch.task, batch.X, batch.y);
  }
  network.run_until(3.0);
  const std::uint64_t before = network.counts().messages;
  const double start = thread_seconds();
  network.run_until(13.0);
  return (thread_seconds() - start) / static_cast<double>(network.counts().messages - before);
}

Json all() {
  Json found;
  for (const char* graph : {"line", "star", "ring", "random", "complete"}) {
    found["new_task"][graph] = {{"colla", messages_of_a_task(graph, false)},
                                {"bayes", messages_of_a_task(graph, true)}};
  }
  std::vector<double> few;
  for (int k = 0; k < 21; ++k) few.push_back(seconds_of_message(100));
  found["message_us"] = {{"100", 1e6 * median(few)}, {"10000", 1e6 * seconds_of_message(10'000)}};
  if (data_folder_or_default("").empty()) return found;
  found["london-schools"] = london_schools();
  for (const char* name : {"landmine", "computer-survey"}) found[name] = other_set(name);
  return found;
}

}  // namespace
}  // namespace colla::bench

int main() {
  try {
    std::cout << colla::bench::all().dump(2) << "\n";
  } catch (const colla::Error& error) {
    std::cerr << "colla_pace: " << error.what() << "\n";
    return 1;
  }
}
