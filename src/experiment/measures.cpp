// SPDX-License-Identifier: Apache-2.0
#include "experiment/measures.hpp"

#include "linalg/lanes.hpp"

#include <colla/prediction.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace colla {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr Index lanes_width = 4;
constexpr double few_pairs = 30000;  // comparing them all is faster than sorting

// Twice the negatives below a score, and once those equal to it.
COLLA_FOR_EACH_PROCESSOR
long long twice_below(const double* negatives, Index count, double score) {
  WholeLanes sum = {};
  const Lanes own = {score, score, score, score};
  for (Index i = 0; i < count; i += lanes_width) {
    const Lanes other = *lanes(negatives + i);
    sum -= (other < own) + (other <= own);  // true is -1
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// A tie counts half.
double won_one_by_one(const std::vector<double>& positives, std::vector<double>& negatives) {
  while (negatives.size() % lanes_width != 0) negatives.push_back(undefined);  // below nothing
  long long twice = 0;
  for (const double score : positives) {
    twice += twice_below(negatives.data(), std::ssize(negatives), score);
  }
  return 0.5 * static_cast<double>(twice);
}

double won_in_order(const std::vector<double>& positives, std::vector<double>& negatives) {
  std::sort(negatives.begin(), negatives.end());
  double won = 0.0;
  for (const double score : positives) {
    const auto [first, end] = std::equal_range(negatives.begin(), negatives.end(), score);
    won += static_cast<double>(first - negatives.begin()) + 0.5 * static_cast<double>(end - first);
  }
  return won;
}

}  // namespace

double rmse(const VectorView& y, const VectorView& predictions) {
  if (y.size() == 0) return undefined;
  const double squares = (y - predictions).squaredNorm();
  if (std::isnan(squares)) return std::numeric_limits<double>::infinity();
  return std::sqrt(squares / static_cast<double>(y.size()));
}

double explained_variance(const VectorView& y, const VectorView& predictions) {
  if (y.size() == 0) return undefined;
  double mean = 0.0;
  for (const double value : y) mean += value / static_cast<double>(y.size());
  const double total = (y.array() - mean).square().sum();
  return total > 0.0 ? 1.0 - (y - predictions).squaredNorm() / total : undefined;
}

// Mann and Whitney: how many pairs of a positive and a negative row stand the right way round.
double auc(const VectorView& y, const VectorView& scores) {
  std::vector<double> positives;
  std::vector<double> negatives;
  positives.reserve(static_cast<std::size_t>(y.size()));
  negatives.reserve(static_cast<std::size_t>(y.size() + lanes_width));
  for (Index i = 0; i < y.size(); ++i) (y[i] > 0.0 ? positives : negatives).push_back(scores[i]);
  const double pairs =
      static_cast<double>(positives.size()) * static_cast<double>(negatives.size());
  if (pairs == 0.0) return undefined;
  if (scores.hasNaN()) return 0.0;
  const double won =
      pairs < few_pairs ? won_one_by_one(positives, negatives) : won_in_order(positives, negatives);
  return won / pairs;
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
