// SPDX-License-Identifier: Apache-2.0
#include "random_problems.hpp"

#include <colla/error.hpp>
#include <colla/lifelong_agent.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace colla {
namespace {

using testing::random_rows;
using testing::random_targets;

struct Rows {
  Samples X;
  Vector y;
};

Rows random_task(Random& random, Problem problem, Index features) {
  const Index rows = 2 + static_cast<Index>(random.below(20));
  const Samples X = random_rows(random, rows, features);
  return {X, random_targets(random, problem, rows)};
}

AgentOptions options_for(Problem problem, Solver solver) {
  AgentOptions options;
  options.problem = problem;
  options.features = 5;
  options.atoms = 3;
  options.solver = solver;
  return options;
}

AgentOptions any_options() {
  return options_for(*rc::gen::element(Problem::regression, Problem::classification),
                     *rc::gen::element(Solver::dense, Solver::matrix_free));
}

LifelongAgent experienced(const AgentOptions& options, Random& random, int tasks) {
  LifelongAgent agent(options);
  for (int t = 0; t < tasks; ++t) {
    const Rows rows = random_task(random, options.problem, options.features);
    agent.learn("task-" + std::to_string(t), rows.X, rows.y);
  }
  return agent;
}

double difference(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() / (1e-300 + b.cwiseAbs().maxCoeff());
}

// (A/T + lambda I) vec L = b/T, with A and b summed from the agent's own records.
RC_GTEST_PROP(LifelongAgent, the_dictionary_solves_the_system_of_the_known_tasks,
              (std::uint64_t seed)) {
  Random random(seed);
  const AgentOptions options = any_options();
  const LifelongAgent agent = experienced(options, random, 1 + static_cast<int>(random.below(8)));
  const double tasks = static_cast<double>(agent.records().size());
  const Matrix& L = agent.dictionary();
  Matrix residual = options.lambda * L;
  Matrix b = Matrix::Zero(L.rows(), L.cols());
  for (const TaskRecord& record : agent.records()) {
    const Matrix gamma = record.model.gamma->dense();
    residual += gamma * L * record.code * record.code.transpose() / tasks;
    b += gamma * record.model.alpha * record.code.transpose() / tasks;
  }
  RC_ASSERT((residual - b).cwiseAbs().maxCoeff() < 1e-9 * (1.0 + b.cwiseAbs().maxCoeff()));
}

RC_GTEST_PROP(LifelongAgent, learn_then_forget_restores_a_and_b, (std::uint64_t seed)) {
  Random random(seed);
  const auto problem = *rc::gen::element(Problem::regression, Problem::classification);
  LifelongAgent agent = experienced(options_for(problem, Solver::dense), random, 4);
  const Matrix A = agent.knowledge().a();
  const Matrix b = agent.knowledge().b();
  const Rows rows = random_task(random, problem, 5);
  agent.learn("guest", rows.X, rows.y);
  RC_ASSERT(agent.knowledge().tasks() == 5);
  // The result is exact up to the rounding of the largest intermediate entry.
  const double largest_a = agent.knowledge().a().cwiseAbs().maxCoeff();
  const double largest_b = agent.knowledge().b().cwiseAbs().maxCoeff();
  agent.forget("guest");
  RC_ASSERT(agent.knowledge().tasks() == 4);
  RC_ASSERT(!agent.knows("guest"));
  RC_ASSERT((agent.knowledge().a() - A).cwiseAbs().maxCoeff() < 1e-14 * largest_a);
  RC_ASSERT((agent.knowledge().b() - b).cwiseAbs().maxCoeff() < 1e-14 * largest_b);
}

TEST(LifelongAgent, forgetting_everything_leaves_no_trace_in_a_and_b) {
  Random random(1);
  LifelongAgent agent = experienced(options_for(Problem::regression, Solver::dense), random, 3);
  for (const char* task : {"task-1", "task-0", "task-2"}) agent.forget(task);
  EXPECT_EQ(agent.knowledge().a(), Matrix::Zero(15, 15));
  EXPECT_EQ(agent.knowledge().b(), Matrix::Zero(5, 3));
  EXPECT_TRUE(agent.dictionary().allFinite());
}

TEST(LifelongAgent, forgetting_keeps_the_names_of_the_others_right) {
  Random random(1);
  LifelongAgent agent = experienced(options_for(Problem::regression, Solver::dense), random, 4);
  const Vector third = agent.record("task-3").model.alpha;
  agent.forget("task-1");
  EXPECT_EQ(agent.record("task-3").model.alpha, third);
  EXPECT_THROW(agent.forget("task-1"), DataError);
  agent.forget(agent.records()[0].name);  // a name that is gone with its record
  EXPECT_FALSE(agent.knows("task-0"));
  EXPECT_EQ(agent.record("task-3").model.alpha, third);
  EXPECT_EQ(agent.records().size(), 2U);
}

RC_GTEST_PROP(LifelongAgent, a_revisit_with_the_same_rows_changes_nothing, (std::uint64_t seed)) {
  Random random(seed);
  const AgentOptions options = any_options();
  LifelongAgent agent = experienced(options, random, 3);
  const Rows rows = random_task(random, options.problem, options.features);
  agent.learn("again", rows.X, rows.y);
  const Matrix before = agent.dictionary();
  const Vector code = agent.record("again").code;
  const LearnSummary summary = agent.absorb("again", rows.X, rows.y);
  agent.update();
  RC_ASSERT(summary.revisit);
  RC_ASSERT(summary.unchanged);
  RC_ASSERT(agent.knowledge().tasks() == 4);
  RC_ASSERT(agent.record("again").code == code);
  RC_ASSERT(difference(agent.dictionary(), before) < 1e-9);
}

// A replaced task leaves A and b as if the old rows had never been: the same dictionary as that of
// an agent that is given only the final codes and models.
RC_GTEST_PROP(LifelongAgent, a_revisit_takes_the_old_rows_out, (std::uint64_t seed)) {
  Random random(seed);
  const AgentOptions options = any_options();
  LifelongAgent agent = experienced(options, random, 4);
  const Rows rows = random_task(random, options.problem, options.features);
  const LearnSummary summary = agent.learn("task-2", rows.X, rows.y);
  RC_ASSERT(summary.revisit);
  RC_ASSERT(agent.records().size() == 4U);
  RC_ASSERT(agent.record("task-2").model.alpha ==
            fit(options.problem, rows.X, rows.y, options.gamma, agent.knowledge().preferred_form())
                .alpha);
  AgentState state = agent.state();
  state.knowledge = {};
  LifelongAgent restored(options, state);
  restored.update();
  RC_ASSERT(difference(restored.dictionary(), agent.dictionary()) < 1e-8);
}

TEST(LifelongAgent, appended_regression_rows_count_as_if_they_had_come_at_once) {
  Random random(8);
  for (const Solver solver : {Solver::dense, Solver::matrix_free}) {
    LifelongAgent agent = experienced(options_for(Problem::regression, solver), random, 2);
    const Samples X = random_rows(random, 12, 5);
    const Vector y = testing::random_vector(random, 12);
    agent.learn("grows", X.topRows(4), y.head(4));
    agent.learn("grows", X.bottomRows(8), y.tail(8), Revisit::append);
    const SingleTaskModel all = fit_ridge(X, y, agent.options().gamma);
    EXPECT_LT(difference(agent.record("grows").model.alpha, all.alpha), 1e-10);
    EXPECT_LT(difference(agent.record("grows").model.gamma->dense(), all.gamma->dense()), 1e-10);
    EXPECT_EQ(agent.record("grows").model.rows, 12);
    EXPECT_EQ(agent.knowledge().tasks(), 3);
  }
}

RC_GTEST_PROP(LifelongAgent, encoding_a_task_learns_nothing_and_gives_the_code_of_its_arrival,
              (std::uint64_t seed)) {
  Random random(seed);
  const AgentOptions options = any_options();
  LifelongAgent agent = experienced(options, random, 3);
  const Rows rows = random_task(random, options.problem, options.features);
  const Matrix before = agent.dictionary();
  const Vector code = agent.encode(rows.X, rows.y);
  RC_ASSERT(agent.dictionary() == before);
  RC_ASSERT(agent.records().size() == 3U);
  agent.absorb("new", rows.X, rows.y);
  RC_ASSERT(agent.record("new").code == code);
}

// From the same state: over many steps, any two roundings drift apart as fast as the codes are
// sensitive to the dictionary.
RC_GTEST_PROP(LifelongAgent, the_dense_and_the_matrix_free_path_agree, (std::uint64_t seed)) {
  const auto problem = *rc::gen::element(Problem::regression, Problem::classification);
  Random random(seed);
  LifelongAgent dense = experienced(options_for(problem, Solver::dense), random, 5);
  AgentState state = dense.state();
  state.knowledge = {};
  LifelongAgent free(options_for(problem, Solver::matrix_free), state);
  const Rows rows = random_task(random, problem, 5);
  dense.learn("last", rows.X, rows.y);
  const LearnSummary summary = free.learn("last", rows.X, rows.y);
  RC_ASSERT(summary.solve.converged);
  RC_ASSERT(difference(free.dictionary(), dense.dictionary()) < 1e-8);
}

RC_GTEST_PROP(LifelongAgent, continues_from_its_state_bit_for_bit, (std::uint64_t seed)) {
  Random random(seed);
  const Problem problem = seed % 2 == 0 ? Problem::regression : Problem::classification;
  const AgentOptions options =
      options_for(problem, seed % 3 == 0 ? Solver::matrix_free : Solver::dense);
  LifelongAgent agent = experienced(options, random, 4);
  agent.forget(agent.records()[1].name);  // A and b carry its rounding
  LifelongAgent restored(options, agent.state());
  const Samples X = testing::random_rows(random, 8, options.features);
  const Vector y = testing::random_targets(random, problem, 8);
  agent.learn("next", X, y);
  restored.learn("next", X, y);
  RC_ASSERT(restored.dictionary() == agent.dictionary());
  RC_ASSERT(restored.step() == agent.step());
}

RC_GTEST_PROP(LifelongAgent, task_models_need_no_agent, (std::uint64_t seed)) {
  Random random(seed);
  AgentOptions options = options_for(Problem::regression, Solver::dense);
  options.codes = seed % 2 == 0 ? Codes::fresh : Codes::stored;
  const LifelongAgent agent = experienced(options, random, 3);
  const std::vector<Vector> thetas = task_models(options, agent.state());
  RC_ASSERT(thetas.size() == 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    RC_ASSERT(thetas[k] == agent.model(agent.records()[k].name));
  }
}

TEST(LifelongAgent, dead_atoms_are_redrawn_from_seed_step_and_atom) {
  AgentOptions options = options_for(Problem::regression, Solver::dense);
  options.mu = 1e6;  // no code: every atom dies
  Random random(1);
  LifelongAgent one = experienced(options, random, 1);
  EXPECT_EQ(one.dictionary(), Matrix::Zero(5, 3));
  LifelongAgent other(options, Matrix::Zero(5, 3));
  other.begin_step();
  one.begin_step();  // its second
  EXPECT_NE(one.dictionary(), other.dictionary());
  other.knowledge().set_dictionary(Matrix::Zero(5, 3));
  other.begin_step();
  EXPECT_EQ(one.dictionary(), other.dictionary());
  EXPECT_GT(one.dictionary().colwise().norm().minCoeff(), 1e-3);
}

TEST(LifelongAgent, a_dictionary_without_dead_atoms_keeps_every_atom) {
  Random random(1);
  KnowledgeBase knowledge(random.normal_matrix(4, 3), Solver::dense);
  const Matrix before = knowledge.dictionary();
  EXPECT_EQ(knowledge.redraw_dead_atoms(1, 1), 0);
  EXPECT_EQ(knowledge.dictionary(), before);
}

TEST(LifelongAgent, without_models_it_still_learns_and_predicts_but_says_what_it_cannot_do) {
  AgentOptions options = options_for(Problem::regression, Solver::dense);
  Random first(6);
  Random second(6);
  const LifelongAgent full = experienced(options, first, 5);
  options.remember_models = false;
  LifelongAgent lean = experienced(options, second, 5);
  EXPECT_EQ(lean.dictionary(), full.dictionary());
  EXPECT_EQ(lean.model("task-1"), full.dictionary() * full.record("task-1").code);
  EXPECT_EQ(lean.record("task-1").model.gamma, nullptr);
  EXPECT_THROW(lean.forget("task-1"), DataError);
  EXPECT_THROW(lean.refresh_codes(), DataError);
  EXPECT_THROW(lean.learn("task-1", Samples::Ones(2, 5), Vector::Ones(2)), DataError);
}

TEST(LifelongAgent, a_task_that_cannot_be_learned_leaves_it_as_it_was) {
  Random random(2);
  LifelongAgent agent = experienced(options_for(Problem::classification, Solver::dense), random, 2);
  const Matrix before = agent.dictionary();
  const std::uint64_t step = agent.step();
  EXPECT_THROW(agent.learn("one class", Samples::Ones(3, 5), Vector::Ones(3)), DataError);
  EXPECT_THROW(agent.learn("too narrow", Samples::Ones(3, 4), Vector::Ones(3)), DataError);
  EXPECT_EQ(agent.dictionary(), before);
  EXPECT_EQ(agent.step(), step);
  EXPECT_THROW(agent.model("one class"), DataError);
}

TEST(LifelongAgent, options_out_of_range_are_refused) {
  const AgentOptions good = options_for(Problem::regression, Solver::automatic);
  EXPECT_NO_THROW(check(good));
  AgentOptions bad = good;
  bad.atoms = 0;
  EXPECT_THROW(LifelongAgent{bad}, OptionError);
  bad.atoms = -1;
  EXPECT_THROW(LifelongAgent(bad, Matrix::Zero(5, 3)), OptionError);
  bad = good;
  bad.lambda = 0.0;
  EXPECT_THROW(LifelongAgent{bad}, OptionError);
  bad = good;
  bad.mu = -1.0;
  EXPECT_THROW(LifelongAgent{bad}, OptionError);
  bad = good;
  bad.gamma = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(LifelongAgent{bad}, OptionError);
  EXPECT_THROW(LifelongAgent(good, Matrix::Zero(5, 2)), OptionError);
}

TEST(Solver, small_systems_are_dense_and_large_ones_start_matrix_free) {
  EXPECT_EQ(KnowledgeBase(Matrix::Zero(28, 30), Solver::automatic).solver(), Solver::dense);
  EXPECT_EQ(KnowledgeBase(Matrix::Zero(300, 20), Solver::automatic).solver(), Solver::matrix_free);
  EXPECT_EQ(KnowledgeBase(Matrix::Zero(28, 30), Solver::matrix_free).solver(), Solver::matrix_free);
  EXPECT_EQ(KnowledgeBase(Matrix::Zero(300, 20), Solver::dense).solver(), Solver::dense);
}

TEST(Solver, automatic_turns_to_dense_when_many_tasks_make_that_cheaper) {
  AgentOptions options;
  options.features = 11;
  options.atoms = 200;
  options.mu = 1e6;
  Random random(4);
  LifelongAgent agent(options);
  EXPECT_EQ(agent.knowledge().solver(), Solver::matrix_free);
  const Samples X = random_rows(random, 20, 11);
  const Vector y = testing::random_vector(random, 20);
  for (int t = 0; t < 3000; ++t) agent.absorb(std::to_string(t), X, y);
  agent.update();
  EXPECT_EQ(agent.knowledge().solver(), Solver::dense);
  // As it can be known before the tasks come, with the memory that it takes.
  constexpr Index gamma = 11 * 11;
  EXPECT_EQ(solver_for(Solver::automatic, 11, 200, 1, gamma), Solver::matrix_free);
  EXPECT_EQ(solver_for(Solver::automatic, 11, 200, 3000, 3000 * gamma), Solver::dense);
  EXPECT_GT(knowledge_bytes(Solver::dense, 11, 200),
            10.0 * knowledge_bytes(Solver::matrix_free, 11, 200));
}

}  // namespace
}  // namespace colla
