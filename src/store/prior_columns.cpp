// SPDX-License-Identifier: Apache-2.0
#include "store/prior_columns.hpp"

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

constexpr std::size_t fixed_numbers = 3;
constexpr double private_offset = 3.0;

bool is_whole(double value, double least, double most) {
  return value >= least && value <= most && value == std::floor(value);
}

}  // namespace

// agents, correlated (3 more if tasks are private), the variance of y; then x_j^2 of every feature,
// the first mean, the linear features.
std::vector<double> prior_numbers(const PriorOptions& prior, Index d) {
  std::vector<double> numbers = {
      static_cast<double>(prior.agents),
      static_cast<double>(prior.correlated) + (prior.is_private ? private_offset : 0.0),
      prior.target_variance};
  const Vector squares = prior.feature_squares.size() > 0 ? prior.feature_squares : Vector::Ones(d);
  const Vector mean = prior.first_mean.size() > 0 ? prior.first_mean : Vector::Zero(d);
  numbers.insert(numbers.end(), squares.begin(), squares.end());
  numbers.insert(numbers.end(), mean.begin(), mean.end());
  for (const Index feature : prior.linear) numbers.push_back(static_cast<double>(feature));
  return numbers;
}

PriorOptions read_prior(const Database& database, const std::vector<double>& numbers, Index d) {
  const std::size_t means = fixed_numbers + static_cast<std::size_t>(d);
  const std::size_t features = means + static_cast<std::size_t>(d);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  const auto is_negative = [](double value) { return value < 0.0; };
  if (numbers.size() < features || !std::all_of(numbers.begin(), numbers.end(), is_finite) ||
      std::any_of(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(means),
                  is_negative) ||
      !is_whole(numbers[0], 1.0, 1e9) || !is_whole(numbers[1], 0.0, 2.0 + private_offset) ||
      !(numbers[2] > 0.0)) {
    database.fail_as_damaged("the prior");
  }
  PriorOptions prior;
  prior.agents = static_cast<Index>(numbers[0]);
  prior.is_private = numbers[1] >= private_offset;
  prior.correlated = static_cast<Index>(numbers[1] - (prior.is_private ? private_offset : 0.0));
  prior.target_variance = numbers[2];
  prior.feature_squares = Eigen::Map<const Vector>(numbers.data() + fixed_numbers, d);
  prior.first_mean = Eigen::Map<const Vector>(numbers.data() + means, d);
  for (std::size_t k = features; k < numbers.size(); ++k) {
    if (!is_whole(numbers[k], 0.0, static_cast<double>(d - 1))) {
      database.fail_as_damaged("the prior's features");
    }
    prior.linear.push_back(static_cast<Index>(numbers[k]));
  }
  return prior;
}

StatisticsColumns statistics_columns(const TaskStatistics& task) {
  if (!task.has_rows()) {
    return {task.products, {-1, task.target_squares, packed(task.gram)}};
  }
  return {task.y, {task.rows, task.target_squares, {task.X.data(), task.X.data() + task.X.size()}}};
}

std::shared_ptr<const TaskStatistics> read_statistics(const Database& database,
                                                      const Statement& row, int alpha, int gamma,
                                                      Index rows, Index d) {
  auto task = std::make_shared<TaskStatistics>();
  task->rows = rows;
  task->target_squares = row.real(gamma + 1);
  if (!(task->target_squares >= 0.0)) database.fail_as_damaged("y'y");
  if (row.integer(gamma) == -1) {
    task->products = read_vector(row, alpha, d);
    const auto size = static_cast<std::size_t>(d * (d + 1) / 2);
    task->gram = unpacked(row.reals(gamma + 2, size), d);
    return task;
  }
  if (row.integer(gamma) != rows || rows > (std::int64_t{1} << 32) / d) {
    database.fail_as_damaged("rows of a task");
  }
  task->y = read_vector(row, alpha, rows);
  const std::vector<double> X = row.reals(gamma + 2, static_cast<std::size_t>(rows * d));
  task->X = Eigen::Map<const Samples>(X.data(), rows, d);
  return task;
}

}  // namespace colla
