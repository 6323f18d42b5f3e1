// SPDX-License-Identifier: Apache-2.0
// Networks of agents that crash, lose messages and come back, all in one thread: what is delivered
// when, and what fails when, is drawn from a seed.
#include "engine/networked/networked_agent.hpp"

#include "network_problems.hpp"

#include <colla/error.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace colla {
namespace {

using testing::network_options;
using testing::random_rows;
using testing::random_targets;

using Sent = std::vector<std::shared_ptr<const Message>>;

// What an agent's owner keeps where a crash cannot reach it.
struct Safe {
  std::uint64_t step = 0;
  Matrix dictionary;
  std::vector<TaskRecord> records;
  KnowledgeState knowledge;
  std::vector<Side> sides;
  Sent sent;
};

struct Site {
  std::vector<TaskRows> tasks;  // one per step, as long as they last
  std::optional<Safe> safe;
  std::unique_ptr<NetworkedAgent> agent;
};

class Simulation {
 public:
  Simulation(const Graph& graph, const NetworkOptions& options, const StepPlan& plan,
             std::vector<std::vector<TaskRows>> tasks, std::uint64_t seed)
      : graph_(graph), options_(options), plan_(plan), random_(seed, {99}) {
    for (auto& of_agent : tasks) {
      last_step_ = std::max<std::uint64_t>(last_step_, of_agent.size());
      sites_.push_back({std::move(of_agent), {}, {}});
    }
    for (Index i = 0; i < graph.agents(); ++i) start(i);
    for (const Edge& edge : graph.edges()) connect(edge.i, edge.j);
  }

  // So many failures that a step may hardly ever end by itself, then peace.
  void run(double crashes, double cuts) {
    for (int event = 0; !is_over(); ++event) {
      if (event == 3000) crashes = cuts = 0.0;
      ASSERT_LT(event, 200000) << "the network stands still";
      const auto i = static_cast<Index>(random_.below(sites_.size()));
      const double what = random_.uniform();
      if (what < crashes) {
        crash(i);
      } else if (what < crashes + cuts && graph_.degree(i) > 0) {
        const auto links = graph_.links(i);
        const Index j = links[random_.below(links.size())].neighbour;
        connect(i, j);
      } else {
        deliver_to(i);
        drive(i);
      }
    }
  }

  const Participant& participant(Index i) const { return site(i).agent->participant(); }

 private:
  using Directed = std::pair<Index, Index>;

  Site& site(Index i) { return sites_[static_cast<std::size_t>(i)]; }
  const Site& site(Index i) const { return sites_[static_cast<std::size_t>(i)]; }

  bool is_over() const {
    for (const Site& s : sites_) {
      if (s.agent->is_in_step() || s.agent->steps() < last_step_) return false;
    }
    return true;
  }

  std::size_t slot(Index of, Index neighbour) const {
    const auto links = graph_.links(of);
    std::size_t n = 0;
    while (links[n].neighbour != neighbour) ++n;
    return n;
  }

  void start(Index i) {
    Site& s = site(i);
    if (!s.safe) {
      s.agent = std::make_unique<NetworkedAgent>(
          Participant(LifelongAgent(options_.agent), graph_, i, options_.rho), plan_);
      return;
    }
    const Safe& safe = *s.safe;
    LifelongAgent agent(options_.agent, safe.dictionary, safe.step, safe.records, safe.knowledge);
    s.agent = std::make_unique<NetworkedAgent>(
        Participant(std::move(agent), safe.sides, i, options_.rho), plan_, safe.sent);
  }

  void crash(Index i) {
    start(i);
    for (const Link& link : graph_.links(i)) connect(i, link.neighbour);
  }

  // Whatever was on its way is lost; both say what they have and send from there on.
  void connect(Index i, Index j) {
    for (const auto& [a, b] : {Directed{i, j}, Directed{j, i}}) {
      const Position received = site(b).agent->received(slot(b, a));
      site(a).agent->greet(slot(a, b), received);
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
    if (s.agent->is_step_over()) {
      const Participant& p = s.agent->participant();
      Sent sent;
      for (const auto& message : s.agent->sent()) {
        if (message->position.step == p.agent().step()) sent.push_back(message);
      }
      s.safe =
          Safe{p.agent().step(), p.dictionary(), p.agent().records(), p.agent().knowledge().state(),
               p.sides(),        std::move(sent)};
      s.agent->end_step();
    }
    if (s.agent->is_in_step()) return;
    const std::uint64_t step = s.agent->steps();
    const TaskRows* task = step < s.tasks.size() ? &s.tasks[step] : nullptr;
    if (task != nullptr || s.agent->is_called()) s.agent->begin_step(task);
  }

  Graph graph_;
  NetworkOptions options_;
  StepPlan plan_;
  Random random_;
  std::uint64_t last_step_ = 0;
  std::vector<Site> sites_;
  std::map<Directed, Position> next_;  // what the first has to send to the second
};

std::vector<std::vector<TaskRows>> random_tasks(Random& random, Problem problem, Index agents,
                                                Index features) {
  std::vector<std::vector<TaskRows>> all(static_cast<std::size_t>(agents));
  for (auto& tasks : all) {
    const std::uint64_t count = random.below(6);
    for (std::uint64_t t = 0; t < count; ++t) {
      const Index rows = 2 + static_cast<Index>(random.below(12));
      // Few names: some tasks come again.
      tasks.push_back({"task-" + std::to_string(random.below(4)),
                       random_rows(random, rows, features), random_targets(random, problem, rows),
                       random.below(2) == 0 ? Revisit::replace : Revisit::append});
    }
  }
  return all;
}

void expect_same_bits(const Participant& a, const Participant& b) {
  ASSERT_EQ(a.dictionary(), b.dictionary());
  ASSERT_EQ(a.sides().size(), b.sides().size());
  for (std::size_t n = 0; n < a.sides().size(); ++n) {
    ASSERT_EQ(a.sides()[n].dictionary, b.sides()[n].dictionary);
    ASSERT_EQ(a.sides()[n].dual, b.sides()[n].dual);
  }
  ASSERT_EQ(a.agent().records().size(), b.agent().records().size());
  for (std::size_t t = 0; t < a.agent().records().size(); ++t) {
    ASSERT_EQ(a.agent().records()[t].code, b.agent().records()[t].code);
  }
}

RC_GTEST_PROP(NetworkedAgent, crashes_and_cuts_leave_the_bits_of_an_undisturbed_process,
              (std::uint64_t seed)) {
  Random random(seed);
  const Index agents = 1 + static_cast<Index>(random.below(6));
  const std::string shape =
      *rc::gen::element<std::string>("line", "star", "ring", "complete", "random", "none");
  const Problem problem = *rc::gen::element(Problem::regression, Problem::classification);
  const Index features = 3;
  NetworkOptions options = network_options(problem, features, 2);
  options.agent.solver = *rc::gen::element(Solver::dense, Solver::matrix_free);
  const Graph graph = make_graph(agents < 3 && shape == "ring" ? "line" : shape, agents, seed);
  StepPlan plan;
  plan.exchanges = parse_exchange_plan(*rc::gen::element<std::string>("1", "3", "1+3/t"));
  plan.refresh = static_cast<Index>(random.below(2));
  plan.has_edges = !graph.edges().empty();
  const auto tasks = random_tasks(random, problem, agents, features);

  InProcessEngine engine(graph, options);
  std::size_t steps = 0;
  for (const auto& of_agent : tasks) steps = std::max(steps, of_agent.size());
  for (std::size_t t = 0; t < steps; ++t) {
    std::vector<Arrival> arrivals;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (t >= tasks[i].size()) continue;
      const TaskRows& rows = tasks[i][t];
      arrivals.push_back({static_cast<Index>(i), rows.name, rows.X, rows.y, rows.revisit});
    }
    learn_step(engine, arrivals, {plan.exchanges.at(static_cast<Index>(t + 1)), 0.0, plan.refresh});
  }

  // Without edges nobody calls the agents that have no tasks left.
  if (!plan.has_edges) return;
  Simulation simulation(graph, options, plan, tasks, seed);
  simulation.run(*rc::gen::element(0.0, 0.02, 0.1), *rc::gen::element(0.0, 0.02, 0.1));
  for (Index i = 0; i < agents; ++i) {
    expect_same_bits(simulation.participant(i), engine.participant(i));
  }
}

}  // namespace
}  // namespace colla
