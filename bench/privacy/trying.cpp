// SPDX-License-Identifier: Apache-2.0
#include "privacy/trying.hpp"

#include <colla/posterior.hpp>

#include <cmath>
#include <functional>

namespace colla::privacy {
namespace {

constexpr double first_variance = 0.5;  // of a coefficient and of the noise, before the first task
constexpr double nearly_same = 1e-9;

using Visit = std::function<void(const std::vector<Index>&)>;

void for_all_sets(Index rows, Index kinds, std::vector<Index>& chosen, const Visit& visit) {
  if (std::ssize(chosen) == rows) return visit(chosen);
  for (Index kind = chosen.empty() ? 0 : chosen.back(); kind < kinds; ++kind) {
    chosen.push_back(kind);
    for_all_sets(rows, kinds, chosen, visit);
    chosen.pop_back();
  }
}

Vector known_shares_of(const Samples& X) {
  const Index d = X.cols();
  const Prior first = {Vector::Zero(d), Vector::Constant(d, std::sqrt(first_variance)),
                       first_variance};
  const TaskStatistics task = statistics_of(Problem::regression, X, Vector::Zero(X.rows()));
  return 1.0 - Posterior(Problem::regression, task, first).variances().array() / first_variance;
}

}  // namespace

Samples rows_of_bits(const std::vector<Index>& numbers, Index features) {
  Samples X = Samples::Ones(std::ssize(numbers), features);
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index j = 0; j + 1 < features; ++j) {
      X(i, j) = static_cast<double>(numbers[static_cast<std::size_t>(i)] >> j & 1);
    }
  }
  return X;
}

std::vector<Samples> rows_by_trying(const Vector& known_shares, Index rows) {
  const Index d = known_shares.size();
  std::vector<Samples> fitting;
  std::vector<Index> chosen;
  for_all_sets(rows, Index{1} << (d - 1), chosen, [&](const std::vector<Index>& all) {
    const Samples X = rows_of_bits(all, d);
    if ((known_shares_of(X) - known_shares).norm() < nearly_same) fitting.push_back(X);
  });
  return fitting;
}

}  // namespace colla::privacy
