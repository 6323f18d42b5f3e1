// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "signals.hpp"

#include <colla/error.hpp>
#include <colla/prediction.hpp>

namespace colla::python {
namespace {

// The line is the one that the program prints after "colla: ", with Python's names of settings.
void translate_errors(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const SettingError& error) {
    const OptionError named = error.named(name_in_python(error.key()));
    PyErr_SetString(PyExc_ValueError, named.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
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

}  // namespace colla::python

NB_MODULE(_core, module) {
  using namespace colla::python;
  module.doc() = "The core of colla. Use the package colla instead.";
  nb::register_exception_translator(translate_errors);
  nb::set_leak_warnings(false);  // threads stopped at exit never free what they use
  bind_options(module);
  bind_agent_state(module);
  bind_learner(module);
  bind_network(module);
  bind_model(module);
  bind_training(module);
  bind_data(module);
  bind_prior(module);
  bind_recipe(module);
  module.def("end_work", &end_work, "Waits for threads that learn; for the program's end.");
  module.def("at_work", &at_work, "Threads except the main one that work now. For tests.");
  module.def("pauses", &pauses, "How often the main thread paused, and all others. For tests.");
  module.def("hold_pauses", &hold_pauses, nb::arg("hold"), "Lets no pause end. For tests.");
  module.def("scores", &scores_of, nb::arg("X"), nb::arg("theta"),
             "x.theta of every row: a prediction, or the log-odds of the second class.");
  module.def("probabilities", &probabilities_of, nb::arg("scores"),
             "Of the second class, from log-odds.");
}
