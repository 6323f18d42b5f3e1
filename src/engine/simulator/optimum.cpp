// SPDX-License-Identifier: Apache-2.0
#include "engine/simulator/optimum.hpp"

#include <Eigen/Cholesky>

#include <algorithm>

namespace colla {
namespace {

// sum <- sum + weight (s s' kron Gamma)
void add_product(const Vector& s, const Matrix& gamma, double weight, Matrix& sum) {
  const Index d = gamma.rows();
  for (Index b = 0; b < s.size(); ++b) {
    for (Index a = 0; a < s.size(); ++a) {
      const double factor = weight * s[a] * s[b];
      if (factor != 0.0) sum.block(a * d, b * d, d, d) += factor * gamma;
    }
  }
}

Matrix mean_contribution(const SimulatedNetwork& network) {
  const auto [rows, columns] = exchanged_size(network.options().agent);
  Matrix mean = Matrix::Zero(rows, columns);
  double tasks = 0.0;
  for (const Index i : network.members()) {
    for (const TaskRecord& record : network.agent(i).learner().records()) {
      mean += record.contribution.leftCols(columns);
      ++tasks;
    }
  }
  if (tasks == 0.0) return mean;
  mean /= tasks;
  mean.row(0).setConstant(tasks / (tasks + static_cast<double>(network.members().size())));
  return mean;
}

}  // namespace

Matrix best_dictionary(const AgentOptions& options,
                       std::span<const std::vector<TaskRecord>* const> agents) {
  const Index d = options.features;
  const Index u = options.atoms;
  Matrix A = Matrix::Zero(d * u, d * u);
  Matrix b = Matrix::Zero(d, u);
  for (const std::vector<TaskRecord>* const records : agents) {
    if (!records->empty()) A.diagonal().array() += options.lambda;
    for (const TaskRecord& record : *records) {
      const double weight = 1.0 / static_cast<double>(records->size());
      const Matrix gamma = record.model.gamma->dense();
      add_product(record.code, gamma, weight, A);
      b += weight * gamma * record.model.alpha * record.code.transpose();
    }
  }
  return A.llt().solve(b.reshaped()).reshaped(d, u);
}

Matrix optimum_of(const SimulatedNetwork& network) {
  if (network.options().agent.prior) return mean_contribution(network);
  std::vector<const std::vector<TaskRecord>*> agents;
  for (const Index i : network.members()) agents.push_back(&network.agent(i).learner().records());
  return best_dictionary(network.options().agent, agents);
}

std::vector<double> distances_from(const Matrix& optimum, const SimulatedNetwork& network) {
  std::vector<double> distances;
  for (const Index i : network.members()) {
    const Learner& learner = network.agent(i).learner();
    const Matrix apart = learner.dictionary() - optimum;
    distances.push_back(learner.has_prior() ? learner.prior_agent().relative_size(apart)
                                            : apart.norm() / optimum.norm());
  }
  return distances;
}

double distance_from(const Matrix& optimum, const SimulatedNetwork& network) {
  const std::vector<double> distances = distances_from(optimum, network);
  return *std::max_element(distances.begin(), distances.end());
}

}  // namespace colla
