// SPDX-License-Identifier: Apache-2.0
// Agents that crash and lose messages learn what agents in one process learn.
#include "engine/networked/networked_agent.hpp"

#include "network_simulation.hpp"

#include <colla/error.hpp>

#include <rapidcheck/gtest.h>

namespace colla {
namespace {

using testing::Simulation;

// Keeps everything in memory: one task per step, as long as they last.
class MemoryHome : public testing::Home {
 public:
  MemoryHome(const testing::SimulatedNetwork& network, Index position, std::vector<TaskRows> tasks)
      : network_(network), position_(position), tasks_(std::move(tasks)) {}

  NetworkedAgent restart() override {
    const NetworkOptions& options = network_.options;
    if (step_ == 0) {
      return {Participant(LifelongAgent(options.agent), network_.graph, position_, options.rho),
              network_.plan};
    }
    LifelongAgent agent(options.agent, dictionary_, step_, records_, knowledge_);
    return {Participant(std::move(agent), sides_, position_, options.rho), network_.plan, sent_};
  }

  bool wants_step() const override { return !is_done() || begun_ > step_; }
  bool is_done() const override { return step_ >= tasks_.size(); }

  std::optional<TaskRows> begin_step(std::uint64_t step) override {
    begun_ = step;
    if (step > tasks_.size()) return {};
    return tasks_[step - 1];
  }

  void end_step(const NetworkedAgent& agent) override {
    const Participant& p = agent.participant();
    step_ = p.agent().step();
    dictionary_ = p.dictionary();
    records_ = p.agent().records();
    knowledge_ = p.agent().knowledge().state();
    sides_ = p.sides();
    sent_.clear();
    for (const auto& message : agent.sent()) {
      if (message->position.step == step_) sent_.push_back(message);
    }
  }

 private:
  const testing::SimulatedNetwork& network_;
  Index position_;
  std::vector<TaskRows> tasks_;
  std::uint64_t step_ = 0;
  std::uint64_t begun_ = 0;
  Matrix dictionary_;
  std::vector<TaskRecord> records_;
  KnowledgeState knowledge_;
  std::vector<Side> sides_;
  std::vector<std::shared_ptr<const Message>> sent_;
};

RC_GTEST_PROP(NetworkedAgent, crashes_and_cuts_leave_the_bits_of_an_undisturbed_process,
              (std::uint64_t seed)) {
  Random random(seed);
  const auto network = testing::random_network(
      random, *rc::gen::element(Problem::regression, Problem::classification),
      *rc::gen::element(Solver::dense, Solver::matrix_free));
  const auto tasks = testing::random_tasks(random, network);

  std::vector<std::unique_ptr<testing::Home>> homes;
  for (Index i = 0; i < network.graph.agents(); ++i) {
    homes.push_back(std::make_unique<MemoryHome>(network, i, tasks[static_cast<std::size_t>(i)]));
  }
  Simulation simulation(network.graph, network.plan, std::move(homes), seed);
  simulation.run({*rc::gen::element(0.0, 0.02, 0.1), *rc::gen::element(0.0, 0.02, 0.1)});

  InProcessEngine engine(network.graph, network.options);
  testing::run_undisturbed(engine, network.plan, simulation.steps(),
                           [&](Index i, std::uint64_t step) {
                             const auto& mine = tasks[static_cast<std::size_t>(i)];
                             return step <= mine.size() ? &mine[step - 1] : nullptr;
                           });
  for (Index i = 0; i < network.graph.agents(); ++i) {
    testing::expect_same_participants(simulation.agent(i).participant(), engine.participant(i));
  }
}

}  // namespace
}  // namespace colla
