// SPDX-License-Identifier: Apache-2.0
#include <colla/healing.hpp>

#include <algorithm>

namespace colla {
namespace {

constexpr double damping = 0.9;  // 1 would let some asynchronous orders oscillate for ever

}  // namespace

Share blend(const Share& own, double weight, std::span<const Share* const> others) {
  Share sum;
  double count = 0.0;
  for (const Share* const other : others) {
    if (!other->is_known()) continue;
    if (count == 0.0) {
      sum = *other;
    } else {
      sum.codes += other->codes;
      sum.features += other->features;
    }
    ++count;
  }
  if (count == 0.0) return own;
  if (!own.is_known()) return {sum.codes / count, sum.features / count};
  const double part = (1.0 - weight) / count;
  return {weight * own.codes + part * sum.codes, weight * own.features + part * sum.features};
}

double edge_weight(double pace, Index degree, Index other_degree) {
  return pace / static_cast<double>(std::min(degree, other_degree));
}

void take(const MatrixView& y, Eigen::Ref<Matrix> z) { z += damping * (y - z); }

void change_metric(const Metric& before, const Metric& now, const MatrixView& x,
                   Eigen::Ref<Matrix> z) {
  const Matrix apart = z - x;
  Matrix weighted = Matrix::Zero(apart.rows(), apart.cols());
  before.add_product(apart, weighted);
  z = x + now.solve(weighted);
}

}  // namespace colla
