// SPDX-License-Identifier: Apache-2.0
#include "go_mtl/balance.hpp"

#include <colla/go_mtl.hpp>
#include <colla/random.hpp>

#include <Eigen/SVD>

#include <algorithm>

namespace colla {
namespace {

constexpr std::uint64_t start_key = 5;  // keys this use of the seed

Matrix single_task_models(const std::vector<TaskRows>& tasks, const GoMtlOptions& options) {
  Matrix models(tasks.front().X.cols(), static_cast<Index>(tasks.size()));
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    models.col(static_cast<Index>(t)) =
        fit(options.problem, tasks[t].X, tasks[t].y, options.gamma, CurvatureForm::factored).alpha;
  }
  return models;
}

}  // namespace

Matrix go_mtl_start(const std::vector<TaskRows>& tasks, const GoMtlOptions& options) {
  check(options);
  check(tasks, options.problem);
  const Matrix models = single_task_models(tasks, options);
  const Eigen::BDCSVD<Matrix> svd(models, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Index known = std::min(options.atoms, svd.rank());
  Matrix L = svd.matrixU().leftCols(known);
  Matrix S =
      svd.singularValues().head(known).asDiagonal() * svd.matrixV().leftCols(known).transpose();
  balance_scales({options.lambda, options.mu}, L, S);

  const double smallest = known > 0 ? L.colwise().norm().minCoeff() : 1.0;
  Matrix padded = Random(options.seed, {start_key}).normal_matrix(models.rows(), options.atoms);
  padded.colwise().normalize();
  padded *= smallest;
  padded.leftCols(known) = L;
  return padded;
}

}  // namespace colla
