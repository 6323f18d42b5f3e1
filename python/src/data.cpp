// SPDX-License-Identifier: Apache-2.0
// Data sets, and the program's checks of rows.
#include "arrays.hpp"
#include "bindings.hpp"
#include "data/labels.hpp"
#include "data/load_data.hpp"
#include "data/synthetic.hpp"
#include "files/text.hpp"
#include "training/memory.hpp"
#include "training/split.hpp"

#include <colla/lifelong_agent.hpp>
#include <colla/network_options.hpp>

namespace colla::python {
namespace {

Vector signs_of_numbers(const TargetsView& labels, const std::string& where) {
  LabelCensus census;
  for (const double label : labels) census.see_number(label);
  static_cast<void>(census.problem(Problem::classification, where));
  Vector signs = labels;
  to_signs(signs);
  return signs;
}

Vector signs_of_words(const std::vector<std::string>& labels, const std::string& where) {
  LabelCensus census;
  for (const std::string& label : labels) census.see_text(label);
  static_cast<void>(census.problem(Problem::classification, where));
  Vector signs(std::ssize(labels));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    signs[static_cast<Index>(i)] = truth_value(labels[i]).value_or(0.0);
  }
  to_signs(signs);
  return signs;
}

DataSet load(const std::string& name, const std::string& folder, std::optional<Index> agents) {
  return without_gil([&] {
    ReadOptions options;
    options.data_folder = folder;
    options.agents = agents;
    DataSet data = load_data(name, options, 1);
    drop_intercept(data);  // the learners append it
    return data;
  });
}

SyntheticData make(Problem problem, Index agents, Index tasks_per_agent, Index rows, Index features,
                   Index atoms, Index active, double noise, std::uint64_t seed) {
  const auto real = [](Index count) { return static_cast<double>(count); };
  const double of_task = real(rows) * real(features + 1) + real(atoms);
  const double numbers =
      real(agents) * real(tasks_per_agent) * of_task + real(features) * real(atoms);
  check_memory(16.0 * numbers, numbers, "numbers", "make_tasks");  // here and in NumPy's arrays
  return without_gil([&] {
    return make_tasks(
        {problem, agents, tasks_per_agent, rows, features, atoms, active, noise, seed});
  });
}

// agent, then (task, X, y) per arrival
template <typename Rows, typename Targets>
using Streams =
    std::vector<std::pair<std::string, std::vector<std::tuple<std::string, Rows, Targets>>>>;

Streams<Samples, Vector> streams_of(const DataSet& data) {
  Streams<Samples, Vector> streams;
  for (const Stream& stream : data.agents) {
    streams.emplace_back().first = stream.agent;
    auto& batches = streams.back().second;
    for (const Batch& batch : stream.batches) batches.emplace_back(batch.task, batch.X, batch.y);
  }
  return streams;
}

DataSet data_from(Problem problem, const std::vector<std::string>& features,
                  const Streams<RowsView, TargetsView>& streams) {
  DataSet data;
  data.problem = problem;
  data.features = features;
  for (const auto& [agent, batches] : streams) {
    Stream& stream = data.agents.emplace_back(Stream{agent, {}});
    for (const auto& [task, X, y] : batches) stream.batches.push_back({{task, X, y}, ""});
  }
  return data;
}

std::pair<DataSet, DataSet> split_rows(const DataSet& data, double test_fraction,
                                       std::uint64_t seed) {
  SplitData parts = split(data, test_fraction, seed);
  return {std::move(parts.train), std::move(parts.test)};
}

}  // namespace

void bind_data(nb::module_& module) {
  using nb::arg;
  module.attr("intercept_name") = intercept_name;
  module.def("check_row_count", &check_row_count, arg("task"), arg("rows"), arg("more_elsewhere"),
             arg("origin"));
  module.def("check_features", &check_features, arg("given"), arg("features"), arg("where"));
  module.def(
      "check_memory",
      [](const NetworkOptions& options, Index agents) { check_memory(options.agent, agents); },
      arg("options"), arg("agents"));
  module.def(
      "check_edge_memory",
      [](const NetworkOptions& options, double edges) { check_edge_memory(options.agent, edges); },
      arg("options"), arg("edges"));
  module.def("count_edges", &count_edges, arg("graph"), arg("agents"));
  module.def("listed", &listed, arg("names"));
  module.def("check_not_blank", [](const std::string& name, const std::string& where) {
    check_not_blank(name, where, "name it or remove the row");
  });
  module.def("dealt", &dealt, arg("arrivals"), arg("agents"), arg("where"));
  module.def("signs_of_numbers", &signs_of_numbers, arg("labels"), arg("where"));
  module.def("signs_of_words", &signs_of_words, arg("labels"), arg("where"));
  nb::class_<DataSet>(module, "DataSet", "Agents, each with a stream of tasks.")
      .def_ro("problem", &DataSet::problem)
      .def_ro("features", &DataSet::features)
      .def("streams", &streams_of);
  nb::class_<SyntheticData>(module, "SyntheticData", "Tasks with the truth they were made from.")
      .def_ro("data", &SyntheticData::data)
      .def_ro("dictionary", &SyntheticData::dictionary)
      .def_ro("codes", &SyntheticData::codes);
  module.def("data_set", &data_from, arg("problem"), arg("features"), arg("streams"));
  module.def("load", &load, arg("name"), arg("folder"), arg("agents").none());
  module.def("make_tasks", &make, arg("problem"), arg("agents"), arg("tasks_per_agent"),
             arg("rows"), arg("features"), arg("atoms"), arg("active"), arg("noise"), arg("seed"));
  module.def("split", &split_rows, arg("data"), arg("test_fraction"), arg("seed"));
}

}  // namespace colla::python
