// SPDX-License-Identifier: Apache-2.0
// Networks with tasks for property tests, and their closed-form optimum.
#pragma once

#include "random_problems.hpp"

#include <colla/inprocess_engine.hpp>
#include <colla/learning.hpp>

#include <Eigen/Cholesky>
#include <unsupported/Eigen/KroneckerProduct>

namespace colla::testing {

/// Rows of tasks from one sparse dictionary, kept alive for the arrivals that view them.
struct TaskStream {
  Problem problem = Problem::regression;
  std::vector<std::vector<Samples>> X;  ///< per step and agent
  std::vector<std::vector<Vector>> y;

  TaskStream(std::uint64_t seed, Index agents, Index steps, Index features, Index atoms,
             Problem kind = Problem::regression, Index rows = 12)
      : problem(kind) {
    Random random(seed);
    const Matrix L = random.normal_matrix(features, atoms);
    for (Index t = 0; t < steps; ++t) {
      X.emplace_back();
      y.emplace_back();
      for (Index i = 0; i < agents; ++i) {
        X.back().push_back(random_rows(random, rows, features));
        Vector targets = X.back().back() * (L * random_code(random, atoms));
        targets += 0.3 * random_vector(random, rows);
        if (problem == Problem::classification) {
          for (Index r = 0; r < rows; ++r) targets[r] = targets[r] > 0.0 ? 1.0 : -1.0;
          targets[0] = 1.0;
          targets[1] = -1.0;
        }
        y.back().push_back(targets);
      }
    }
  }

  std::vector<Arrival> arrivals(std::size_t step) const {
    std::vector<Arrival> result;
    for (std::size_t i = 0; i < X[step].size(); ++i) {
      result.push_back(
          {static_cast<Index>(i), "task-" + std::to_string(step), X[step][i], y[step][i]});
    }
    return result;
  }

  std::vector<Arrival> all_arrivals() const {
    std::vector<Arrival> result;
    for (std::size_t t = 0; t < X.size(); ++t) {
      for (Arrival& arrival : arrivals(t)) result.push_back(arrival);
    }
    return result;
  }
};

inline NetworkOptions network_options(Problem problem, Index features, Index atoms) {
  NetworkOptions options;
  options.agent.problem = problem;
  options.agent.features = features;
  options.agent.atoms = atoms;
  options.agent.lambda = 0.05;
  options.rho = 0.5;
  return options;
}

/// vec L* = (sum_i A_i/T_i + N lambda I)^-1 sum_i b_i/T_i, from the records of N agents with tasks.
inline Matrix consensus_optimum(const std::vector<const std::vector<TaskRecord>*>& agents,
                                double lambda, Index d, Index u) {
  Matrix A = Matrix::Identity(d * u, d * u) * static_cast<double>(agents.size()) * lambda;
  Matrix b = Matrix::Zero(d, u);
  for (const std::vector<TaskRecord>* const records : agents) {
    const double weight = 1.0 / static_cast<double>(std::max<std::size_t>(1, records->size()));
    for (const TaskRecord& record : *records) {
      const Matrix gamma = record.model.gamma->dense();
      A += weight *
           Eigen::kroneckerProduct(Matrix(record.code * record.code.transpose()), gamma).eval();
      b += weight * gamma * record.model.alpha * record.code.transpose();
    }
  }
  const Vector solution = A.llt().solve(b.reshaped());
  return solution.reshaped(d, u);
}

inline Matrix consensus_optimum(const Engine& engine) {
  std::vector<const std::vector<TaskRecord>*> agents;
  for (Index i = 0; i < engine.graph().agents(); ++i) {
    agents.push_back(&engine.participant(i).agent().records());
  }
  const Matrix& any = engine.participant(0).dictionary();
  return consensus_optimum(agents, engine.participant(0).agent().options().lambda, any.rows(),
                           any.cols());
}

inline double relative_difference(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

}  // namespace colla::testing
