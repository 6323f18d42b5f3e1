// SPDX-License-Identifier: Apache-2.0
#include "linalg/dense_system.hpp"
#include "linalg/matrix_free_system.hpp"
#include "random_problems.hpp"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unsupported/Eigen/KroneckerProduct>

#include <cmath>

namespace colla {
namespace {

struct Contribution {
  Vector code;
  std::shared_ptr<const Curvature> gamma;
};

Contribution random_contribution(Random& random, Index d, Index u, CurvatureForm form) {
  const Index rows = 1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(2 * d)));
  const Samples X = testing::random_rows(random, rows, d) / std::sqrt(static_cast<double>(rows));
  const auto factored = Curvature::from_factor(X, 1e-2);
  return {testing::random_code(random, u),
          std::make_shared<Curvature>(form == CurvatureForm::factored
                                          ? factored
                                          : Curvature::from_dense(factored.dense()))};
}

// (weight sum (s s') kron Gamma + shift I)^-1 vec R, straight from the definition
Matrix reference(const std::vector<Contribution>& contributions, double weight, double shift,
                 const Matrix& R) {
  Matrix A = Matrix::Identity(R.size(), R.size()) * shift;
  for (const auto& [code, gamma] : contributions) {
    A += weight * Eigen::kroneckerProduct(Matrix(code * code.transpose()), gamma->dense()).eval();
  }
  const Vector solution = A.llt().solve(R.reshaped());
  return solution.reshaped(R.rows(), R.cols());
}

double difference(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

RC_GTEST_PROP(DictionarySystem, both_paths_solve_the_defining_system, (std::uint64_t seed)) {
  Random random(seed);
  const Index d = *rc::gen::inRange<Index>(1, 9);
  const Index u = *rc::gen::inRange<Index>(1, 6);
  const Index tasks = *rc::gen::inRange<Index>(1, 12);
  const double shift = std::pow(10.0, *rc::gen::inRange(-4, 2));
  DenseSystem dense(d, u);
  MatrixFreeSystem free(d, u);
  std::vector<Contribution> contributions;
  for (Index t = 0; t < tasks; ++t) {
    const auto form = t % 2 == 0 ? CurvatureForm::dense : CurvatureForm::factored;
    contributions.push_back(random_contribution(random, d, u, form));
    dense.add(contributions.back().code, contributions.back().gamma);
    free.add(contributions.back().code, contributions.back().gamma);
  }
  const Matrix R = random.normal_matrix(d, u);
  const double weight = 1.0 / static_cast<double>(tasks);
  const Matrix expected = reference(contributions, weight, shift, R);
  for (DictionarySystem* system :
       {static_cast<DictionarySystem*>(&dense), static_cast<DictionarySystem*>(&free)}) {
    Matrix L = random.normal_matrix(d, u);
    system->prepare(weight, shift);
    const SolveSummary summary = system->solve(R, L);
    RC_ASSERT(summary.converged);
    RC_ASSERT(difference(L, expected) < 1e-8);
  }
}

RC_GTEST_PROP(DictionarySystem, removing_what_was_added_restores_the_solution,
              (std::uint64_t seed)) {
  Random random(seed);
  const Index d = 4;
  const Index u = 3;
  DenseSystem dense(d, u);
  MatrixFreeSystem free(d, u);
  const auto kept = random_contribution(random, d, u, CurvatureForm::factored);
  const auto gone = random_contribution(random, d, u, CurvatureForm::factored);
  const Matrix R = random.normal_matrix(d, u);
  for (DictionarySystem* system :
       {static_cast<DictionarySystem*>(&dense), static_cast<DictionarySystem*>(&free)}) {
    system->add(kept.code, kept.gamma);
    system->add(gone.code, gone.gamma);
    system->remove(gone.code, gone.gamma);
    Matrix L = Matrix::Zero(d, u);
    system->prepare(1.0, 1e-2);
    system->solve(R, L);
    RC_ASSERT(difference(L, reference({kept}, 1.0, 1e-2, R)) < 1e-8);
  }
}

TEST(DenseSystem, a_tiny_shift_does_not_blow_up_what_rounding_leaves_outside_the_codes) {
  const Index d = 3;
  const Index u = 6;
  Random random(5);
  DenseSystem dense(d, u);
  const auto [code, gamma] = random_contribution(random, d, u, CurvatureForm::dense);
  dense.add(code, gamma);
  const Vector alpha = random.normal_matrix(d, 1);
  const Matrix R = gamma->dense() * alpha * code.transpose();  // an agent's own b
  Matrix L = Matrix::Zero(d, u);
  dense.prepare(1.0, 1e-16);
  dense.solve(R, L);
  const Matrix expected = alpha * code.transpose() / code.squaredNorm();
  EXPECT_LT(difference(L, expected), 1e-9);
}

// None, then codes that repeat, vanish, and at last span everything.
TEST(DenseSystem, keeps_the_statistics_whatever_the_codes_span) {
  const Index d = 5;
  const Index u = 4;
  Random random(11);
  DenseSystem dense(d, u);
  Matrix expected = Matrix::Zero(d * u, d * u);
  for (int t = 0; t < 8; ++t) {
    auto [code, gamma] = random_contribution(random, d, u, CurvatureForm::dense);
    if (t == 1) code.setZero();
    if (t == 2) code = Vector::Ones(u);
    if (t == 3) code = -2.0 * Vector::Ones(u);
    dense.add(code, gamma);
    expected += Eigen::kroneckerProduct(Matrix(code * code.transpose()), gamma->dense()).eval();
    const Matrix actual = dense.statistics().selfadjointView<Eigen::Lower>();
    EXPECT_LT(difference(actual, expected), 1e-14) << "task " << t;
  }
  dense.clear();
  EXPECT_TRUE(dense.statistics().isZero(0.0));
}

TEST(DictionarySystem, the_two_paths_agree_at_the_size_of_the_benchmark) {
  const Index d = 60;
  const Index u = 12;
  Random random(3);
  DenseSystem dense(d, u);
  MatrixFreeSystem free(d, u);
  for (int t = 0; t < 20; ++t) {
    const Samples X = testing::random_rows(random, 25, d) / 5.0;
    const auto gamma = std::make_shared<Curvature>(Curvature::from_factor(X, 1e-3));
    const Vector code = testing::random_code(random, u);
    dense.add(code, gamma);
    free.add(code, gamma);
  }
  const Matrix R = random.normal_matrix(d, u);
  Matrix by_dense = Matrix::Zero(d, u);
  Matrix by_free = Matrix::Zero(d, u);
  dense.prepare(1.0 / 20, 1e-3);
  free.prepare(1.0 / 20, 1e-3);
  dense.solve(R, by_dense);
  EXPECT_TRUE(free.solve(R, by_free).converged);
  EXPECT_LT(difference(by_free, by_dense), 1e-8);
}

TEST(DenseSystem, a_shift_lost_in_rounding_still_gives_a_finite_solution) {
  DenseSystem system(2, 1);
  const Matrix huge = (Matrix(2, 2) << 1e20, 1e20, 1e20, 1e20).finished();
  system.add(Vector::Ones(1), std::make_shared<Curvature>(Curvature::from_dense(huge)));
  system.prepare(1.0, 1e-6);
  Matrix L = Matrix::Zero(2, 1);
  system.solve(Matrix::Ones(2, 1), L);
  EXPECT_TRUE(L.allFinite());
}

}  // namespace
}  // namespace colla
