// SPDX-License-Identifier: Apache-2.0
#include "experiment/search_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace colla {
namespace {

constexpr double most_atoms = 10.0;

SearchRange times(double unit, const SearchRange& range) {
  // Data of zeros have no scale.
  const double usable = std::max(unit, std::numeric_limits<double>::min() / range.low);
  return {usable * range.low, usable * range.high};
}

}  // namespace

Index count_tasks(const DataSet& rows) {
  std::size_t count = 0;
  for (const Stream& stream : rows.agents) count += stream.batches.size();
  return static_cast<Index>(count);
}

DataScale scale_of(const DataSet& rows) {
  double squares = 0.0;
  double targets = 0.0;
  for (const Stream& stream : rows.agents) {
    for (const Batch& batch : stream.batches) {
      squares += batch.X.squaredNorm() / static_cast<double>(batch.X.size());
      targets += batch.y.squaredNorm() / static_cast<double>(batch.y.size());
    }
  }
  const auto tasks = static_cast<double>(count_tasks(rows));
  const bool has_classes = has_labels(rows.problem);
  DataScale scale;
  scale.curvature = (has_classes ? 0.125 : 1.0) * squares / tasks;
  scale.loss = has_classes ? std::log(2.0) : targets / tasks;
  scale.features = static_cast<Index>(rows.features.size());
  return scale;
}

SearchRanges ranges_for(const DataSet& rows) {
  const DataScale scale = scale_of(rows);
  const auto features = static_cast<double>(scale.features);
  // A code is 0 from mu = 2 |l.Gamma alpha| on. With |alpha|^2_Gamma about the loss and an atom of
  // independent entries of size 1, as the first dictionary has them, that is about this.
  const double largest_mu = 2.0 * std::sqrt(scale.curvature * scale.loss);
  // s^2 curvature for the same atoms: what lambda and rho are added to in the dictionary's system.
  const double system = scale.loss / features;
  SearchRanges ranges;
  ranges["gamma"] = times(scale.curvature, {1e-4, 1e1});
  ranges["lambda"] = times(system, {1e-5, 1e0});
  ranges["mu"] = times(largest_mu, {1e-4, 1e0});
  ranges["rho"] = times(system, {1e-3, 1e2});
  ranges["atoms"] = {1.0, std::min({most_atoms, features, static_cast<double>(count_tasks(rows))})};
  return ranges;
}

SearchRanges ranges_for(const GivenRanges& given, const DataSet& rows) {
  SearchRanges ranges = ranges_for(rows);
  for (std::size_t k = 0; k < given.size(); ++k) ranges[k] = given[k].value_or(ranges[k]);
  return ranges;
}

}  // namespace colla
