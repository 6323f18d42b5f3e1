// SPDX-License-Identifier: Apache-2.0
// Networks of agents that crash, lose messages and come back, all in one thread: a seed decides
// what is delivered or fails, and when.
#pragma once

#include "agent/protocol/networked_agent.hpp"
#include "network_problems.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>

namespace colla::testing {

/// What an agent's owner keeps where a crash cannot reach it.
class Home {
 public:
  virtual ~Home() = default;

  /// The agent as it was at the end of the last step; all else that was in memory is lost.
  virtual NetworkedAgent restart() = 0;
  /// A chance for new tasks to come.
  virtual void pass_time() {}
  virtual bool wants_step() const = 0;
  /// The step was begun before a crash.
  virtual bool has_begun_step() const = 0;
  /// No more tasks, now and later.
  virtual bool is_done() const = 0;
  virtual std::optional<TaskRows> begin_step(std::uint64_t step) = 0;
  virtual void end_step(const NetworkedAgent& agent) = 0;
};

struct Failures {
  double crashes = 0.0;  ///< share of all events
  double cuts = 0.0;
  int events = 3000;  ///< then peace
};

class Simulation {
 public:
  Simulation(const Graph& graph, const StepPlan& plan, std::vector<std::unique_ptr<Home>> homes,
             std::uint64_t seed)
      : graph_(graph), plan_(plan), random_(seed, {99}) {
    for (auto& home : homes) {
      sites_.push_back({std::move(home), {}});
      sites_.back().start();
    }
    for (const Edge& edge : graph.edges()) connect(edge.i, edge.j);
  }

  // So many failures that a step can rarely finish, then none.
  void run(Failures failures) {
    for (int event = 0; !is_over(); ++event) {
      if (event == failures.events) failures = {};
      ASSERT_LT(event, 200000) << "the network stands still";
      const auto i = static_cast<Index>(random_.below(sites_.size()));
      const double what = random_.uniform();
      if (what < failures.crashes) {
        crash(i);
      } else if (what < failures.crashes + failures.cuts && graph_.degree(i) > 0) {
        const auto links = graph_.links(i);
        connect(i, links[random_.below(links.size())].neighbour);
      } else {
        deliver_to(i);
        drive(i);
      }
    }
  }

  const NetworkedAgent& agent(Index i) const { return *site(i).agent; }
  Home& home(Index i) { return *site(i).home; }
  std::uint64_t steps() const {
    std::uint64_t most = 0;
    for (const Site& s : sites_) most = std::max(most, s.agent->steps());
    return most;
  }

 private:
  struct Site {
    std::unique_ptr<Home> home;
    std::unique_ptr<NetworkedAgent> agent;

    void start() { agent = std::make_unique<NetworkedAgent>(home->restart()); }
  };
  using Directed = std::pair<Index, Index>;

  Site& site(Index i) { return sites_[static_cast<std::size_t>(i)]; }
  const Site& site(Index i) const { return sites_[static_cast<std::size_t>(i)]; }

  bool is_over() const {
    const std::uint64_t last = steps();
    for (const Site& s : sites_) {
      if (s.agent->is_in_step() || s.agent->steps() < last || !s.home->is_done()) return false;
    }
    return true;
  }

  std::size_t slot(Index of, Index neighbour) const {
    const auto links = graph_.links(of);
    std::size_t n = 0;
    while (links[n].neighbour != neighbour) ++n;
    return n;
  }

  void crash(Index i) {
    site(i).start();
    drive(i);  // what was begun is begun again before anybody is greeted
    for (const Link& link : graph_.links(i)) connect(i, link.neighbour);
  }

  // Messages in flight are lost; both ends say what they have and continue from there.
  void connect(Index i, Index j) {
    for (const auto& [a, b] : {Directed{i, j}, Directed{j, i}}) {
      const NetworkedAgent& greeting = *site(b).agent;
      const Position received = greeting.received(slot(b, a));
      site(a).agent->greet(slot(a, b), received, greeting.received_checksum(slot(b, a)));
      next_[{a, b}] = plan_.after(received);
    }
  }

  void deliver_to(Index i) {
    if (graph_.degree(i) == 0) return;
    const auto links = graph_.links(i);
    const Index from = links[random_.below(links.size())].neighbour;
    const auto message = site(from).agent->sent(next_[{from, i}]);
    if (message == nullptr) return;
    site(i).agent->receive(slot(i, from), message);
    next_[{from, i}] = plan_.after(message->position);
  }

  // The paper's mode: a task, or none left, and a step that others have begun.
  void drive(Index i) {
    Site& s = site(i);
    s.home->pass_time();
    if (s.agent->is_step_over()) {
      s.home->end_step(*s.agent);
      s.agent->end_step();
    }
    if (s.agent->is_in_step()) return;
    const bool wants_step = s.home->wants_step() || s.agent->is_called();
    if (!s.home->has_begun_step() && !(s.agent->has_met_neighbours() && wants_step)) return;
    const std::optional<TaskRows> task = s.home->begin_step(s.agent->steps() + 1);
    s.agent->begin_step(task ? &*task : nullptr);
  }

  Graph graph_;
  StepPlan plan_;
  Random random_;
  std::vector<Site> sites_;
  std::map<Directed, Position> next_;  // what the first has to send to the second
};

/// A network of a few agents, and what it does in a step.
struct SimulatedNetwork {
  Graph graph;
  NetworkOptions options;

  StepPlan plan() const { return plan_of(options, !graph.edges().empty()); }
};

/// With at least one edge unless there is only one agent.
inline SimulatedNetwork random_network(Random& random, Problem problem, Solver solver) {
  const std::vector<std::string> shapes = {"line", "star", "ring", "complete", "random"};
  const std::vector<std::string> plans = {"1", "3", "1+3/t"};
  const Index agents = 1 + static_cast<Index>(random.below(6));
  const std::string& shape = shapes[random.below(shapes.size())];
  SimulatedNetwork network = {
      make_graph(agents < 3 && shape == "ring" ? "line" : shape, agents, random.bits()),
      network_options(problem, 3, 2)};
  network.options.exchanges = parse_exchange_plan(plans[random.below(plans.size())]);
  network.options.refresh = static_cast<Index>(random.below(2));
  network.options.agent.solver = solver;
  return network;
}

/// The same network with agents that learn a collective prior.
inline SimulatedNetwork with_prior(SimulatedNetwork network) {
  NetworkOptions& options = network.options;
  options.agent.prior = prior_of_network(network.graph, options.agent.features);
  if (!network.graph.edges().empty()) options.rho = averaging_penalty(network.graph);
  return network;
}

/// Up to five tasks per agent.
inline std::vector<std::vector<TaskRows>> random_tasks(Random& random,
                                                       const SimulatedNetwork& network) {
  const AgentOptions& options = network.options.agent;
  std::vector<std::vector<TaskRows>> all(static_cast<std::size_t>(network.graph.agents()));
  for (auto& tasks : all) {
    const std::uint64_t count = random.below(6);
    for (std::uint64_t t = 0; t < count; ++t) {
      const Index rows = 2 + static_cast<Index>(random.below(12));
      // Few names: some tasks come again.
      tasks.push_back({"task-" + std::to_string(random.below(4)),
                       random_rows(random, rows, options.features),
                       random_targets(random, options.problem, rows),
                       random.below(2) == 0 ? Revisit::replace : Revisit::append});
    }
  }
  return all;
}

/// Which task an agent learned in a step, if any.
using TaskOf = std::function<const TaskRows*(Index agent, std::uint64_t step)>;

/// The same steps in one process that nothing disturbs.
inline void run_undisturbed(InProcessEngine& engine, const StepPlan& plan, std::uint64_t steps,
                            const TaskOf& task_of) {
  for (std::uint64_t t = 1; t <= steps; ++t) {
    std::vector<Arrival> arrivals;
    for (Index i = 0; i < engine.graph().agents(); ++i) {
      const TaskRows* task = task_of(i, t);
      if (task != nullptr) arrivals.push_back(arrival_of(i, *task));
    }
    learn_step(engine, arrivals, {plan.exchanges.at(static_cast<Index>(t)), 0.0, plan.refresh});
  }
}

inline void expect_same_records(const TaskRecord& x, const TaskRecord& y) {
  ASSERT_EQ(x.name, y.name);
  ASSERT_EQ(x.statistics == nullptr, y.statistics == nullptr);
  if (x.statistics != nullptr) {
    ASSERT_TRUE(*x.statistics == *y.statistics);
    ASSERT_EQ(x.contribution, y.contribution);
    return;
  }
  ASSERT_EQ(x.code, y.code);
  ASSERT_EQ(x.model.rows, y.model.rows);
  ASSERT_EQ(x.model.alpha, y.model.alpha);
  ASSERT_TRUE(*x.model.gamma == *y.model.gamma);
}

inline void expect_same_participants(const Participant& a, const Participant& b) {
  ASSERT_EQ(a.dictionary(), b.dictionary());
  ASSERT_EQ(a.edge_states().size(), b.edge_states().size());
  for (std::size_t n = 0; n < a.edge_states().size(); ++n) {
    ASSERT_EQ(a.edge_states()[n].dictionary, b.edge_states()[n].dictionary);
    ASSERT_EQ(a.edge_states()[n].dual, b.edge_states()[n].dual);
  }
  ASSERT_EQ(a.has_prior(), b.has_prior());
  if (a.has_prior()) {
    ASSERT_EQ(a.prior_agent().next_refresh(), b.prior_agent().next_refresh());
  }
  ASSERT_EQ(a.records().size(), b.records().size());
  for (std::size_t t = 0; t < a.records().size(); ++t) {
    expect_same_records(a.records()[t], b.records()[t]);
  }
}

}  // namespace colla::testing
