// SPDX-License-Identifier: Apache-2.0
#include "learner.hpp"

#include "bindings.hpp"

#include <nanobind/stl/map.h>

namespace colla::python {
namespace {

Numerics learn(Learner& learner, const std::string& task, const RowsView& X, const TargetsView& y,
               Revisit revisit) {
  return learner.alone([&](LifelongAgent& agent) {
    agent.learn(task, X, y, revisit);
    return agent.numerics();
  });
}

void check_arrival(Learner& learner, const std::string& task, const RowsView& X,
                   const TargetsView& y) {
  learner.alone([&](LifelongAgent& agent) { agent.check_rows(task, X, y); });
}

void forget(Learner& learner, const std::string& task) {
  learner.alone([&](LifelongAgent& agent) { agent.forget(task); });
}

Vector encode(Learner& learner, const RowsView& X, const TargetsView& y) {
  return learner.alone([&](LifelongAgent& agent) { return agent.encode(X, y); });
}

Vector model(Learner& learner, const std::string& task) {
  return learner.alone([&](LifelongAgent& agent) { return agent.model(task); });
}

Matrix dictionary(Learner& learner) {
  return learner.alone([](LifelongAgent& agent) -> Matrix { return agent.dictionary(); });
}

std::vector<std::string> tasks(Learner& learner) {
  return learner.alone([](LifelongAgent& agent) { return task_names(agent.records()); });
}

NamedCodes codes(Learner& learner) {
  return learner.alone([](LifelongAgent& agent) { return codes_of(agent.records()); });
}

SavedAgent state(Learner& learner) {
  return learner.alone([](LifelongAgent& agent) {
    return SavedAgent{agent.options(), agent.state()};
  });
}

}  // namespace

void bind_learner(nb::module_& module) {
  using nb::arg;
  nb::class_<Numerics>(module, "Numerics", "Computations that ended before their accuracy.")
      .def("counts", &as_map<std::map<std::string, std::int64_t>>)
      .def("__str__", [](const Numerics& numerics) { return to_string(numerics); })
      .def("__bool__", [](const Numerics& numerics) { return !numerics.are_clean(); });
  nb::class_<Learner>(module, "Learner", "One agent; threads take turns.")
      .def(
          "__init__",
          [](Learner* learner, const NetworkOptions& options, std::optional<Matrix> dictionary) {
            new (learner) Learner(options.agent, std::move(dictionary));
          },
          arg("options"), arg("dictionary").none())
      .def(nb::init<const SavedAgent&>(), arg("state"))
      .def("learn", &learn, arg("task"), arg("X"), arg("y"), arg("revisit"))
      .def("check", &check_arrival, arg("task"), arg("X"), arg("y"))
      .def("forget", &forget, arg("task"))
      .def("encode", &encode, arg("X"), arg("y"))
      .def("model", &model, arg("task"))
      .def("dictionary", &dictionary)
      .def("tasks", &tasks)
      .def("codes", &codes)
      .def("state", &state)
      .def("__getstate__", &state)
      .def("__setstate__",
           [](Learner& learner, const SavedAgent& saved) { new (&learner) Learner(saved); });
}

}  // namespace colla::python
