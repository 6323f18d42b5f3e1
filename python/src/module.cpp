// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"
#include "bindings.hpp"

#include <colla/error.hpp>
#include <colla/network_options.hpp>
#include <colla/prediction.hpp>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace colla::python {
namespace {

// The text is the one that the program prints after "colla: ", with Python's names of options.
std::string with_names_in_python(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> names{
      {{"lambda must", "lam must"},
       {"--graph none", "graph=\"none\""},
       {"--data-dir", "data_dir"}}};
  for (const auto& [of_program, of_python] : names) {
    const std::size_t at = text.find(of_program);
    if (at != std::string::npos) text.replace(at, of_program.size(), of_python);
  }
  return text;
}

void translate_errors(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    PyErr_SetString(PyExc_ValueError, with_names_in_python(error.what()).c_str());
  }
}

Vector scores_of(const RowsView& X, const VectorView& theta) {
  check_features(X.cols(), theta.size(), "");
  check_samples(X, "");
  return without_gil([&] {
    Vector scores(X.rows());
    for (Index i = 0; i < X.rows(); ++i) scores[i] = score(X.row(i), theta);
    return scores;
  });
}

Vector probabilities_of(Vector scores) {
  for (double& value : scores) value = probability(value);
  return scores;
}

}  // namespace

void bind_options(nb::module_& module) {
  nb::enum_<Problem>(module, "Problem")
      .value("regression", Problem::regression)
      .value("classification", Problem::classification);
  nb::enum_<Codes>(module, "Codes").value("fresh", Codes::fresh).value("stored", Codes::stored);
  nb::enum_<Revisit>(module, "Revisit")
      .value("replace", Revisit::replace)
      .value("append", Revisit::append);
  nb::enum_<Solver>(module, "Solver")
      .value("automatic", Solver::automatic)
      .value("dense", Solver::dense)
      .value("matrix_free", Solver::matrix_free);
  nb::class_<AgentOptions>(module, "AgentOptions", "What an agent is made with.")
      .def(nb::init<>())
      .def_rw("problem", &AgentOptions::problem)
      .def_rw("features", &AgentOptions::features)
      .def_rw("atoms", &AgentOptions::atoms)
      .def_rw("lam", &AgentOptions::lambda)
      .def_rw("mu", &AgentOptions::mu)
      .def_rw("gamma", &AgentOptions::gamma)
      .def_rw("solver", &AgentOptions::solver)
      .def_rw("codes", &AgentOptions::codes)
      .def_rw("seed", &AgentOptions::seed);
}

}  // namespace colla::python

NB_MODULE(_core, module) {
  using namespace colla::python;
  module.doc() = "The core of colla. Use the package colla instead.";
  nb::register_exception_translator(translate_errors);
  nb::set_leak_warnings(false);  // threads that the program's end stops keep what they use
  bind_options(module);
  bind_agent_state(module);
  bind_learner(module);
  bind_network(module);
  bind_model(module);
  bind_training(module);
  bind_data(module);
  module.def("end_work", &end_work, "Waits for threads that learn; for the program's end.");
  module.def("scores", &scores_of, nb::arg("X"), nb::arg("theta"),
             "x.theta of every row: a prediction, or the log-odds of the second class.");
  module.def("probabilities", &probabilities_of, nb::arg("scores"),
             "Of the second class, from log-odds.");
}
