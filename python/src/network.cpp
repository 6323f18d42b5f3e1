// SPDX-License-Identifier: Apache-2.0
#include "agent_state.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "signals.hpp"
#include "turns.hpp"

#include <colla/exchange_plan.hpp>
#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>

namespace colla::python {
namespace {

using Edges = std::vector<std::pair<Index, Index>>;

std::vector<Edge> edges_from(const Edges& pairs) {
  std::vector<Edge> edges;
  edges.reserve(pairs.size());
  for (const auto& [i, j] : pairs) edges.push_back({i, j});
  return edges;
}

Edges pairs_of(const Graph& graph) {
  Edges pairs;
  pairs.reserve(graph.edges().size());
  for (const Edge& edge : graph.edges()) pairs.emplace_back(edge.i, edge.j);
  return pairs;
}

Edges edges_by_name(const std::string& name, Index agents, std::uint64_t seed) {
  return pairs_of(make_graph(name, agents, seed));
}

Edges checked_edges(const Edges& pairs, Index agents) {
  const Graph graph(agents, edges_from(pairs));
  check_connected(graph, "graph");
  return pairs_of(graph);
}

struct NetworkSettings {
  AgentOptions agent;
  double rho = 0.1;
  int threads = 1;
  std::string iterations = "20";
  double tolerance = 0.0;
  Index refresh = 0;

  NetworkOptions options() const { return {agent, rho, threads}; }
};

std::vector<Participant> participants_from(const std::vector<AgentState>& states, double rho) {
  std::vector<Participant> participants;
  participants.reserve(states.size());
  for (const AgentState& state : states) {
    participants.emplace_back(state.agent(), state.sides, std::ssize(participants), rho);
  }
  return participants;
}

// agent, task, X, y
using ArrivalTuple = std::tuple<Index, std::string, RowsView, TargetsView>;

// A network that several threads may use, one after the other.
class Network {
 public:
  Network(const NetworkSettings& settings, Index agents, const Edges& edges,
          const std::optional<Matrix>& dictionary)
      : settings_(settings),
        plan_(parse_exchange_plan(settings.iterations)),
        engine_(Graph(agents, edges_from(edges)), settings.options(), dictionary) {}

  Network(const NetworkSettings& settings, const Edges& edges,
          const std::vector<AgentState>& states)
      : settings_(settings),
        plan_(parse_exchange_plan(settings.iterations)),
        engine_(Graph(std::ssize(states), edges_from(edges)), settings.options(),
                participants_from(states, settings.rho)) {}

  StepSummary learn(const std::vector<ArrivalTuple>& tuples, Revisit revisit) {
    std::vector<Arrival> arrivals;
    arrivals.reserve(tuples.size());
    for (const auto& [agent, task, X, y] : tuples) {
      arrivals.push_back({agent, task, X, y, revisit});
    }
    return turns_.take([&] {
      const Index step = static_cast<Index>(engine_.participant(0).agent().step()) + 1;
      return learn_step(engine_, arrivals,
                        {plan_.at(step), settings_.tolerance, settings_.refresh, heed_signals()});
    });
  }

  // Throws what learning these rows would throw.
  void check(const std::vector<ArrivalTuple>& tuples) const {
    without_gil([&] {
      for (const auto& [agent, task, X, y] : tuples) check_rows(settings_.agent, task, X, y);
    });
  }

  std::uint64_t step() {
    return turns_.take([this] { return engine_.participant(0).agent().step(); });
  }

  Vector model(Index agent, const std::string& task) {
    return turns_.take([&] { return engine_.participant(agent).agent().model(task); });
  }

  std::vector<AgentState> states() {
    return turns_.take([this] {
      std::vector<AgentState> all;
      all.reserve(static_cast<std::size_t>(engine_.graph().agents()));
      for (Index i = 0; i < engine_.graph().agents(); ++i) {
        all.push_back(state_of(engine_.participant(i)));
      }
      return all;
    });
  }

  Matrix dictionary(Index agent) {
    return turns_.take([&]() -> Matrix { return engine_.participant(agent).dictionary(); });
  }

  std::vector<std::string> tasks(Index agent) {
    return turns_.take([&] { return task_names(engine_.participant(agent).agent().records()); });
  }

  NamedCodes codes(Index agent) {
    return turns_.take([&] { return codes_of(engine_.participant(agent).agent().records()); });
  }

  // Z of every edge, in the order of the edges.
  std::vector<Matrix> duals() {
    return turns_.take([this] {
      std::vector<Matrix> all;
      all.reserve(engine_.graph().edges().size());
      for (const Edge& edge : engine_.graph().edges()) {
        all.push_back(engine_.participant(edge.i).dual(engine_.graph().slot(edge.i, edge.j)));
      }
      return all;
    });
  }

  Edges edges() const { return pairs_of(engine_.graph()); }
  const NetworkSettings& settings() const { return settings_; }

 private:
  Turns turns_;
  NetworkSettings settings_;
  ExchangePlan plan_;
  InProcessEngine engine_;
};

}  // namespace

void bind_network(nb::module_& module) {
  using nb::arg;
  module.def("edges_by_name", &edges_by_name, arg("name"), arg("agents"), arg("seed"));
  module.def("checked_edges", &checked_edges, arg("edges"), arg("agents"));
  nb::class_<NetworkSettings>(module, "NetworkSettings", "What a network is made with.")
      .def(nb::init<>())
      .def_rw("agent", &NetworkSettings::agent)
      .def_rw("rho", &NetworkSettings::rho)
      .def_rw("threads", &NetworkSettings::threads)
      .def_rw("iterations", &NetworkSettings::iterations)
      .def_rw("tolerance", &NetworkSettings::tolerance)
      .def_rw("refresh", &NetworkSettings::refresh);
  nb::class_<StepSummary>(module, "StepSummary", "How far agents agree after a step.")
      .def_ro("exchanges", &StepSummary::exchanges)
      .def_ro("primal_residual", &StepSummary::primal_residual)
      .def_ro("dual_residual", &StepSummary::dual_residual)
      .def_ro("gap", &StepSummary::gap)
      .def_ro("bytes", &StepSummary::bytes);
  nb::class_<Network>(module, "Network", "Agents in this process; threads take turns.")
      .def(nb::init<const NetworkSettings&, Index, const Edges&, const std::optional<Matrix>&>(),
           arg("settings"), arg("agents"), arg("edges"), arg("dictionary").none())
      .def("learn", &Network::learn, arg("arrivals"), arg("revisit"))
      .def("check", &Network::check, arg("arrivals"))
      .def("step", &Network::step)
      .def("model", &Network::model, arg("agent"), arg("task"))
      .def("states", &Network::states)
      .def("dictionary", &Network::dictionary, arg("agent"))
      .def("tasks", &Network::tasks, arg("agent"))
      .def("codes", &Network::codes, arg("agent"))
      .def("edges", &Network::edges)
      .def("duals", &Network::duals)
      .def("__getstate__",
           [](Network& network) {
             const NetworkSettings& own = network.settings();
             return std::tuple(
                 std::tuple(own.rho, own.threads, own.iterations, own.tolerance, own.refresh),
                 network.edges(), network.states());
           })
      .def("__setstate__", [](Network& network,
                              const std::tuple<std::tuple<double, int, std::string, double, Index>,
                                               Edges, std::vector<AgentState>>& tuple) {
        const auto& [numbers, edges, states] = tuple;
        NetworkSettings settings;
        settings.agent = states.at(0).options;
        std::tie(settings.rho, settings.threads, settings.iterations, settings.tolerance,
                 settings.refresh) = numbers;
        new (&network) Network(settings, edges, states);
      });
}

}  // namespace colla::python
