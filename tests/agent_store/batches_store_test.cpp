// SPDX-License-Identifier: Apache-2.0
// The store of an agent that lives: what it has told of its tasks stays what it was.
#include "agent_store/living_agents.hpp"

namespace colla {
namespace {

using namespace testing;

LivingIdentity telling_identity(Index batch) {
  LivingIdentity identity{"net", "alone", lone_identity_with_prior().options};
  identity.options.agent.prior->agents = 2;
  identity.options.agent.prior->correlated = 0;
  identity.options.agent.prior->release_batch = batch;
  identity.options.refresh = 1;
  return identity;
}

// With a neighbour, which it may tell.
struct TellingAgent : testing::LivingHome {
  TellingAgent(const std::string& home, const LivingIdentity& identity)
      : LivingHome(home, identity, {{"other", 1.0}}) {}

  void learn(const TaskRows& task) { LivingHome::learn({task}); }
};

void expect_same_releases(const std::vector<ReleasedBatch>& found,
                          const std::vector<ReleasedBatch>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].number, expected[k].number);
    EXPECT_EQ(found[k].tasks, expected[k].tasks);
    EXPECT_EQ(found[k].renewed, expected[k].renewed);
    EXPECT_EQ(found[k].sums, expected[k].sums);
    EXPECT_EQ(found[k].priors, expected[k].priors);
  }
}

TEST(BatchesStore, what_was_told_is_the_same_after_a_restart) {
  for (const Index batch : {1, 3}) {
    const TemporaryDirectory home;
    const LivingIdentity identity = telling_identity(batch);
    Random random(5);
    std::vector<ReleasedBatch> before;
    for (int k = 0; k < 12; ++k) {
      TellingAgent agent(home.file(""), identity);
      expect_same_releases(agent.agent.state().releases, before);
      if (k == 7 || k == 10) {
        agent.forget("task " + std::to_string(k - 6));
      } else {
        agent.learn(random_task(random, "task " + std::to_string(k == 5 ? 0 : k)));
      }
      before = agent.agent.state().releases;
    }
    EXPECT_GT(before.size(), 0U);
  }
}

TEST(BatchesStore, batches_of_another_size_are_refused) {
  const TemporaryDirectory home;
  { const LivingStore store(home.file(""), telling_identity(1)); }
  expect_failure<StoreError>([&] { LivingStore(home.file(""), telling_identity(3)); },
                             {"state of another agent or network", "batches of"});
}

}  // namespace
}  // namespace colla
