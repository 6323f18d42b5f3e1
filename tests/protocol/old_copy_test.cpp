// SPDX-License-Identifier: Apache-2.0
// An agent restored from a copy of its home must not rewrite what its neighbour has seen.
#include "expectations.hpp"
#include "protocol/memory_home.hpp"

namespace colla {
namespace {

using testing::expect_failure;
using testing::MemoryHome;

constexpr std::uint32_t exchanges = 3;

TaskRows task(std::uint64_t seed) {
  Random random(seed);
  return {"task-" + std::to_string(seed), testing::random_rows(random, 6, 3),
          testing::random_vector(random, 6)};
}

void greet(NetworkedAgent& agent, const NetworkedAgent& neighbour) {
  agent.greet(0, neighbour.received(0), neighbour.received_checksum(0));
}

// The next message, if there is one and it is not beyond the last that is wanted.
bool deliver(const NetworkedAgent& from, NetworkedAgent& to, const Position& last = {99, 0}) {
  const Position next = to.plan().after(to.received(0));
  const auto message = from.sent(next);
  if (message == nullptr || next > last) return false;
  to.receive(0, message);
  return true;
}

void begin_step(MemoryHome& home, NetworkedAgent& agent) {
  const auto rows = home.begin_step(agent.steps() + 1);
  agent.begin_step(rows ? &*rows : nullptr);
}

// Two neighbours, one step old.
struct Pair {
  testing::SimulatedNetwork network = {make_graph("line", 2, 1),
                                       testing::network_options(Problem::regression, 3, 2)};
  std::vector<MemoryHome> homes;
  std::vector<NetworkedAgent> agents;

  Pair() {
    network.options.exchanges = parse_exchange_plan(std::to_string(exchanges));
    for (const Index i : {0, 1}) {
      const auto seed = static_cast<std::uint64_t>(10 * i);
      homes.emplace_back(network, i, std::vector{task(seed + 1), task(seed + 2), task(seed + 3)});
      agents.push_back(homes.back().restart());
    }
    greet_each_other();
    make_step();
  }

  void greet_each_other() {
    greet(agents[0], agents[1]);
    greet(agents[1], agents[0]);
  }

  void exchange_messages() {
    while (deliver(agents[0], agents[1]) || deliver(agents[1], agents[0])) {
    }
  }

  void end_step() {
    exchange_messages();
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(agents[i].is_step_over());
      homes[i].end_step(agents[i]);
      agents[i].end_step();
    }
  }

  void make_step() {
    for (std::size_t i = 0; i < 2; ++i) begin_step(homes[i], agents[i]);
    end_step();
  }

  // Step 2, until the other has received this much of the agent.
  void begin_second_step(std::size_t agent, std::uint32_t received_of_it) {
    for (std::size_t i = 0; i < 2; ++i) begin_step(homes[i], agents[i]);
    const std::size_t other = 1 - agent;
    while (deliver(agents[agent], agents[other], {2, received_of_it}) ||
           deliver(agents[other], agents[agent])) {
    }
    ASSERT_EQ(agents[other].received(0), (Position{2, received_of_it}));
  }
};

class OldCopy : public ::testing::TestWithParam<std::tuple<std::size_t, std::uint32_t>> {
 protected:
  std::size_t old_ = std::get<0>(GetParam());
  std::uint32_t lost_ = std::get<1>(GetParam());  // exchanges of step 2 that the other has seen
};

TEST_P(OldCopy, is_refused_and_begins_no_new_step) {
  Pair pair;
  MemoryHome copy = pair.homes[old_];
  pair.begin_second_step(old_, lost_);
  pair.agents[old_] = copy.restart();
  expect_failure<NetworkError>([&] { greet(pair.agents[old_], pair.agents[1 - old_]); },
                               {"whose store ends at step 1", "older copy"});
  EXPECT_FALSE(pair.agents[old_].has_met_neighbours());
  EXPECT_EQ(pair.agents[old_].awaited(), std::vector<std::size_t>{0});
}

TEST_P(OldCopy, is_refused_when_it_has_begun_the_step_again) {
  if (lost_ == 0) return;  // nothing of what the step computed was seen
  Pair pair;
  MemoryHome copy = pair.homes[old_];
  pair.begin_second_step(old_, lost_);
  copy.learn({task(1), task(77)});
  pair.agents[old_] = copy.restart();
  begin_step(copy, pair.agents[old_]);
  expect_failure<NetworkError>([&] { greet(pair.agents[old_], pair.agents[1 - old_]); },
                               {"it has received", "older copy"});
}

TEST_P(OldCopy, is_told_from_an_agent_that_crashed_in_the_step) {
  Pair pair;
  pair.begin_second_step(old_, lost_);
  pair.agents[old_] = pair.homes[old_].restart();
  begin_step(pair.homes[old_], pair.agents[old_]);
  pair.greet_each_other();
  pair.end_step();
  pair.make_step();
  EXPECT_EQ(pair.agents[0].disagreements() + pair.agents[1].disagreements(), 0U);
}

// As on another type of processor.
TEST_P(OldCopy, is_told_from_an_agent_that_recomputes_a_step_with_other_digits) {
  Pair pair;
  pair.begin_second_step(old_, lost_);
  TaskRows other = *pair.homes[old_].begin_step(2);
  other.y[0] += 1e-14;
  pair.agents[old_] = pair.homes[old_].restart();
  pair.agents[old_].begin_step(&other);
  pair.greet_each_other();
  pair.end_step();
  pair.make_step();
  EXPECT_EQ(pair.agents[old_].disagreements(), lost_ > 0 ? 1U : 0U);
  EXPECT_EQ(pair.agents[1 - old_].disagreements(), lost_ == exchanges ? 1U : 0U);
}

// In the same crash the middle agent forgets what it had received from the old one. The third still
// knows the result.
TEST_P(OldCopy, is_noticed_by_what_others_know_if_its_neighbour_crashed_too) {
  Pair pair;
  pair.begin_second_step(old_, lost_);
  const Position received = pair.agents[1 - old_].received(0);
  const std::uint32_t sum = pair.agents[1 - old_].received_checksum(0);
  MemoryHome changed = pair.homes[old_];
  NetworkedAgent agent = changed.restart();
  const TaskRows other = task(77);
  agent.begin_step(&other);
  agent.greet(0, received, sum);
  while (deliver(pair.agents[1 - old_], agent)) {
  }
  agent.greet(0, received, sum);
  EXPECT_EQ(agent.disagreements(), lost_ > 0 ? 1U : 0U);
}

INSTANTIATE_TEST_SUITE_P(Pairs, OldCopy,
                         ::testing::Combine(::testing::Values(0U, 1U),
                                            ::testing::Range(0U, exchanges + 1)));

TEST(NetworkedAgent, the_same_step_begun_again_is_the_same_history) {
  Pair pair;
  MemoryHome copy = pair.homes[0];
  pair.begin_second_step(0, 1);
  pair.agents[0] = copy.restart();
  begin_step(copy, pair.agents[0]);
  pair.greet_each_other();
  pair.end_step();
  pair.make_step();
  EXPECT_EQ(pair.agents[0].disagreements() + pair.agents[1].disagreements(), 0U);
}

TEST(NetworkedAgent, an_agent_whose_message_differs_from_what_it_sent_is_refused) {
  Pair pair;
  pair.begin_second_step(0, 2);
  const NetworkedAgent& other = pair.agents[1];
  expect_failure<NetworkError>(
      [&] { pair.agents[0].greet(0, other.received(0), other.received_checksum(0) + 1); },
      {"it has received a step 2, exchange 2 that this agent did not send", "older copy"});
}

}  // namespace
}  // namespace colla
