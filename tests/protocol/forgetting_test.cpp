// SPDX-License-Identifier: Apache-2.0
// Agents forget tasks, crash and come back: the bits are those of agents in one process that forget
// in the same steps.
#include "memory_home.hpp"

#include <colla/error.hpp>

namespace colla {
namespace {

using testing::MemoryHome;
using testing::SimulatedNetwork;

// Learns, revisits and forgets: some requests are to forget a task that the agent never had.
std::vector<std::vector<TaskRows>> random_requests(Random& random,
                                                   const SimulatedNetwork& network) {
  auto all = testing::random_tasks(random, network);
  for (auto& tasks : all) {
    const std::size_t learned = tasks.size();
    for (std::size_t k = 0; k < learned; ++k) {
      const auto place = static_cast<std::ptrdiff_t>(random.below(tasks.size() + 1));
      tasks.insert(tasks.begin() + place,
                   TaskRows{"task-" + std::to_string(random.below(4)), Samples(0, 3), Vector(0)});
    }
  }
  return all;
}

std::size_t slot(const Graph& graph, Index of, Index neighbour) {
  const auto links = graph.links(of);
  std::size_t n = 0;
  while (links[n].neighbour != neighbour) ++n;
  return n;
}

void take_up(Participant& participant, const TaskRows& task) {
  if (task.X.rows() > 0) {
    participant.absorb(task.task, task.X, task.y, task.revisit);
  } else if (participant.agent().knows(task.task)) {
    participant.forget(task.task);
  }
}

// The paper's order: agent by agent, each with its neighbours' newest dictionaries.
void exchange_in_turn(std::vector<Participant>& participants, const Graph& graph) {
  for (Index i = 0; i < graph.agents(); ++i) {
    participants[static_cast<std::size_t>(i)].exchange();
    const Matrix& L = participants[static_cast<std::size_t>(i)].dictionary();
    for (const Link& link : graph.links(i)) {
      participants[static_cast<std::size_t>(link.neighbour)].receive(
          static_cast<Index>(slot(graph, link.neighbour, i)), L);
    }
  }
}

std::vector<Participant> in_one_process(const SimulatedNetwork& network,
                                        const std::vector<std::vector<TaskRows>>& requests,
                                        std::uint64_t steps) {
  std::vector<Participant> participants;
  for (Index i = 0; i < network.graph.agents(); ++i) {
    participants.emplace_back(network.options, network.graph, i);
  }
  for (std::uint64_t step = 1; step <= steps; ++step) {
    for (std::size_t i = 0; i < participants.size(); ++i) {
      participants[i].begin_step();
      if (step <= requests[i].size()) take_up(participants[i], requests[i][step - 1]);
    }
    const StepRounds rounds = network.plan().rounds(step);
    for (Index k = 1; k <= rounds.all(); ++k) {
      for (Participant& each : participants) {
        if (rounds.refreshes_before(k)) each.refresh_codes();
      }
      exchange_in_turn(participants, network.graph);
    }
  }
  return participants;
}

void expect_the_same_bits(std::uint64_t seed, const testing::Failures& failures) {
  SCOPED_TRACE(seed);
  Random random(seed);
  const auto network =
      testing::random_network(random, seed % 2 == 0 ? Problem::regression : Problem::classification,
                              seed % 3 == 0 ? Solver::matrix_free : Solver::dense);
  const auto requests = random_requests(random, network);
  std::vector<std::unique_ptr<testing::Home>> homes;
  for (Index i = 0; i < network.graph.agents(); ++i) {
    homes.push_back(
        std::make_unique<MemoryHome>(network, i, requests[static_cast<std::size_t>(i)]));
  }
  testing::Simulation simulation(network.graph, network.plan(), std::move(homes), seed);
  simulation.run(failures);
  const auto expected = in_one_process(network, requests, simulation.steps());
  for (Index i = 0; i < network.graph.agents(); ++i) {
    testing::expect_same_participants(simulation.agent(i).participant(),
                                      expected[static_cast<std::size_t>(i)]);
  }
}

TEST(Forgetting, gives_the_bits_of_one_process_in_peace_and_after_crashes) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    expect_the_same_bits(seed, seed % 3 == 0 ? testing::Failures{} : testing::Failures{0.05, 0.02});
  }
}

TEST(Forgetting, leaves_the_dictionary_to_the_next_exchange) {
  Random random(4);
  Participant participant(testing::network_options(Problem::regression, 3, 2),
                          make_graph("line", 2, 1), 0);
  participant.begin_step();
  for (const char* name : {"a", "b"}) {
    participant.absorb(name, testing::random_rows(random, 5, 3),
                       testing::random_targets(random, Problem::regression, 5));
  }
  participant.exchange();
  const Matrix before = participant.dictionary();
  participant.forget("a");
  EXPECT_FALSE(participant.agent().knows("a"));
  EXPECT_EQ(participant.dictionary(), before);
  participant.exchange();
  EXPECT_NE(participant.dictionary(), before);
  EXPECT_THROW(participant.forget("a"), DataError);
}

}  // namespace
}  // namespace colla
