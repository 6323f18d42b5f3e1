// SPDX-License-Identifier: Apache-2.0
#include "training/measures.hpp"

#include "linalg/lanes.hpp"

#include <colla/prediction.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace colla {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr double few_pairs = 30000;  // comparing them all is faster than sorting

// NOLINTBEGIN(modernize-use-using): the attributes
typedef float FloatLanes __attribute__((vector_size(32), aligned(4), may_alias));
typedef int IntLanes __attribute__((vector_size(32), aligned(4), may_alias));
// NOLINTEND(modernize-use-using)
constexpr float unused = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t lanes_width = 8;
constexpr std::size_t positives_at_a_time = 4;

// Scores as floats, padded with NaN to what `compare_pairs` handles at a time.
struct Classes {
  std::vector<float> positives;
  std::vector<float> negatives;
  double pairs = 0.0;
  bool has_nan = false;
};

Classes divide(const VectorView& y, const VectorView& scores) {
  const auto room = static_cast<std::size_t>(y.size()) + lanes_width;
  Classes classes{std::vector<float>(room), std::vector<float>(room)};
  // No branch on a label, which the processor cannot predict: a score is written to both and kept
  // in one.
  std::size_t positives = 0;
  std::size_t negatives = 0;
  for (Index i = 0; i < y.size(); ++i) {
    const auto score = static_cast<float>(scores[i]);
    classes.positives[positives] = score;
    classes.negatives[negatives] = score;
    classes.has_nan |= std::isnan(score);
    positives += y[i] > 0.0 ? 1U : 0U;
    negatives += y[i] > 0.0 ? 0U : 1U;
  }
  classes.pairs = static_cast<double>(positives) * static_cast<double>(negatives);
  const auto pad = [](std::vector<float>& values, std::size_t count, std::size_t step) {
    const std::size_t padded = (count + step - 1) / step * step;
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(count), padded - count, unused);
    values.resize(padded);
  };
  pad(classes.positives, positives, positives_at_a_time);
  pad(classes.negatives, negatives, lanes_width);
  return classes;
}

struct PairCount {
  Index won = 0;  // by the positive row
  bool has_ties = false;
};

// A NaN is neither above nor equal to anything. Scores that differ as floats differ.
COLLA_FOR_EACH_PROCESSOR
PairCount compare_pairs(const std::vector<float>& positives, const std::vector<float>& negatives) {
  IntLanes below[positives_at_a_time] = {};
  IntLanes equal[positives_at_a_time] = {};
  for (std::size_t i = 0; i < positives.size(); i += positives_at_a_time) {
    for (std::size_t k = 0; k < negatives.size(); k += lanes_width) {
      const FloatLanes others = *reinterpret_cast<const FloatLanes*>(negatives.data() + k);
      for (std::size_t n = 0; n < positives_at_a_time; ++n) {
        below[n] -= others < positives[i + n];  // true is -1
        equal[n] |= others == positives[i + n];
      }
    }
  }
  PairCount count;
  for (std::size_t n = 0; n < positives_at_a_time; ++n) {
    for (std::size_t lane = 0; lane < lanes_width; ++lane) {
      count.won += below[n][lane];
      count.has_ties |= equal[n][lane] != 0;
    }
  }
  return count;
}

// A tie counts half.
double won_in_order(const VectorView& y, const VectorView& scores) {
  std::vector<double> negatives;
  for (Index i = 0; i < y.size(); ++i) {
    if (!(y[i] > 0.0)) negatives.push_back(scores[i]);
  }
  std::sort(negatives.begin(), negatives.end());
  double won = 0.0;
  for (Index i = 0; i < y.size(); ++i) {
    if (!(y[i] > 0.0)) continue;
    const auto [first, end] = std::equal_range(negatives.begin(), negatives.end(), scores[i]);
    won += static_cast<double>(first - negatives.begin()) + 0.5 * static_cast<double>(end - first);
  }
  return won;
}

struct ProblemMeasures {
  Measure main;
  Measure second;
};

const ProblemMeasures& measures_of(Problem problem) {
  static const std::map<Problem, ProblemMeasures> all = {
      {Problem::regression,
       {{"rmse", "RMSE", false, rmse},
        {"explained_variance", "explained variance", true, explained_variance}}},
      {Problem::classification,
       {{"auc", "AUC", true, auc}, {"accuracy", "accuracy", true, accuracy}}}};
  return all.at(problem);
}

}  // namespace

double rmse(const VectorView& y, const VectorView& predictions) {
  if (y.size() == 0) return undefined;
  const double squares = (y - predictions).squaredNorm();
  if (std::isnan(squares)) return std::numeric_limits<double>::infinity();
  return std::sqrt(squares / static_cast<double>(y.size()));
}

double explained_variance(const VectorView& y, const VectorView& predictions) {
  if (y.size() == 0 || y.minCoeff() == y.maxCoeff()) return undefined;
  double mean = 0.0;
  for (const double value : y) mean += value / static_cast<double>(y.size());
  const double total = (y.array() - mean).square().sum();
  return total > 0.0 ? 1.0 - (y - predictions).squaredNorm() / total : undefined;
}

// Mann and Whitney: the share of pairs of a positive and a negative row in the right order.
double auc(const VectorView& y, const VectorView& scores) {
  const Classes classes = divide(y, scores);
  if (classes.pairs == 0.0) return undefined;
  if (classes.has_nan) return 0.0;
  if (classes.pairs < few_pairs) {
    const PairCount count = compare_pairs(classes.positives, classes.negatives);
    if (!count.has_ties) return static_cast<double>(count.won) / classes.pairs;
  }
  return won_in_order(y, scores) / classes.pairs;
}

double accuracy(const VectorView& y, const VectorView& scores) {
  if (y.size() == 0) return undefined;
  Index right = 0;
  for (Index i = 0; i < y.size(); ++i) right += label(scores[i]) == y[i] ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(y.size());
}

const Measure& main_measure(Problem problem) { return measures_of(problem).main; }

const Measure& second_measure(Problem problem) { return measures_of(problem).second; }

void DefinedMean::add(double value) {
  if (std::isnan(value)) return;
  sum_ += value;
  ++count_;
}

double DefinedMean::value() const {
  return count_ > 0 ? sum_ / static_cast<double>(count_) : undefined;
}

}  // namespace colla
