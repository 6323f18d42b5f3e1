// SPDX-License-Identifier: Apache-2.0
// The oracles through agents that share only what the wire carries.
#include "agent/wire/wire.hpp"
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace colla {
namespace {

ExchangePlan plan_of(const oracle::Json& json) {
  std::string text;
  for (const auto& count : json["iterations"]) {
    text += (text.empty() ? "" : ",") + std::to_string(count.get<int>());
  }
  return parse_exchange_plan(text);
}

class Agents {
 public:
  explicit Agents(const oracle::Json& json) : graph_(oracle::graph(json)) {
    NetworkOptions options;
    options.agent = oracle::agent_options(json);
    options.rho = json["rho"];
    const StepPlan plan = {plan_of(json), 0, !graph_.edges().empty()};
    const Matrix first = oracle::matrix(json["initial_dictionary"]);
    for (Index i = 0; i < graph_.agents(); ++i) {
      agents_.emplace_back(Participant(options, graph_, i, first), graph_, plan);
    }
  }

  // One step, in which some agents learn a task.
  void learn(const oracle::Json& arrivals) {
    std::vector<std::optional<TaskRows>> tasks(agents_.size());
    for (const auto& task : arrivals) {
      tasks[task["agent"].get<std::size_t>()] =
          TaskRows{task["task"], oracle::matrix(task["X"]), oracle::vector(task["y"])};
    }
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      agents_[i].begin_step(tasks[i] ? &*tasks[i] : nullptr);
    }
    while (deliver_all()) {
    }
    for (NetworkedAgent& agent : agents_) {
      ASSERT_TRUE(agent.is_step_over());
      agent.end_step();
    }
  }

  const Participant& operator[](Index i) const {
    return agents_[static_cast<std::size_t>(i)].participant();
  }

 private:
  // Carries each agent's next message to each neighbour, as bytes; false if there was none.
  bool deliver_all() {
    bool moved = false;
    for (Index i = 0; i < graph_.agents(); ++i) {
      NetworkedAgent& to = agents_[static_cast<std::size_t>(i)];
      const auto links = graph_.links(i);
      for (std::size_t n = 0; n < links.size(); ++n) {
        const NetworkedAgent& from = agents_[static_cast<std::size_t>(links[n].neighbour)];
        const auto message = from.sent(to.plan().after(to.received(n)));
        if (message == nullptr) continue;
        to.receive(n, std::make_shared<const Message>(std::get<Message>(decode(encode(*message)))));
        moved = true;
      }
    }
    return moved;
  }

  Graph graph_;
  std::vector<NetworkedAgent> agents_;
};

class NetworkedOracle : public ::testing::TestWithParam<std::string> {};

TEST_P(NetworkedOracle, codes_dictionaries_and_duals_follow_step_by_step) {
  const auto json = oracle::load(GetParam());
  Agents agents(json);
  for (std::size_t t = 0; t < json["steps"].size(); ++t) {
    SCOPED_TRACE("step " + std::to_string(t));
    agents.learn(json["steps"][t]);
    const auto& expect = json["expect"][t];
    for (const auto& task : json["steps"][t]) {
      const TaskRecord& record = agents[task["agent"]].agent().record(task["task"]);
      EXPECT_LT(oracle::distance(record.code, oracle::vector(expect["s"][record.name])), 1e-8);
    }
    for (Index i = 0; i < json["agents"]; ++i) {
      const auto L = oracle::matrix(expect["L"][static_cast<std::size_t>(i)]);
      EXPECT_LT(oracle::distance(agents[i].dictionary(), L), 1e-8);
    }
    for (std::size_t l = 0; l < json["edges"].size(); ++l) {
      const auto& edge_states = agents[json["edges"][l][0]].edge_states();
      const auto side =
          std::find_if(edge_states.begin(), edge_states.end(),
                       [&](const EdgeState& s) { return s.neighbour == json["edges"][l][1]; });
      EXPECT_LT(oracle::distance(side->dual, oracle::matrix(expect["Z"][l])), 1e-8);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Oracles, NetworkedOracle, ::testing::ValuesIn(oracle::networks),
                         [](const auto& instance) { return oracle::test_name(instance.param); });

}  // namespace
}  // namespace colla
