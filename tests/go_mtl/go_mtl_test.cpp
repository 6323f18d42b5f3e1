// SPDX-License-Identifier: Apache-2.0
#include "go_mtl/balance.hpp"
#include "random_problems.hpp"

#include <colla/error.hpp>
#include <colla/go_mtl.hpp>
#include <colla/prediction.hpp>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace colla {
namespace {

using Tasks = std::vector<TaskRows>;

struct SharedTasks {
  Tasks tasks;
  Matrix thetas;  // d x T
};

// Tasks with theta = L s for one random L and random sparse codes.
SharedTasks shared_tasks(Random& random, Problem problem, Index count, Index rows, Index features,
                         Index atoms, double noise) {
  SharedTasks shared;
  const Matrix L = random.normal_matrix(features, atoms);
  shared.thetas.resize(features, count);
  for (Index t = 0; t < count; ++t) {
    Vector code = testing::random_code(random, atoms);
    code[t % atoms] = 1.0;
    shared.thetas.col(t) = L * code;
    const Samples X = testing::random_rows(random, rows, features);
    Vector y = X * shared.thetas.col(t) + noise * testing::random_vector(random, rows);
    if (problem == Problem::classification) {
      for (double& target : y) target = label(target);
      y[0] = 1.0;
      y[1] = -1.0;
    }
    shared.tasks.push_back({std::to_string(t), X, y});
  }
  return shared;
}

Index small(Index first, Index last) { return *rc::gen::inRange<Index>(first, last + 1); }

Tasks any_tasks(Random& random, Problem problem) {
  const Index features = small(1, 6);
  Tasks tasks;
  for (Index t = small(1, 6); t > 0; --t) {
    const Index rows = small(2, 20);
    const Samples X = testing::random_rows(random, rows, features);
    tasks.push_back({std::to_string(t), X, testing::random_targets(random, problem, rows)});
  }
  return tasks;
}

Problem any_problem() { return *rc::gen::element(Problem::regression, Problem::classification); }

GoMtlOptions options_for(Problem problem, Index atoms, double lambda, double mu) {
  GoMtlOptions options;
  options.problem = problem;
  options.atoms = atoms;
  options.lambda = lambda;
  options.mu = mu;
  return options;
}

// dloss/dmargin of each row: 2 (m - y), or -y / (1 + exp(y m)).
Vector slopes(Problem problem, const Vector& m, const Vector& y) {
  if (problem == Problem::regression) return 2.0 * (m - y);
  return (-y.array() / (1.0 + (y.array() * m.array()).exp())).matrix();
}

double loss(Problem problem, const Vector& m, const Vector& y) {
  if (problem == Problem::regression) return (m - y).squaredNorm();
  double sum = 0.0;
  for (Index i = 0; i < y.size(); ++i) sum += -std::log(probability(y[i] * m[i]));
  return sum;
}

// (1/T) sum_t [ (1/M_t) loss(X_t L s_t, y_t) + mu |s_t|_1 ] + lambda |L|^2
double objective(const Tasks& tasks, const GoMtlOptions& options, const GoMtlResult& result) {
  double sum = 0.0;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const Vector s = result.codes.col(static_cast<Index>(k));
    const double rows = static_cast<double>(tasks[k].y.size());
    const Vector margins = tasks[k].X * (result.dictionary * s);
    sum += loss(options.problem, margins, tasks[k].y) / rows + options.mu * s.lpNorm<1>();
  }
  return sum / static_cast<double>(tasks.size()) + options.lambda * result.dictionary.squaredNorm();
}

// (1/T) sum_t X_t' loss' s_t'/M_t + 2 lambda L
Matrix dictionary_gradient(const Tasks& tasks, const GoMtlOptions& options,
                           const GoMtlResult& result) {
  const double count = static_cast<double>(tasks.size());
  Matrix gradient = 2.0 * options.lambda * result.dictionary;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const Vector s = result.codes.col(static_cast<Index>(k));
    const Vector m = tasks[k].X * (result.dictionary * s);
    const double weight = 1.0 / (count * static_cast<double>(m.size()));
    gradient +=
        weight * tasks[k].X.transpose() * slopes(options.problem, m, tasks[k].y) * s.transpose();
  }
  return gradient;
}

// With g = L'X' loss'/M: g_j = -mu sign(s_j) where s_j is not 0, |g_j| <= mu where it is.
double code_violation(const TaskRows& task, const GoMtlOptions& options, const Matrix& L,
                      const Vector& s) {
  const Vector m = task.X * (L * s);
  const Vector g = L.transpose() * (task.X.transpose() * slopes(options.problem, m, task.y)) /
                   static_cast<double>(m.size());
  double largest = 0.0;
  for (Index j = 0; j < s.size(); ++j) {
    const double pull = s[j] != 0.0 ? g[j] + std::copysign(options.mu, s[j]) : g[j];
    largest = std::max(largest, std::abs(pull) - (s[j] != 0.0 ? 0.0 : options.mu));
  }
  return largest;
}

double largest_relative_rise(const std::vector<double>& objectives) {
  double largest = 0.0;
  for (std::size_t k = 1; k < objectives.size(); ++k) {
    largest = std::max(largest, objectives[k] / objectives[k - 1] - 1.0);
  }
  return largest;
}

RC_GTEST_PROP(GoMtl, the_objective_never_rises, (std::uint64_t seed)) {
  Random random(seed);
  const auto problem = any_problem();
  const Tasks tasks = any_tasks(random, problem);
  const double lambda = *rc::gen::element(1e-6, 1e-3, 1.0);
  const double mu = *rc::gen::element(0.0, 1e-6, 1e-3, 1e-1, 1.0);
  GoMtlOptions options = options_for(problem, small(1, 8), lambda, mu);
  options.solver = *rc::gen::element(Solver::dense, Solver::matrix_free);
  options.most_alternations = 60;
  const GoMtlResult result = fit_go_mtl(tasks, options);
  RC_ASSERT(result.objectives.size() == 1U + 2U * static_cast<std::size_t>(result.alternations));
  RC_ASSERT(largest_relative_rise(result.objectives) <= 1e-12);
  const double expected = objective(tasks, options, result);
  const double rounding = 1e-10 * expected + 1e-14 * result.objectives.front();
  RC_ASSERT(std::abs(result.objectives.back() - expected) <= rounding);
}

RC_GTEST_PROP(GoMtl, it_ends_where_the_true_loss_is_stationary, (std::uint64_t seed)) {
  Random random(seed);
  const Problem problem = any_problem();
  const Tasks tasks = shared_tasks(random, problem, 8, 12, 5, 2, 0.3).tasks;
  GoMtlOptions options = options_for(problem, 3, 1e-2, 1e-2);
  options.tolerance = 1e-15;
  options.most_alternations = 20000;
  const GoMtlResult result = fit_go_mtl(tasks, options);
  RC_ASSERT(result.status == GoMtlStatus::converged);
  RC_ASSERT(dictionary_gradient(tasks, options, result).cwiseAbs().maxCoeff() < 1e-9);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const Vector code = result.codes.col(static_cast<Index>(k));
    RC_ASSERT(code_violation(tasks[k], options, result.dictionary, code) < 1e-4 * options.mu);
  }
}

// ((1/T) sum_t (s_t s_t') kron X_t'X_t/M_t + lambda I) vec L = vec (1/T) sum_t X_t'y_t s_t'/M_t
RC_GTEST_PROP(GoMtl, with_squared_loss_the_dictionary_has_a_closed_form, (std::uint64_t seed)) {
  Random random(seed);
  const Tasks tasks = any_tasks(random, Problem::regression);
  GoMtlOptions options = options_for(Problem::regression, small(1, 4), 1e-2, 1e-2);
  options.most_alternations = small(1, 3);
  options.solver = *rc::gen::element(Solver::dense, Solver::matrix_free);
  const GoMtlResult result = fit_go_mtl(tasks, options);
  const Index d = result.dictionary.rows();
  const double count = static_cast<double>(tasks.size());
  Matrix A = options.lambda * Matrix::Identity(d * options.atoms, d * options.atoms);
  Matrix B = Matrix::Zero(d, options.atoms);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const Vector s = result.codes.col(static_cast<Index>(k));
    const double weight = 1.0 / (count * static_cast<double>(tasks[k].y.size()));
    const Matrix gram = weight * tasks[k].X.transpose() * tasks[k].X;
    for (Index a = 0; a < s.size(); ++a) {
      for (Index b = 0; b < s.size(); ++b) A.block(a * d, b * d, d, d) += s[a] * s[b] * gram;
    }
    B += weight * tasks[k].X.transpose() * tasks[k].y * s.transpose();
  }
  const Vector expected = A.ldlt().solve(B.reshaped());
  RC_ASSERT((result.dictionary.reshaped() - expected).norm() <= 1e-9 * expected.norm());
}

// Separable classes, too: G = (1/T) sum_t X_t' loss' s_t'/M_t + 2 lambda L = 0.
RC_GTEST_PROP(GoMtl, with_logistic_loss_the_dictionary_is_optimal_for_the_codes,
              (std::uint64_t seed)) {
  Random random(seed);
  const Tasks tasks = any_tasks(random, Problem::classification);
  GoMtlOptions options =
      options_for(Problem::classification, small(1, 4), 1e-3, *rc::gen::element(1e-6, 1e-3, 1e-1));
  options.most_alternations = small(1, 3);
  const GoMtlResult result = fit_go_mtl(tasks, options);
  const double scale = 1.0 + result.codes.cwiseAbs().maxCoeff();
  RC_ASSERT(dictionary_gradient(tasks, options, result).cwiseAbs().maxCoeff() < 1e-8 * scale);
}

TEST(GoMtl, it_recovers_tasks_that_share_a_dictionary) {
  Random random(5);
  const SharedTasks shared = shared_tasks(random, Problem::regression, 30, 40, 8, 3, 0.0);
  const GoMtlOptions options = options_for(Problem::regression, 3, 1e-7, 1e-7);
  const GoMtlResult result = fit_go_mtl(shared.tasks, options);
  const Matrix thetas = result.dictionary * result.codes;
  EXPECT_LT((thetas - shared.thetas).norm(), 1e-4 * shared.thetas.norm());
}

class HeldOut : public ::testing::TestWithParam<Problem> {};

TEST_P(HeldOut, rows_are_predicted_better_than_by_each_task_alone) {
  Random random(11);
  const Tasks all = shared_tasks(random, GetParam(), 40, 112, 15, 2, 0.5).tasks;
  Tasks tasks;
  for (const auto& task : all) tasks.push_back({"", task.X.topRows(12), task.y.head(12)});
  const GoMtlResult result = fit_go_mtl(tasks, options_for(GetParam(), 2, 1e-2, 1e-2));
  double ours = 0.0;
  double alone = 0.0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Samples X = all[k].X.bottomRows(100);
    const Vector y = all[k].y.tail(100);
    const Vector code = result.codes.col(static_cast<Index>(k));
    const Vector alpha = fit(GetParam(), tasks[k].X, tasks[k].y, 1e-2).alpha;
    ours += loss(GetParam(), X * (result.dictionary * code), y);
    alone += loss(GetParam(), X * alpha, y);
  }
  EXPECT_LT(ours, 0.7 * alone);
}

INSTANTIATE_TEST_SUITE_P(BothProblems, HeldOut,
                         ::testing::Values(Problem::regression, Problem::classification));

TEST(GoMtl, more_atoms_than_tasks_and_features_and_separable_classes_are_no_trouble) {
  Random random(3);
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    for (const Index count : {1, 2}) {
      const Tasks tasks = shared_tasks(random, problem, count, 4, 3, 2, 0.0).tasks;
      const GoMtlOptions options = options_for(problem, 5, 1e-4, 1e-4);
      const GoMtlResult result = fit_go_mtl(tasks, options);
      EXPECT_EQ(result.status, GoMtlStatus::converged);
      EXPECT_LT(result.objectives.back(), 0.05 * result.objectives.front());
      EXPECT_GT(go_mtl_start(tasks, options).colwise().norm().minCoeff(), 0.0);
      EXPECT_EQ(fit_go_mtl(tasks, options).dictionary, result.dictionary);  // the same bits
    }
  }
}

TEST(GoMtl, a_large_penalty_on_codes_or_zero_targets_leave_nothing) {
  Random random(3);
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    const Tasks tasks = shared_tasks(random, problem, 4, 9, 3, 2, 0.1).tasks;
    const GoMtlResult result = fit_go_mtl(tasks, options_for(problem, 2, 1.0, 1e6));
    EXPECT_EQ(result.status, GoMtlStatus::converged);
    EXPECT_EQ(result.dictionary, Matrix::Zero(3, 2));
    EXPECT_EQ(result.codes, Matrix::Zero(2, 4));
  }
  const TaskRows zero{"zero", Samples::Ones(4, 3), Vector::Zero(4)};
  EXPECT_EQ(fit_go_mtl({zero}, GoMtlOptions()).objectives.back(), 0.0);
}

// 0 lies between the one-sided derivatives of q a^2 + l a + sum_i w_i |a - p_i|.
RC_GTEST_PROP(GoMtl, balancing_finds_the_minimum_among_kinks, (std::uint64_t seed)) {
  Random random(seed);
  std::vector<Kink> kinks;
  for (Index i = small(0, 6); i > 0; --i) {
    kinks.push_back({static_cast<double>(random.below(5)) - 2.0, random.uniform()});
  }
  const double q = 0.01 + random.uniform();
  const double l = random.normal();
  const double a = minimise_kinked(q, l, kinks);
  double left = 2.0 * q * a + l;
  double right = left;
  for (const Kink& kink : kinks) {
    left += a > kink.place ? kink.weight : -kink.weight;
    right += a >= kink.place ? kink.weight : -kink.weight;
  }
  RC_ASSERT(left <= 1e-12 && right >= -1e-12);
}

TEST(GoMtl, what_its_pause_throws_ends_the_fit) {
  Random random(3);
  const SharedTasks shared = shared_tasks(random, Problem::regression, 6, 20, 5, 2, 0.3);
  struct Enough {};
  GoMtlOptions options;
  Index calls = 0;
  options.pause = [&calls] {
    if (++calls == 2) throw Enough();
  };
  EXPECT_THROW(fit_go_mtl(shared.tasks, options), Enough);
  calls = 2;  // it throws no more
  const GoMtlResult fitted = fit_go_mtl(shared.tasks, options);
  EXPECT_EQ(fitted.alternations, calls - 2);
}

TEST(GoMtl, bad_input_is_refused) {
  const GoMtlOptions options;
  const TaskRows good{"good", Samples::Ones(3, 2), Vector::Ones(3)};
  EXPECT_THROW(fit_go_mtl({}, options), DataError);
  EXPECT_THROW(fit_go_mtl({good, {"wide", Samples::Ones(3, 4), good.y}}, options), DataError);
  EXPECT_THROW(fit_go_mtl({good, {"short", good.X, Vector::Ones(2)}}, options), DataError);
  EXPECT_THROW(fit_go_mtl({good}, options, Matrix::Ones(2, 3)), OptionError);
  EXPECT_THROW(check(options_for(Problem::regression, 0, 1.0, 1.0)), OptionError);
  EXPECT_THROW(check(options_for(Problem::regression, 1, 0.0, 1.0)), OptionError);
  EXPECT_THROW(check(options_for(Problem::regression, 1, 1.0, std::nan(""))), OptionError);
}

}  // namespace
}  // namespace colla
