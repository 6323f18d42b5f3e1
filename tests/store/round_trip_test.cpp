// SPDX-License-Identifier: Apache-2.0
// A model that was written reads back the same, bit for bit.
#include "expectations.hpp"
#include "store/models.hpp"

#include <rapidcheck/gtest.h>

#include <limits>

namespace colla {
namespace {

using testing::expect_same;
using testing::ModelShape;
using testing::random_model;
using testing::TemporaryDirectory;

void expect_round_trip(const Model& model) {
  const TemporaryDirectory folder;
  write_model(folder.file("m.colla"), model);
  expect_same(read_model(folder.file("m.colla")), model);
}

TEST(ModelRoundTrip, dense_and_factored_curvatures_are_kept_in_their_form) {
  expect_round_trip(random_model({.form = CurvatureForm::dense}));
  expect_round_trip(random_model({.form = CurvatureForm::factored}));
}

TEST(ModelRoundTrip, a_factor_of_more_rows_than_features_is_kept) {
  expect_round_trip(random_model({.form = CurvatureForm::factored, .features = 3, .rows = 9}));
}

TEST(ModelRoundTrip, classification_is_kept) {
  expect_round_trip(random_model({.problem = Problem::classification, .rows = 6}));
}

TEST(ModelRoundTrip, single_task_models_have_no_atoms) {
  expect_round_trip(random_model({.atoms = 0}));
}

TEST(ModelRoundTrip, several_agents_may_have_tasks_of_the_same_name) {
  expect_round_trip(random_model({.agents = {"north", "south", "east"}}));
}

TEST(ModelRoundTrip, an_agent_without_tasks_is_kept) {
  expect_round_trip(random_model({.tasks = {}}));
}

TEST(ModelRoundTrip, names_are_any_text) {
  const std::vector<std::string> odd = {"",
                                        "it's \"quoted\"",
                                        "two\nlines\r\n",
                                        "日本語 🦉",
                                        " sp ",
                                        "'); DROP TABLE tasks; --",
                                        "\\",
                                        "%s,%n"};
  Model model = random_model({.features = 8, .agents = odd, .tasks = odd});
  model.features = odd;
  model.task_column = odd[1];
  model.agent_column = odd[2];
  model.target_column = odd[3];
  expect_round_trip(model);
}

TEST(ModelRoundTrip, every_finite_number_is_kept_to_the_bit) {
  Model model = random_model();
  model.agents[0].state.dictionary.row(0) << -0.0, std::numeric_limits<double>::denorm_min(),
      std::numeric_limits<double>::max();
  model.agents[0].state.records[0].code << -0.0, 0.1, -std::numeric_limits<double>::min();
  model.options.lambda = std::numeric_limits<double>::denorm_min();
  model.options.mu = 0.0;
  expect_round_trip(model);
}

TEST(ModelRoundTrip, options_are_kept) {
  Model model = random_model();
  model.options.codes = Codes::stored;
  model.options.seed = std::numeric_limits<std::uint64_t>::max();
  model.agents[0].state.step = std::numeric_limits<std::uint64_t>::max();
  expect_round_trip(model);
}

TEST(ModelRoundTrip, file_names_that_mean_something_to_sqlite_are_names) {
  const TemporaryDirectory folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.file(""));
  const Model model = random_model();
  for (const char* name : {":memory:", "file:m", "a?mode=ro", "50%#1", "file:m?mode=memory"}) {
    write_model(name, model);
    EXPECT_TRUE(std::filesystem::is_regular_file(name)) << name;
    expect_same(read_model(name), model);
  }
  std::filesystem::current_path(before);
}

TEST(ModelRoundTrip, a_restored_agent_predicts_as_the_one_that_was_stored) {
  Random random(3);
  AgentOptions options;
  options.features = 4;
  options.atoms = 2;
  LifelongAgent agent(options);
  for (const char* task : {"a", "b", "c"}) {
    agent.learn(task, testing::random_rows(random, 6, 4), testing::random_vector(random, 6));
  }
  Model model = make_model("ella", options, {"p", "q", "r", "s"}, {{"agent-0", agent.state()}});
  for (const Codes codes : {Codes::fresh, Codes::stored}) {
    model.options.codes = codes;
    const TemporaryDirectory folder;
    write_model(folder.file("m"), model);
    const Model read = read_model(folder.file("m"));
    const std::vector<Vector> thetas = task_models(read.options, read.agents[0].state);
    const LifelongAgent original(model.options, agent.state());
    for (std::size_t k = 0; k < thetas.size(); ++k) {
      EXPECT_EQ(thetas[k], original.model(agent.records()[k].name));
    }
  }
}

TEST(ModelRoundTrip, task_models_of_single_task_learning_are_alpha) {
  const Model model = random_model({.atoms = 0});
  const AgentState& state = model.agents[0].state;
  const std::vector<Vector> thetas = task_models(model.options, state);
  ASSERT_EQ(thetas.size(), 2U);
  EXPECT_EQ(thetas[0], state.records[0].model.alpha);
  EXPECT_EQ(thetas[1], state.records[1].model.alpha);
}

RC_GTEST_PROP(ModelRoundTrip, models_of_any_shape_are_kept, ()) {
  ModelShape shape;
  shape.form = *rc::gen::element(CurvatureForm::dense, CurvatureForm::factored);
  shape.features = *rc::gen::inRange<Index>(1, 12);
  shape.atoms = *rc::gen::inRange<Index>(0, 6);
  shape.rows = *rc::gen::inRange<Index>(1, 15);
  shape.agents = *rc::gen::arbitrary<std::vector<std::string>>();
  shape.tasks = *rc::gen::arbitrary<std::vector<std::string>>();
  expect_round_trip(random_model(shape, *rc::gen::arbitrary<std::uint64_t>()));
  RC_ASSERT(!::testing::Test::HasFailure());
}

}  // namespace
}  // namespace colla
