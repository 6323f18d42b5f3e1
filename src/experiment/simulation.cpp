// SPDX-License-Identifier: Apache-2.0
#include "experiment/simulation.hpp"

#include "engine/simulator/optimum.hpp"
#include "experiment/study_data.hpp"
#include "training/training_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace colla {
namespace {

constexpr double never = std::numeric_limits<double>::quiet_NaN();

NetworkOptions options_of(const SimulationSpec& spec, const Graph& graph, const DataSet& tasks) {
  TrainingOptions options;
  options.network = spec.network;
  options.network.agent.problem = tasks.problem;
  options.network.agent.features = std::ssize(tasks.features);
  options.network.agent.seed = spec.seed;
  options.edges = graph.edges();
  options.has_given_refresh = true;
  if (spec.has_prior) complete_prior(options, tasks);
  return options.network;
}

// One run: gives tasks, lets the storm blow, and looks at the agents after each unit of time.
class Simulation {
 public:
  Simulation(const SimulationSpec& spec, const DataSet& tasks, const Graph& graph)
      : spec_(spec),
        tasks_(tasks),
        network_(options_of(spec, graph, tasks), spec.living, graph, spec.seed),
        storm_(network_, spec.storm, spec.seed),
        next_(tasks.agents.size()) {
    result_.exchanges_to_1e3 = result_.exchanges_to_1e6 = never;
  }

  SimulationResult result() {
    bool is_calm = false;
    while (!result_.is_settled && network_.now() < spec_.most_time) {
      const bool all_given = give_tasks();
      if (!is_calm && all_given && network_.now() >= spec_.storm_until) {
        storm_.calm();
        is_calm = true;
        note_calm();
      }
      pass_a_unit(is_calm);
      look(is_calm);
    }
    sum_up();
    return result_;
  }

 private:
  void pass_a_unit(bool is_calm) {
    const double time = network_.now() + 1.0;
    if (is_calm) {
      result_.is_settled = network_.run_until_settled(time);
      network_.run_until(time);
    } else if (network_.now() < spec_.storm_until) {
      storm_.run_until(time);
    } else {
      network_.run_until(time);
    }
  }

  // The next task of each agent whose time has come and who is there. Those of agents that have
  // left are nobody's.
  bool give_tasks() {
    bool all_given = true;
    for (std::size_t i = 0; i < next_.size(); ++i) {
      const auto agent = static_cast<Index>(i);
      const std::vector<Batch>& batches = tasks_.agents[i].batches;
      const auto& members = network_.members();
      if (!std::binary_search(members.begin(), members.end(), agent)) continue;
      while (next_[i] < batches.size() && network_.is_up(agent) &&
             static_cast<double>(next_[i]) * spec_.every <= network_.now()) {
        const Batch& batch = batches[next_[i]++];
        network_.learn(agent, batch.task, batch.X, batch.y, batch.revisit);
      }
      if (next_[i] < batches.size()) all_given = false;
    }
    return all_given;
  }

  void note_calm() {
    result_.calm_from = network_.now();
    result_.messages_since_calm = network_.counts().messages;
    wakes_before_ = network_.counts().wakes;
  }

  void look(bool is_calm) {
    if (optimum_.size() == 0 || network_.changes() != changes_ || spec_.network.refresh > 0) {
      optimum_ = optimum_of(network_);
      changes_ = network_.changes();
    }
    std::vector<double> distances = distances_from(optimum_, network_);
    std::sort(distances.begin(), distances.end());
    const double farthest = distances.back();
    result_.course.push_back({farthest, distances[distances.size() / 2]});
    if (!is_calm) return;
    const double exchanges = static_cast<double>(network_.counts().wakes - wakes_before_) /
                             static_cast<double>(network_.members().size());
    note_agreement(farthest < 1e-3, exchanges, result_.exchanges_to_1e3);
    note_agreement(farthest < 1e-6, exchanges, result_.exchanges_to_1e6);
  }

  // The first moment after which they stay so near.
  static void note_agreement(bool is_near, double exchanges, double& first) {
    if (!is_near) {
      first = never;
    } else if (std::isnan(first)) {
      first = exchanges;
    }
  }

  void sum_up() {
    result_.agents = std::ssize(network_.members());
    result_.edges = std::ssize(network_.graph().edges());
    for (const Index i : network_.members()) {
      result_.tasks += std::ssize(network_.agent(i).learner().records());
    }
    result_.counts = network_.counts();
    result_.messages_since_calm = result_.counts.messages - result_.messages_since_calm;
    result_.storm = storm_.counts();
  }

  const SimulationSpec& spec_;
  const DataSet& tasks_;
  SimulatedNetwork network_;
  Storm storm_;
  std::vector<std::size_t> next_;
  Matrix optimum_;
  std::uint64_t changes_ = 0;
  std::uint64_t wakes_before_ = 0;
  SimulationResult result_;
};

}  // namespace

DataSet load_tasks(const SimulationSpec& spec, const std::string& data_folder) {
  if (spec.synthetic) return make_tasks(*spec.synthetic).data;
  PreparedData found = load_study_data(spec.data, spec.folder, data_folder, spec.seed).prepared;
  if (spec.agents > 0) found.agents = spec.agents;
  return deal(std::move(found));
}

SimulationResult simulate(const SimulationSpec& spec, const DataSet& tasks) {
  const Graph graph = make_graph(spec.graph, std::ssize(tasks.agents), spec.seed);
  return Simulation(spec, tasks, graph).result();
}

}  // namespace colla
