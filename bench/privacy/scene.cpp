// SPDX-License-Identifier: Apache-2.0
#include "privacy/scene.hpp"

namespace colla::privacy {
namespace {

std::vector<Participant> line_of(const NetworkOptions& options, Index count) {
  const Graph graph = make_graph("line", count, options.agent.seed);
  std::vector<Participant> agents;
  for (Index i = 0; i < count; ++i) agents.emplace_back(options, graph, i, std::nullopt);
  return agents;
}

}  // namespace

Scene::Scene(const NetworkOptions& options, Index agents, bool spy_comes_first)
    : agents_(line_of(options, agents)),
      spy_(spy_comes_first ? 0 : agents - 1),
      victim_(spy_comes_first ? 1 : agents - 2),
      listener_(victim().dictionary(), spy_comes_first, options.rho, victim().shift()) {}

void Scene::begin_step() {
  for (Participant& agent : agents_) agent.begin_step();
}

Answer Scene::first_exchange() {
  const Matrix first = victim().dictionary();
  Answer answer = exchange(&first);
  const auto others = static_cast<double>(victim().edge_states().size() - 1);
  answer.residual += 0.5 * victim().rho() * others * first;
  return answer;
}

Answer Scene::exchange(const Matrix* probe) {
  Answer answer;
  for (Index i = 0; i < std::ssize(agents_); ++i) {
    agents_[index(i)].exchange();
    const bool is_probe = i == spy_ && probe != nullptr;
    const Matrix& message = is_probe ? *probe : agents_[index(i)].dictionary();
    if (i == spy_) listener_.sent(message);
    if (i == victim_) answer = listener_.heard(message);
    deliver(i, message);
  }
  return answer;
}

void Scene::deliver(Index from, const Matrix& dictionary) {
  if (from > 0) agents_[index(from - 1)].receive(from > 1 ? 1 : 0, dictionary);
  if (from + 1 < std::ssize(agents_)) agents_[index(from + 1)].receive(0, dictionary);
}

}  // namespace colla::privacy
