// SPDX-License-Identifier: Apache-2.0
// The methods that take all tasks at once, as `colla train` runs them.
#include "training/training.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "signals.hpp"

namespace colla::python {
namespace {

TrainingResult train_offline(const std::string& algorithm, const NetworkOptions& network,
                             const std::vector<std::pair<Index, Index>>& edges,
                             const std::optional<Matrix>& dictionary, const DataSet& data) {
  TrainingOptions options;
  options.algorithm = from_name<Algorithm>(algorithm).value();
  options.network = network;
  for (const auto& [i, j] : edges) options.edges.push_back({i, j});
  options.first_dictionary = dictionary;
  options.test_fraction = 0.0;
  options.pause = heed_signals();
  return without_gil([&] {
    TrainingResult result = train(data, options, nullptr);
    // What Python keeps: models whose agents exchange no more.
    for (ModelAgent& agent : result.model.agents) agent.state.edge_states.clear();
    return result;
  });
}

}  // namespace

void bind_training(nb::module_& module) {
  using nb::arg;
  nb::class_<TrainingResult>(module, "TrainingResult", "What a method has learned.")
      .def_ro("model", &TrainingResult::model)
      .def_ro("objectives", &TrainingResult::objectives)
      .def_ro("converged", &TrainingResult::converged)
      .def_ro("consensus_gap", &TrainingResult::consensus_gap)
      .def_ro("exchanges", &TrainingResult::exchanges)
      .def_ro("bytes", &TrainingResult::bytes)
      .def("numerics", &TrainingResult::numerics);
  module.def("train_offline", &train_offline, arg("algorithm"), arg("options"), arg("edges"),
             arg("dictionary").none(), arg("data"), "GO-MTL or offline CoLLA.");
}

}  // namespace colla::python
