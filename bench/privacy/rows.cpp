// SPDX-License-Identifier: Apache-2.0
#include "privacy/rows.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <utility>

namespace colla::privacy {
namespace {

using WholeMatrix = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic>;
using WholeVector = Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>;

constexpr double negligible = 1e-6;  // beside the largest eigenvalue
constexpr double nearly_whole = 1e-3;

bool is_whole(const Matrix& values) {
  return (values - values.array().round().matrix()).cwiseAbs().maxCoeff() < nearly_whole;
}

// X'X/M
Matrix mean_products(const Statistics& task, double ridge) {
  return task.gamma - ridge * Matrix::Identity(task.gamma.rows(), task.gamma.cols());
}

Index rank_of(const Matrix& symmetric) {
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(symmetric).eigenvalues();
  return (values.array() > negligible * values.maxCoeff()).count();
}

// y with X'y/M = Gamma alpha, which is one vector if the rows are independent.
Vector targets(const Samples& X, const Statistics& task) {
  const Vector products = static_cast<double>(X.rows()) * (task.gamma * task.alpha);
  const Eigen::ColPivHouseholderQR<Matrix> qr(X.transpose());
  return qr.rank() == X.rows() ? Vector(qr.solve(products)) : Vector();
}

// Integer X with X'X given, column after column. The order of rows does not matter: among rows that
// agree in all columns so far, the next column does not fall.
class ColumnSearch {
 public:
  ColumnSearch(WholeMatrix products, Index rows, Index budget)
      : products_(std::move(products)),
        X_(WholeMatrix::Zero(rows, products_.cols())),
        budget_(budget) {
    X_.rightCols(1).setOnes();
  }

  /// Nothing if the budget does not suffice.
  std::vector<Samples> run() {
    next_column(0);
    return budget_ > 0 ? found_ : std::vector<Samples>();
  }

 private:
  Index intercept() const { return X_.cols() - 1; }

  void next_column(Index column) {
    if (column == intercept()) {
      found_.emplace_back(X_.cast<double>());
      return;
    }
    const WholeVector outer = std::exchange(left_, products_.col(column));
    fill(column, 0);
    left_ = outer;
  }

  void fill(Index column, Index row) {
    if (row == X_.rows()) {
      if (is_spent(column)) next_column(column + 1);
      return;
    }
    const auto [low, high] = range(column, row);
    for (std::int64_t value = low; value <= high && --budget_ > 0; ++value) {
      place(column, row, value);
      fill(column, row + 1);
      take_back(column, row, value);
    }
  }

  bool is_spent(Index column) {
    for (Index k = 0; k <= column; ++k) {
      if (left_[k] != 0) return false;
    }
    return left_[intercept()] == 0;
  }

  // Of m numbers with a given sum and sum of squares, each is within sqrt((m - 1) V/m) of their
  // mean, V their squared deviations from it; the last one is the sum.
  std::pair<std::int64_t, std::int64_t> range(Index column, Index row) {
    const auto m = static_cast<double>(X_.rows() - row);
    const double mean = static_cast<double>(left_[intercept()]) / m;
    const double deviations = static_cast<double>(left_[column]) - m * mean * mean;
    if (deviations < -negligible) return {1, 0};
    const double reach = std::sqrt(std::max(0.0, deviations) * (m - 1.0) / m) + negligible;
    auto low = static_cast<std::int64_t>(std::ceil(mean - reach));
    if (row > 0 && agrees_with_row_before(column, row)) low = std::max(low, X_(row - 1, column));
    return {low, static_cast<std::int64_t>(std::floor(mean + reach))};
  }

  bool agrees_with_row_before(Index column, Index row) const {
    return X_.row(row).head(column) == X_.row(row - 1).head(column);
  }

  void place(Index column, Index row, std::int64_t value) {
    X_(row, column) = value;
    for (Index k = 0; k < column; ++k) left_[k] -= value * X_(row, k);
    left_[column] -= value * value;
    left_[intercept()] -= value;
  }

  void take_back(Index column, Index row, std::int64_t value) {
    for (Index k = 0; k < column; ++k) left_[k] += value * X_(row, k);
    left_[column] += value * value;
    left_[intercept()] += value;
  }

  WholeMatrix products_;  // X'X
  WholeMatrix X_;
  // Products of what is not filled yet of the column: with earlier ones, itself, the intercept.
  WholeVector left_;
  std::vector<Samples> found_;
  Index budget_;
};

std::vector<Rows> with_whole_targets(const std::vector<Samples>& found, const Statistics& task) {
  std::vector<Rows> result;
  for (const Samples& X : found) {
    const Vector y = targets(X, task);
    if (y.size() > 0 && !is_whole(y)) continue;
    result.push_back({X, y.array().round()});
  }
  return result;
}

}  // namespace

// Two rows are their mean and, up to its sign, half their difference; a single one has none.
std::optional<Rows> one_or_two_rows(const Statistics& task, double ridge) {
  const Matrix products = mean_products(task, ridge);
  const Index rows = rank_of(products);
  if (rows < 1 || rows > 2) return std::nullopt;
  const Vector mean = products.rightCols(1);
  const Eigen::SelfAdjointEigenSolver<Matrix> spread(products - mean * mean.transpose());
  const Index last = products.rows() - 1;
  const Vector half =
      std::sqrt(std::max(0.0, spread.eigenvalues()[last])) * spread.eigenvectors().col(last);
  Samples X(rows, products.cols());
  X.row(0) = rows == 1 ? mean : Vector(mean + half);
  if (rows == 2) X.row(1) = mean - half;
  return Rows{X, targets(X, task)};
}

std::vector<Rows> whole_rows(const Statistics& task, double ridge, Index most_rows, Index budget) {
  const Matrix mean = mean_products(task, ridge);
  for (Index rows = std::max<Index>(1, rank_of(mean)); rows <= most_rows; ++rows) {
    const Matrix products = static_cast<double>(rows) * mean;
    if (!is_whole(products)) continue;
    const WholeMatrix whole = products.array().round().cast<std::int64_t>();
    return with_whole_targets(ColumnSearch(whole, rows, budget).run(), task);
  }
  return {};
}

}  // namespace colla::privacy
