// SPDX-License-Identifier: Apache-2.0
#include "learner.hpp"

#include "bindings.hpp"
#include "prior.hpp"

#include <nanobind/stl/map.h>

namespace colla::python {
namespace {

Numerics learn(Learner& learner, const std::string& task, const RowsView& X, const TargetsView& y,
               Revisit revisit) {
  return learner.alone([&](Participant& agent) {
    agent.check_rows(task, X, y);
    agent.begin_step();
    agent.absorb(task, X, y, revisit);
    learner.settle();
    return agent.numerics();
  });
}

void check_arrival(Learner& learner, const std::string& task, const RowsView& X,
                   const TargetsView& y) {
  learner.alone([&](Participant& agent) { agent.check_rows(task, X, y); });
}

void forget(Learner& learner, const std::string& task) {
  learner.alone([&](Participant& agent) {
    agent.forget(task);
    learner.settle();
  });
}

Vector encode(Learner& learner, const RowsView& X, const TargetsView& y) {
  return learner.alone([&](Participant& agent) { return agent.agent().encode(X, y); });
}

Vector model(Learner& learner, const std::string& task) {
  return learner.alone([&](Participant& agent) { return model_of(agent, task); });
}

std::pair<Vector, Vector> predict(Learner& learner, const std::string& task, const RowsView& X) {
  return predictions(
      learner.alone([&](Participant& agent) { return predictor_of(agent.prior_agent(), task); }),
      X);
}

std::tuple<Vector, Vector, double> prior(Learner& learner) {
  return learner.alone([](Participant& agent) { return learned_prior(agent.prior_agent()); });
}

Matrix dictionary(Learner& learner) {
  return learner.alone([](Participant& agent) -> Matrix { return agent.dictionary(); });
}

std::vector<std::string> tasks(Learner& learner) {
  return learner.alone([](Participant& agent) { return task_names(agent.records()); });
}

NamedCodes codes(Learner& learner) {
  return learner.alone([](Participant& agent) { return codes_of(agent.records()); });
}

SavedAgent state(Learner& learner) { return learner.alone(&state_of); }

}  // namespace

void bind_learner(nb::module_& module) {
  using nb::arg;
  nb::class_<Numerics>(module, "Numerics", "Computations that ended before their accuracy.")
      .def("counts", &as_map<std::map<std::string, std::int64_t>>)
      .def("__str__", [](const Numerics& numerics) { return to_string(numerics); })
      .def("__bool__", [](const Numerics& numerics) { return !numerics.are_clean(); });
  nb::class_<Learner>(module, "Learner", "One agent; threads take turns.")
      .def(nb::init<const NetworkOptions&, const std::optional<Matrix>&>(), arg("options"),
           arg("dictionary").none())
      .def(nb::init<const SavedAgent&>(), arg("state"))
      .def("learn", &learn, arg("task"), arg("X"), arg("y"), arg("revisit"))
      .def("check", &check_arrival, arg("task"), arg("X"), arg("y"))
      .def("forget", &forget, arg("task"))
      .def("encode", &encode, arg("X"), arg("y"))
      .def("model", &model, arg("task"))
      .def("predict", &predict, arg("task"), arg("X"), "Means and deviations, by the prior.")
      .def("prior", &prior)
      .def("has_prior", &Learner::has_prior)
      .def("dictionary", &dictionary)
      .def("tasks", &tasks)
      .def("codes", &codes)
      .def("state", &state)
      .def("__getstate__", &state)
      .def("__setstate__",
           [](Learner& learner, const SavedAgent& saved) { new (&learner) Learner(saved); });
}

}  // namespace colla::python
