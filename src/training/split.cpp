// SPDX-License-Identifier: Apache-2.0
#include "training/split.hpp"

#include <colla/random.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace colla {
namespace {

// Moves a random share of `rows` to `test`; at least one stays.
void draw(std::vector<Index> rows, double fraction, Random& random, std::vector<Index>& train,
          std::vector<Index>& test) {
  if (rows.empty()) return;
  random.shuffle(rows);
  const auto size = static_cast<double>(rows.size());
  const auto count = static_cast<std::size_t>(std::min(std::round(fraction * size), size - 1.0));
  test.insert(test.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count));
  train.insert(train.end(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end());
}

Batch selected(const Batch& batch, std::vector<Index>& rows) {
  std::sort(rows.begin(), rows.end());
  return {{batch.task, batch.X(rows, Eigen::all), batch.y(rows), batch.revisit}, batch.origin};
}

void split_batch(const Batch& batch, Problem problem, double fraction, Random random, Stream& train,
                 Stream& test) {
  std::vector<Index> first;
  std::vector<Index> second;  // the other class
  for (Index i = 0; i < batch.y.size(); ++i) {
    const bool positive = has_labels(problem) && batch.y[i] > 0.0;
    (positive ? second : first).push_back(i);
  }
  std::vector<Index> train_rows;
  std::vector<Index> test_rows;
  draw(std::move(first), fraction, random, train_rows, test_rows);
  draw(std::move(second), fraction, random, train_rows, test_rows);
  train.batches.push_back(selected(batch, train_rows));
  test.batches.push_back(selected(batch, test_rows));
}

}  // namespace

SplitData split(const DataSet& data, double test_fraction, std::uint64_t seed) {
  constexpr std::uint64_t purpose = 4;  // keys this use of the seed
  SplitData result{{data.name, data.problem, data.features, {}, data.has_intercept},
                   {data.name, data.problem, data.features, {}, data.has_intercept}};
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    Stream train{data.agents[i].agent, {}};
    Stream test{data.agents[i].agent, {}};
    for (std::size_t k = 0; k < data.agents[i].batches.size(); ++k) {
      split_batch(data.agents[i].batches[k], data.problem, test_fraction,
                  Random(seed, {purpose, i, k}), train, test);
    }
    result.train.agents.push_back(std::move(train));
    result.test.agents.push_back(std::move(test));
  }
  return result;
}

}  // namespace colla
