// SPDX-License-Identifier: Apache-2.0
#include "agent_state.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "prior.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/variant.h>

#include <utility>
#include <variant>

namespace colla::python {
namespace {

// name, rows, alpha, whether Gamma is dense, its matrix or factor, its ridge, code
using RecordTuple = std::tuple<std::string, Index, Vector, bool, Matrix, double, Vector>;
using KnowledgeTuple = std::tuple<std::string, Matrix, Matrix, Matrix>;
using StateTuple = std::tuple<PackedSettings, Matrix, std::uint64_t, std::vector<RecordTuple>,
                              KnowledgeTuple, std::vector<SideTuple>, ShareTuple>;

RecordTuple packed(const TaskRecord& record) {
  const Curvature& gamma = *record.model.gamma;
  const bool is_dense = gamma.form() == CurvatureForm::dense;
  return {record.name,
          record.model.rows,
          record.model.alpha,
          is_dense,
          is_dense ? gamma.dense_matrix() : Matrix(gamma.factor()),
          gamma.ridge(),
          record.code};
}

TaskRecord unpacked(const RecordTuple& tuple) {
  const auto& [name, rows, alpha, is_dense, matrix, ridge, code] = tuple;
  auto gamma = std::make_shared<Curvature>(is_dense ? Curvature::from_dense(matrix)
                                                    : Curvature::from_factor(matrix, ridge));
  return {name, {alpha, std::move(gamma), rows}, code};
}

StateTuple packed(const SavedAgent& agent) {
  const AgentState& state = agent.state;
  const KnowledgeState& knowledge = state.knowledge;
  StateTuple tuple{packed_settings(agent.options, agent_settings()),
                   state.dictionary,
                   state.step,
                   {},
                   {name_of(knowledge.solver), knowledge.B, knowledge.basis, knowledge.sum},
                   packed_sides(state.edge_states),
                   packed_share(state.share)};
  for (const TaskRecord& record : state.records) std::get<3>(tuple).push_back(packed(record));
  return tuple;
}

SavedAgent unpacked(const StateTuple& tuple) {
  const auto& [options, dictionary, step, records, knowledge, edge_states, share] = tuple;
  AgentState state{step, dictionary, {}};
  for (const RecordTuple& record : records) state.records.push_back(unpacked(record));
  const auto& [solver, B, basis, sum] = knowledge;
  state.knowledge = {from_name<Solver>(solver).value(), B, basis, sum};
  state.edge_states = unpacked_sides(edge_states);
  state.share = unpacked_share(share);
  return {unpacked_settings(options, agent_settings()), std::move(state)};
}

}  // namespace

SavedAgent state_of(const Participant& agent) {
  return {agent.has_prior() ? agent.prior_agent().options() : agent.agent().options(),
          agent.state()};
}

Vector model_of(const Participant& agent, const std::string& task) {
  if (!agent.has_prior()) return agent.agent().model(task);
  const PriorAgent& prior = agent.prior_agent();
  return prior.predictor(prior.record(task)).theta();
}

std::vector<SideTuple> packed_sides(const std::vector<EdgeState>& edge_states) {
  std::vector<SideTuple> sides;
  for (const EdgeState& edge : edge_states) {
    sides.emplace_back(edge.neighbour, edge.dictionary, edge.dual, edge.weight,
                       packed_share(edge.share));
  }
  return sides;
}

std::vector<EdgeState> unpacked_sides(const std::vector<SideTuple>& sides) {
  std::vector<EdgeState> edge_states;
  for (const auto& [neighbour, seen, dual, weight, share] : sides) {
    edge_states.push_back({neighbour, seen, dual, weight, unpacked_share(share)});
  }
  return edge_states;
}

std::vector<std::string> task_names(const std::vector<TaskRecord>& records) {
  std::vector<std::string> names;
  names.reserve(records.size());
  for (const TaskRecord& record : records) names.push_back(record.name);
  return names;
}

NamedCodes codes_of(const std::vector<TaskRecord>& records) {
  NamedCodes codes;
  codes.reserve(records.size());
  for (const TaskRecord& record : records) codes.emplace_back(record.name, record.code);
  return codes;
}

void bind_agent_state(nb::module_& module) {
  nb::class_<SavedAgent>(module, "AgentState", "The whole state of an agent.")
      .def_prop_ro("options", [](const SavedAgent& agent) { return NetworkOptions{agent.options}; })
      .def("__getstate__",
           [](const SavedAgent& agent) -> std::variant<StateTuple, PriorTuple> {
             if (agent.options.prior) return packed_prior(agent);
             return packed(agent);
           })
      .def("__setstate__",
           [](SavedAgent& agent, const StateTuple& tuple) {
             new (&agent) SavedAgent(unpacked(tuple));
           })
      .def("__setstate__", [](SavedAgent& agent, const PriorTuple& tuple) {
        new (&agent) SavedAgent(unpacked_prior(tuple));
      });
}

}  // namespace colla::python
