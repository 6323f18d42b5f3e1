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

Batch selected(const Batch& batch, const std::vector<Index>& rows) {
  return {{batch.task, batch.X(rows, Eigen::all), batch.y(rows), batch.revisit}, batch.origin};
}

std::vector<std::vector<Index>> classes_of(const Batch& batch, Problem problem) {
  std::vector<std::vector<Index>> classes(2);
  for (Index i = 0; i < batch.y.size(); ++i) {
    const bool positive = has_labels(problem) && batch.y[i] > 0.0;
    classes[positive ? 1 : 0].push_back(i);
  }
  return classes;
}

}  // namespace

RowSplit split_rows(std::vector<std::vector<Index>> classes, double test_fraction,
                    std::uint64_t seed, std::size_t agent, std::size_t batch) {
  constexpr std::uint64_t purpose = 4;  // keys this use of the seed
  Random random(seed, {purpose, agent, batch});
  RowSplit rows;
  for (std::vector<Index>& each : classes) {
    draw(std::move(each), test_fraction, random, rows.train, rows.test);
  }
  std::sort(rows.train.begin(), rows.train.end());
  std::sort(rows.test.begin(), rows.test.end());
  return rows;
}

SplitData split(const DataSet& data, double test_fraction, std::uint64_t seed) {
  SplitData result{{data.name, data.problem, data.features, {}, data.has_intercept},
                   {data.name, data.problem, data.features, {}, data.has_intercept}};
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    Stream train{data.agents[i].agent, {}};
    Stream test{data.agents[i].agent, {}};
    for (std::size_t k = 0; k < data.agents[i].batches.size(); ++k) {
      const Batch& batch = data.agents[i].batches[k];
      const RowSplit rows = split_rows(classes_of(batch, data.problem), test_fraction, seed, i, k);
      train.batches.push_back(selected(batch, rows.train));
      test.batches.push_back(selected(batch, rows.test));
    }
    result.train.agents.push_back(std::move(train));
    result.test.agents.push_back(std::move(test));
  }
  return result;
}

}  // namespace colla
