// SPDX-License-Identifier: Apache-2.0
#include "experiment/measures.hpp"

#include <colla/prediction.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace colla {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double rmse(const VectorView& y, const VectorView& predictions) {
  if (y.size() == 0) return undefined;
  return std::sqrt((y - predictions).squaredNorm() / static_cast<double>(y.size()));
}

double explained_variance(const VectorView& y, const VectorView& predictions) {
  if (y.size() == 0) return undefined;
  double mean = 0.0;
  for (const double value : y) mean += value / static_cast<double>(y.size());
  const double total = (y.array() - mean).square().sum();
  return total > 0.0 ? 1.0 - (y - predictions).squaredNorm() / total : undefined;
}

// Mann and Whitney: the sum of the positive rows' ranks, ties sharing their mean rank.
double auc(const VectorView& y, const VectorView& scores) {
  std::vector<Index> order(static_cast<std::size_t>(y.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return scores[a] < scores[b]; });
  double rank_sum = 0.0;
  double positives = 0.0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && scores[order[end]] == scores[order[first]]) ++end;
    const double mean_rank = 0.5 * static_cast<double>(first + 1 + end);
    for (std::size_t k = first; k < end; ++k) {
      if (y[order[k]] < 0.0) continue;
      rank_sum += mean_rank;
      positives += 1.0;
    }
    first = end;
  }
  const double negatives = static_cast<double>(y.size()) - positives;
  if (positives == 0.0 || negatives == 0.0) return undefined;
  return (rank_sum - 0.5 * positives * (positives + 1.0)) / (positives * negatives);
}

double accuracy(const VectorView& y, const VectorView& scores) {
  if (y.size() == 0) return undefined;
  Index right = 0;
  for (Index i = 0; i < y.size(); ++i) right += label(scores[i]) == y[i] ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(y.size());
}

double main_measure(Problem problem, const VectorView& y, const VectorView& scores) {
  return problem == Problem::regression ? rmse(y, scores) : auc(y, scores);
}

std::string main_measure_name(Problem problem) {
  return problem == Problem::regression ? "rmse" : "auc";
}

void DefinedMean::add(double value) {
  if (std::isnan(value)) return;
  sum_ += value;
  ++count_;
}

double DefinedMean::value() const {
  return count_ > 0 ? sum_ / static_cast<double>(count_) : undefined;
}

}  // namespace colla
