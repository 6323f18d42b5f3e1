// SPDX-License-Identifier: Apache-2.0
#include <colla/task_statistics.hpp>

#include <cassert>
#include <cmath>

namespace colla {
namespace {

bool keeps_rows(Problem problem, Index rows, Index features) {
  return problem != Problem::regression || rows < features;
}

// Adds rows to X'X, X'y and y'y.
void add_rows(TaskStatistics& task, const SamplesView& X, const VectorView& y) {
  task.gram.selfadjointView<Eigen::Lower>().rankUpdate(X.transpose());
  task.gram.triangularView<Eigen::StrictlyUpper>() = task.gram.transpose();
  task.products.noalias() += X.transpose() * y;
}

TaskStatistics with_products(TaskStatistics task, const SamplesView& X, const VectorView& y) {
  task.gram = Matrix::Zero(X.cols(), X.cols());
  task.products = Vector::Zero(X.cols());
  add_rows(task, X, y);
  return task;
}

}  // namespace

TaskStatistics statistics_of(Problem problem, const SamplesView& X, const VectorView& y) {
  TaskStatistics task;
  task.rows = X.rows();
  task.target_squares = y.squaredNorm();
  if (!keeps_rows(problem, X.rows(), X.cols())) return with_products(std::move(task), X, y);
  task.X = X;
  task.y = y;
  return task;
}

TaskStatistics appended(Problem problem, const TaskStatistics& old, const SamplesView& X,
                        const VectorView& y) {
  if (!old.has_rows()) {
    TaskStatistics task = old;
    task.rows += X.rows();
    task.target_squares += y.squaredNorm();
    add_rows(task, X, y);
    return task;
  }
  Samples all(old.X.rows() + X.rows(), X.cols());
  all << old.X, X;
  Vector targets(all.rows());
  targets << old.y, y;
  return statistics_of(problem, all, targets);
}

TaskStatistics sum_of(const TaskStatistics& one, const TaskStatistics& other) {
  assert(!one.has_rows() && !other.has_rows());
  TaskStatistics sum = one;
  sum.rows += other.rows;
  sum.target_squares += other.target_squares;
  sum.gram += other.gram;
  sum.products += other.products;
  sum.gram_noise = std::hypot(one.gram_noise, other.gram_noise);
  sum.products_noise = std::hypot(one.products_noise, other.products_noise);
  return sum;
}

}  // namespace colla
