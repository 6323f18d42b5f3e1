// SPDX-License-Identifier: Apache-2.0
// What curves bring, with a ridge regression per task on the prepared rows.
#include "recipe/tasks.hpp"
#include "recipe_tables.hpp"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace colla {
namespace {

using namespace testing;

constexpr Index rows_of_task = 60;
constexpr Index training_rows = 45;

// y = a sin(2 u) + b v^2 + noise, with a and b of the task.
Table bent_tasks(int tasks) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> position(-2.0, 2.0);
  std::normal_distribution<double> normal;
  std::vector<std::string> names;
  std::vector<double> u;
  std::vector<double> v;
  std::vector<double> y;
  for (int task = 0; task < tasks; ++task) {
    const double a = 1.0 + 0.3 * normal(random);
    const double b = 1.0 + 0.3 * normal(random);
    for (Index row = 0; row < rows_of_task; ++row) {
      names.push_back(std::to_string(task));
      u.push_back(position(random));
      v.push_back(position(random));
      y.push_back(a * std::sin(2.0 * u.back()) + b * v.back() * v.back() + 0.1 * normal(random));
    }
  }
  return table_of({words("task", names), numbers("u", u), numbers("v", v), numbers("y", y)});
}

// |y - X theta|^2 of the rows after the first `training_rows`.
double test_error(const Batch& batch) {
  Samples X(batch.X.rows(), batch.X.cols() + 1);
  X << batch.X, Vector::Ones(batch.X.rows());
  const Samples seen = X.topRows(training_rows);
  Matrix gram = seen.transpose() * seen;
  gram.diagonal().array() += 0.1;
  const Vector theta = gram.llt().solve(seen.transpose() * batch.y.head(training_rows));
  const Index rest = X.rows() - training_rows;
  return (batch.y.tail(rest) - X.bottomRows(rest) * theta).squaredNorm();
}

double error_with(const Table& table, Expansion expand) {
  std::vector<std::size_t> training;
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (static_cast<Index>(row) % rows_of_task < training_rows) training.push_back(row);
  }
  const Recipe recipe = learn_recipe(table, training, {.expand = expand});
  const DataSet data = tasks_of(recipe, table, apply(recipe, table, Targets::wanted), 0);
  double squares = 0.0;
  for (const Batch& batch : data.agents[0].batches) squares += test_error(batch);
  return std::sqrt(squares);
}

TEST(Splines, halve_the_error_where_the_world_bends) {
  const Table table = bent_tasks(20);
  EXPECT_LT(error_with(table, Expansion::splines), 0.5 * error_with(table, Expansion::none));
}

}  // namespace
}  // namespace colla
