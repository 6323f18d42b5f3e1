// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include <colla/lifelong_agent.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace colla {
namespace {

// |alpha - L s|^2_Gamma + mu |s|_1
double objective(const MatrixView& L, const MatrixView& gamma, const VectorView& alpha, double mu,
                 const VectorView& s) {
  const Vector rest = alpha - L * s;
  return rest.dot(gamma * rest) + mu * s.lpNorm<1>();
}

// Largest violation of the optimality conditions of |alpha - L s|^2_Gamma + mu |s|_1.
double violation(const MatrixView& L, const MatrixView& gamma, const VectorView& alpha, double mu,
                 const VectorView& s) {
  const Vector gradient = -2.0 * L.transpose() * (gamma * (alpha - L * s));
  double largest = 0.0;
  for (Index j = 0; j < s.size(); ++j) {
    const double of_atom =
        s[j] != 0.0 ? std::abs(gradient[j] + std::copysign(mu, s[j])) : std::abs(gradient[j]) - mu;
    largest = std::max(largest, of_atom);
  }
  return largest;
}

TEST(SparseCodingOracle, every_problem_is_solved_to_optimality) {
  const auto problems = oracle::load("lasso");
  for (std::size_t k = 0; k < problems.size(); ++k) {
    SCOPED_TRACE(k);
    const auto& p = problems[k];
    const Matrix L = oracle::matrix(p["L"]);
    const Matrix gamma = oracle::matrix(p["gamma"]);
    const Vector alpha = oracle::vector(p["alpha"]);
    const Vector expected = oracle::vector(p["s"]);
    const double expected_objective = p["objective"];
    const double mu = p["mu"];
    const Vector c = L.transpose() * gamma * alpha;

    Vector s = Vector::Zero(L.cols());
    SparseCoder coder(L.cols());
    const auto summary = coder.solve(L.transpose() * gamma * L, c, mu, s);

    EXPECT_TRUE(summary.converged) << summary.kkt_residual;
    EXPECT_LT(violation(L, gamma, alpha, mu, s), 1e-10 * std::max(mu, c.cwiseAbs().maxCoeff()));
    EXPECT_LT(violation(L, gamma, alpha, mu, expected), 1e-8);
    EXPECT_NEAR(objective(L, gamma, alpha, mu, s), expected_objective, 1e-8 * expected_objective);
    const bool atoms_are_collinear = k % 4 == 3;
    if (!atoms_are_collinear) {
      EXPECT_LT((s - expected).cwiseAbs().maxCoeff(), 1e-8 * expected.cwiseAbs().maxCoeff());
    }
  }
}

class EllaOracle : public ::testing::TestWithParam<Solver> {};

TEST_P(EllaOracle, codes_and_dictionaries_follow_step_by_step) {
  const auto json = oracle::load("ella-regression");
  AgentOptions options;
  options.features = json["d"];
  options.atoms = json["u"];
  options.lambda = json["lambda"];
  options.mu = json["mu"];
  options.gamma = json["gamma"];
  options.solver = GetParam();
  LifelongAgent agent(options, oracle::matrix(json["initial_dictionary"]));
  for (std::size_t t = 0; t < json["steps"].size(); ++t) {
    SCOPED_TRACE(t);
    const auto& task = json["steps"][t][0];
    const std::string name = task["task"];
    agent.learn(name, oracle::matrix(task["X"]), oracle::vector(task["y"]));
    const auto& expect = json["expect"][t];
    EXPECT_LT(oracle::distance(agent.record(name).code, oracle::vector(expect["s"][name])), 1e-8);
    EXPECT_LT(oracle::distance(agent.dictionary(), oracle::matrix(expect["L"][0])), 1e-8);
  }
  EXPECT_LT(oracle::distance(agent.dictionary(), oracle::matrix(json["consensus_optimum"])), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(BothPaths, EllaOracle,
                         ::testing::Values(Solver::dense, Solver::matrix_free));

}  // namespace
}  // namespace colla
