// SPDX-License-Identifier: Apache-2.0
// Model files: the same that `colla train --model` writes and `colla predict` reads.
#include "agent_state.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "training/model_predictions.hpp"

#include <colla/error.hpp>

namespace colla::python {
namespace {

const AgentState& state_at(const Model& model, std::size_t agent) {
  return model.agents.at(agent).state;
}

// All agents compute with the same options.
Model model_of(const std::string& algorithm, const std::vector<std::string>& features,
               const std::vector<std::string>& names, const std::vector<SavedAgent>& agents) {
  std::vector<ModelAgent> named;
  for (std::size_t i = 0; i < names.size(); ++i) named.push_back({names[i], agents.at(i).state});
  return make_model(algorithm, agents.at(0).options, features, std::move(named));
}

// As much as a model file holds.
SavedAgent agent_state(const Model& model, std::size_t agent) {
  const AgentState& state = state_at(model, agent);
  if (state.dictionary.cols() == 0) {
    throw DataError("holds single-task models, which have no dictionary", "the model",
                    "train with another algorithm");
  }
  return {model.options, {state.step, state.dictionary, state.records}};
}

std::vector<std::string> agent_names(const Model& model) {
  std::vector<std::string> names;
  names.reserve(model.agents.size());
  for (const ModelAgent& agent : model.agents) names.push_back(agent.name);
  return names;
}

// The groups of agents of several labels in one model.
Model joined(const std::vector<Model>& models) {
  Model model = models.at(0);
  for (std::size_t k = 1; k < models.size(); ++k) {
    model.agents.insert(model.agents.end(), models[k].agents.begin(), models[k].agents.end());
  }
  return model;
}

void save(const Model& model, const std::string& path) {
  without_gil([&] { write_model(path, model); });
}

Model load(const std::string& path) {
  return without_gil([&] { return read_model(path); });
}

using ModelTuple = std::tuple<std::string, std::vector<std::string>, std::string, std::string,
                              std::string, std::vector<std::string>, std::vector<SavedAgent>>;

ModelTuple packed(const Model& model) {
  ModelTuple tuple{model.algorithm,
                   model.features,
                   model.task_column,
                   model.agent_column,
                   model.target_column,
                   agent_names(model),
                   {}};
  for (std::size_t i = 0; i < model.agents.size(); ++i) {
    std::get<6>(tuple).push_back(agent_state(model, i));
  }
  return tuple;
}

Model unpacked(const ModelTuple& tuple) {
  const auto& [algorithm, features, task_column, agent_column, target_column, names, agents] =
      tuple;
  Model model = model_of(algorithm, features, names, agents);
  model.task_column = task_column;
  model.agent_column = agent_column;
  model.target_column = target_column;
  return model;
}

}  // namespace

void bind_model(nb::module_& module) {
  using nb::arg;
  nb::class_<Model>(module, "Model", "What a model file holds.")
      .def(
          "__init__",
          [](Model* model, const std::string& algorithm, const std::vector<std::string>& names,
             const std::vector<SavedAgent>& agents) {
            new (model) Model(model_of(algorithm, {}, names, agents));
          },
          arg("algorithm"), arg("names"), arg("agents"))
      .def_rw("features", &Model::features)
      .def_rw("task_column", &Model::task_column)
      .def_rw("agent_column", &Model::agent_column)
      .def_rw("target_column", &Model::target_column)
      .def_rw("recipe", &Model::recipe, nb::arg().none())
      .def("agents", &agent_names)
      .def("agent_state", &agent_state, arg("agent"))
      .def(
          "dictionary",
          [](const Model& model, std::size_t agent) -> Matrix {
            return state_at(model, agent).dictionary;
          },
          arg("agent"))
      .def(
          "tasks",
          [](const Model& model, std::size_t agent) {
            return task_names(state_at(model, agent).records);
          },
          arg("agent"))
      .def(
          "codes",
          [](const Model& model, std::size_t agent) {
            return codes_of(state_at(model, agent).records);
          },
          arg("agent"))
      .def(
          "thetas",
          [](const Model& model, std::size_t agent) {
            return task_models(model.options, state_at(model, agent));
          },
          arg("agent"), "The model of every task of an agent, in the order of its tasks.")
      .def("save", &save, arg("path"))
      .def_static("load", &load, arg("path"))
      .def_static("joined", &joined, arg("models"))
      .def("__getstate__", [](const Model& model) { return packed(model); })
      .def("__setstate__",
           [](Model& model, const ModelTuple& tuple) { new (&model) Model(unpacked(tuple)); });
  module.def("label_probabilities", &label_probabilities, arg("scores"),
             "Of three labels or more, from the log-odds of each.");
}

}  // namespace colla::python
