// SPDX-License-Identifier: Apache-2.0
#include "random_problems.hpp"

#include <colla/sparse_coding.hpp>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace colla {
namespace {

// s'G s - 2 c's + mu |s|_1 with G = Z'Z and c = Z'w, so that c lies in the range of G.
struct CodingTask {
  Matrix G;
  Vector c;

  double objective(double mu, const Vector& s) const {
    return s.dot(G * s) - 2.0 * c.dot(s) + mu * s.lpNorm<1>();
  }
};

CodingTask random_problem(Random& random, Index rows, Index atoms) {
  const Matrix Z = random.normal_matrix(rows, atoms);
  return {Z.transpose() * Z, Z.transpose() * testing::random_vector(random, rows)};
}

// The largest violation of: g_j = -mu sign(s_j) where s_j is not 0, |g_j| <= mu where it is.
double violation(const CodingTask& p, double mu, const Vector& s) {
  const Vector g = 2.0 * (p.G * s - p.c);
  double largest = 0.0;
  for (Index j = 0; j < s.size(); ++j) {
    largest = std::max(
        largest, s[j] != 0.0 ? std::abs(g[j] + std::copysign(mu, s[j])) : std::abs(g[j]) - mu);
  }
  return largest;
}

// The largest of the terms whose difference the conditions look at.
double scale_of(const CodingTask& p, double mu, const Vector& s) {
  const double sums = (p.G.cwiseAbs() * s.cwiseAbs()).maxCoeff();
  return std::max(mu, 2.0 * std::max(p.c.cwiseAbs().maxCoeff(), sums));
}

RC_GTEST_PROP(SparseCoding, every_problem_is_solved_to_optimality_from_any_start,
              (std::uint64_t seed)) {
  Random random(seed);
  const Index atoms = *rc::gen::inRange<Index>(1, 30);
  const Index rows = *rc::gen::inRange<Index>(1, 40);  // fewer than atoms: G is singular
  const CodingTask p = random_problem(random, rows, atoms);
  const double mu = std::pow(10.0, *rc::gen::inRange(-8, 2));
  SparseCoder coder(atoms);
  Vector cold = Vector::Zero(atoms);
  Vector warm = testing::random_code(random, atoms);
  for (Vector* s : {&cold, &warm}) {
    const CodeSummary summary = coder.solve(p.G, p.c, mu, *s);
    RC_ASSERT(summary.converged);
    RC_ASSERT(violation(p, mu, *s) < 1e-10 * scale_of(p, mu, *s));
  }
  RC_ASSERT(std::abs(p.objective(mu, cold) - p.objective(mu, warm)) <
            1e-9 * (1.0 + std::abs(p.objective(mu, cold))));
}

RC_GTEST_PROP(SparseCoding, collinear_atoms_are_no_trouble, (std::uint64_t seed)) {
  Random random(seed);
  const Index atoms = 8;
  Matrix Z = random.normal_matrix(10, atoms);
  const double distance = *rc::gen::element(0.0, 1e-12, 1e-8, 1e-6, 1e-4);
  Z.col(3) = -2.0 * Z.col(1) + distance * random.normal_matrix(10, 1);
  Z.col(6) = Z.col(2) + Z.col(4) + distance * random.normal_matrix(10, 1);
  Z.col(7).setZero();
  const CodingTask p{Z.transpose() * Z, Z.transpose() * testing::random_vector(random, 10)};
  for (const double mu : {1e-6, 1e-2, 1.0}) {
    Vector s = Vector::Zero(atoms);
    const CodeSummary summary = SparseCoder(atoms).solve(p.G, p.c, mu, s);
    RC_ASSERT(summary.converged);
    RC_ASSERT(s[7] == 0.0);
    RC_ASSERT(violation(p, mu, s) < 1e-10 * scale_of(p, mu, s));
  }
}

// |g_j| = 2 |c_j| < mu for all j at s = 0.
RC_GTEST_PROP(SparseCoding, the_code_is_zero_for_large_mu, (std::uint64_t seed)) {
  Random random(seed);
  const CodingTask p = random_problem(random, 6, 5);
  Vector s = testing::random_code(random, 5);
  SparseCoder(5).solve(p.G, p.c, 2.0001 * p.c.cwiseAbs().maxCoeff(), s);
  RC_ASSERT(s == Vector::Zero(5));
}

RC_GTEST_PROP(SparseCoding, without_a_penalty_the_code_is_the_least_squares_solution,
              (std::uint64_t seed)) {
  Random random(seed);
  const CodingTask p = random_problem(random, 12, 5);
  Vector s = testing::random_code(random, 5);
  SparseCoder(5).solve(p.G, p.c, 0.0, s);
  RC_ASSERT(s.isApprox(p.G.llt().solve(p.c), 1e-8));
}

TEST(SparseCoding, a_solution_is_left_as_it_is) {
  Random random(3);
  const CodingTask p = random_problem(random, 12, 6);
  SparseCoder coder(6);
  Vector s = Vector::Zero(6);
  coder.solve(p.G, p.c, 0.5, s);
  Vector again = s;
  const CodeSummary summary = coder.solve(p.G, p.c, 0.5, again);
  EXPECT_LE(summary.steps, 3);
  EXPECT_TRUE(again.isApprox(s, 1e-13));
}

TEST(SparseCoding, nothing_to_explain_gives_zero) {
  Vector s = Vector::Ones(3);
  EXPECT_TRUE(SparseCoder(3).solve(Matrix::Identity(3, 3), Vector::Zero(3), 0.0, s).converged);
  EXPECT_EQ(s, Vector::Zero(3));
}

}  // namespace
}  // namespace colla
