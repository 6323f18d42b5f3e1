// SPDX-License-Identifier: Apache-2.0
#include <colla/participant.hpp>

#include <utility>

namespace colla {

Participant::Participant(const NetworkOptions& options, const Graph& graph, Index position,
                         const std::optional<Matrix>& dictionary)
    : position_(position),
      rho_(options.rho),
      agent_(dictionary ? LifelongAgent(options.agent, *dictionary)
                        : LifelongAgent(options.agent)) {
  const Matrix& L = agent_.dictionary();
  for (const Link& link : graph.links(position)) {
    edge_states_.push_back({link.neighbour, L, Matrix::Zero(L.rows(), L.cols())});
  }
}

Participant::Participant(const NetworkOptions& options, AgentState state, Index position)
    : position_(position),
      rho_(options.rho),
      edge_states_(std::move(state.edge_states)),
      agent_(options.agent, std::move(state)) {}

AgentState Participant::state() const {
  AgentState state = agent_.state();
  state.edge_states = edge_states_;
  return state;
}

void Participant::begin_step() {
  agent_.begin_step();
  for (EdgeState& edge : edge_states_) {
    redraw_dead_atoms(edge.dictionary, agent_.options().seed, agent_.step());
  }
}

LearnSummary Participant::absorb(const std::string& task, const SamplesView& X, const VectorView& y,
                                 Revisit revisit) {
  const LearnSummary summary = agent_.absorb(task, X, y, revisit);
  if (!summary.unchanged) prepared_ = false;
  return summary;
}

double Participant::shift() const {
  return 0.5 * rho_ * static_cast<double>(edge_states_.size()) + agent_.options().lambda;
}

void Participant::prepare() {
  if (prepared_) return;
  agent_.knowledge().prepare(shift());
  prepared_ = true;
}

void Participant::receive(Index n, const MatrixView& dictionary) {
  EdgeState& edge = edge_states_[static_cast<std::size_t>(n)];
  edge.dictionary = dictionary;
  if (goes_first(position_, edge.neighbour)) edge.dual += rho_ * (agent_.dictionary() - dictionary);
}

void Participant::exchange() {
  prepare();
  if (edge_states_.empty()) {
    agent_.count(agent_.knowledge().update());
    return;
  }
  // coupling = -1/2 sum_l (+-) Z_l + rho/2 sum_j L_j
  thread_local Matrix coupling;  // shared by the agents, so it stays in the cache
  coupling.setZero(dictionary().rows(), dictionary().cols());
  for (const EdgeState& edge : edge_states_) {
    const double half_sign = goes_first(position_, edge.neighbour) ? -0.5 : 0.5;
    coupling += half_sign * edge.dual + 0.5 * rho_ * edge.dictionary;
  }
  agent_.count(agent_.knowledge().update(coupling));
  for (EdgeState& edge : edge_states_) {
    if (goes_first(position_, edge.neighbour)) continue;
    edge.dual += rho_ * (edge.dictionary - agent_.dictionary());
  }
}

void Participant::refresh_codes() {
  agent_.refresh_codes();
  prepared_ = false;
}

}  // namespace colla
