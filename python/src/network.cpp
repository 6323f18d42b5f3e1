// SPDX-License-Identifier: Apache-2.0
#include "agent_state.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "prior.hpp"
#include "signals.hpp"
#include "turns.hpp"

#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/variant.h>

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
  check_connected(graph);
  return pairs_of(graph);
}

std::vector<Participant> participants_from(const std::vector<SavedAgent>& agents,
                                           NetworkOptions options) {
  std::vector<Participant> participants;
  participants.reserve(agents.size());
  for (const SavedAgent& agent : agents) {
    options.agent = agent.options;
    participants.emplace_back(options, agent.state, std::ssize(participants));
  }
  return participants;
}

using NetworkTuple = std::tuple<PackedSettings, Edges, std::vector<SavedAgent>>;
// agent, task, X, y
using ArrivalTuple = std::tuple<Index, std::string, RowsView, TargetsView>;

// A network that several threads may use in turn.
class Network {
 public:
  Network(const NetworkOptions& options, Index agents, const Edges& edges,
          const std::optional<Matrix>& dictionary)
      : engine_(Graph(agents, edges_from(edges)), options, dictionary) {}

  Network(const NetworkOptions& options, const Edges& edges, const std::vector<SavedAgent>& agents)
      : engine_(Graph(std::ssize(agents), edges_from(edges)), options,
                participants_from(agents, options)) {}

  StepSummary learn(const std::vector<ArrivalTuple>& tuples, Revisit revisit) {
    std::vector<Arrival> arrivals;
    arrivals.reserve(tuples.size());
    for (const auto& [agent, task, X, y] : tuples) {
      arrivals.push_back({agent, task, X, y, revisit});
    }
    return turns_.take([&] {
      const Index step = static_cast<Index>(engine_.participant(0).step()) + 1;
      return learn_step(engine_, arrivals, step_options(options(), step, heed_signals()));
    });
  }

  // Throws what learning these rows would throw.
  void check(const std::vector<ArrivalTuple>& tuples) const {
    without_gil([&] {
      for (const auto& [agent, task, X, y] : tuples) check_rows(options().agent, task, X, y);
    });
  }

  std::uint64_t step() {
    return turns_.take([this] { return engine_.participant(0).step(); });
  }

  Vector model(Index agent, const std::string& task) {
    return turns_.take([&] { return model_of(engine_.participant(agent), task); });
  }

  std::pair<Vector, Vector> predict(Index agent, const std::string& task, const RowsView& X) {
    return predictions(
        turns_.take([&] { return predictor_of(engine_.participant(agent).prior_agent(), task); }),
        X);
  }

  std::tuple<Vector, Vector, double> prior(Index agent) {
    return turns_.take([&] { return learned_prior(engine_.participant(agent).prior_agent()); });
  }

  bool has_prior() const { return options().agent.prior.has_value(); }

  std::vector<SavedAgent> states() {
    return turns_.take([this] {
      std::vector<SavedAgent> all;
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
    return turns_.take([&] { return task_names(engine_.participant(agent).records()); });
  }

  NamedCodes codes(Index agent) {
    return turns_.take([&] { return codes_of(engine_.participant(agent).records()); });
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
  const NetworkOptions& options() const { return engine_.options(); }

 private:
  Turns turns_;
  InProcessEngine engine_;
};

}  // namespace

void bind_network(nb::module_& module) {
  using nb::arg;
  module.def("edges_by_name", &edges_by_name, arg("name"), arg("agents"), arg("seed"));
  module.def("checked_edges", &checked_edges, arg("edges"), arg("agents"));
  nb::class_<StepSummary>(module, "StepSummary", "How far agents agree after a step.")
      .def_ro("exchanges", &StepSummary::exchanges)
      .def_ro("primal_residual", &StepSummary::primal_residual)
      .def_ro("dual_residual", &StepSummary::dual_residual)
      .def_ro("gap", &StepSummary::gap)
      .def_ro("bytes", &StepSummary::bytes)
      .def_ro("numerics", &StepSummary::numerics);
  nb::class_<Network>(module, "Network", "Agents in this process; threads take turns.")
      .def(nb::init<const NetworkOptions&, Index, const Edges&, const std::optional<Matrix>&>(),
           arg("options"), arg("agents"), arg("edges"), arg("dictionary").none())
      .def("learn", &Network::learn, arg("arrivals"), arg("revisit"))
      .def("check", &Network::check, arg("arrivals"))
      .def("step", &Network::step)
      .def("model", &Network::model, arg("agent"), arg("task"))
      .def("predict", &Network::predict, arg("agent"), arg("task"), arg("X"),
           "Means and deviations, by the prior.")
      .def("prior", &Network::prior, arg("agent"))
      .def("has_prior", &Network::has_prior)
      .def("states", &Network::states)
      .def("dictionary", &Network::dictionary, arg("agent"))
      .def("tasks", &Network::tasks, arg("agent"))
      .def("codes", &Network::codes, arg("agent"))
      .def("edges", &Network::edges)
      .def("duals", &Network::duals)
      .def("__getstate__",
           [](Network& network) {
             return NetworkTuple(packed_settings(network.options(), network_settings()),
                                 network.edges(), network.states());
           })
      .def("__setstate__", [](Network& network, const NetworkTuple& tuple) {
        const auto& [settings, edges, agents] = tuple;
        NetworkOptions options = unpacked_settings(settings, network_settings());
        options.agent = agents.at(0).options;
        new (&network) Network(options, edges, agents);
      });
}

}  // namespace colla::python
