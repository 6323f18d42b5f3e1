// SPDX-License-Identifier: Apache-2.0
// Agents that crash and lose messages learn what agents in one process learn.
#include "agent/protocol/networked_agent.hpp"

#include "protocol/memory_home.hpp"

#include <rapidcheck/gtest.h>

namespace colla {
namespace {

using testing::MemoryHome;
using testing::Simulation;

RC_GTEST_PROP(NetworkedAgent, crashes_and_cuts_leave_the_bits_of_an_undisturbed_process,
              (std::uint64_t seed)) {
  Random random(seed);
  auto network = testing::random_network(
      random, *rc::gen::element(Problem::regression, Problem::classification),
      *rc::gen::element(Solver::dense, Solver::matrix_free));
  if (*rc::gen::arbitrary<bool>()) network = testing::with_prior(network);
  const auto tasks = testing::random_tasks(random, network);

  std::vector<std::unique_ptr<testing::Home>> homes;
  for (Index i = 0; i < network.graph.agents(); ++i) {
    homes.push_back(std::make_unique<MemoryHome>(network, i, tasks[static_cast<std::size_t>(i)]));
  }
  Simulation simulation(network.graph, network.plan(), std::move(homes), seed);
  simulation.run({*rc::gen::element(0.0, 0.02, 0.1), *rc::gen::element(0.0, 0.02, 0.1)});

  InProcessEngine engine(network.graph, network.options);
  testing::run_undisturbed(engine, network.plan(), simulation.steps(),
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
