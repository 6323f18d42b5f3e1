// SPDX-License-Identifier: Apache-2.0
#include "experiment/training_selection.hpp"

#include "experiment/search_ranges.hpp"
#include "training/measures.hpp"

#include <algorithm>

namespace colla {
namespace {

Index median_rows(const DataSet& data) {
  std::vector<Index> rows;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) rows.push_back(batch.X.rows());
  }
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::nth_element(rows.begin(), middle, rows.end());
  return *middle;
}

TrainingOptions tried_with(TrainingOptions options) {
  options.keep = Keep::scores;
  options.compare_alone = false;
  options.diagnose = false;
  options.make_engine = {};
  options.offline = offline_budget();
  return options;
}

}  // namespace

SearchSpec search_for(const DataSet& training_rows, Index candidates) {
  constexpr double few = 0.1;
  SearchSpec search;
  search.candidates = candidates;
  const Index rows = median_rows(training_rows);
  const bool has_few_rows = rows < 2 * std::ssize(training_rows.features);
  // A class needs rows in both parts, and most tasks one row or more that validates.
  if (has_few_rows && !has_labels(training_rows.problem)) {
    search.validation_fraction = std::max(few, 1.0 / static_cast<double>(rows));
  }
  return search;
}

Index planned_evaluations(const SearchSpec& search) {
  Index rivals = search.candidates;
  Index count = 0;
  for (const Index splits : search.splits) {
    count += rivals * splits;
    rivals = (rivals + search.keep_one_in - 1) / search.keep_one_in;
  }
  return count;
}

Selection select_settings(const std::vector<DataSet>& training_rows, const TrainingOptions& options,
                          const FixedParameters& fixed, const SearchSpec& search,
                          const std::function<void()>& keep_going) {
  const DataSet& first = training_rows.front();
  const std::uint64_t seed = options.network.agent.seed;
  const SearchSpace space{options.algorithm, count_tasks(first), fixed,
                          ranges_for(search.ranges, first)};
  TrainingOptions trying = tried_with(options);
  std::vector<ValidationSplits> splits;
  for (const DataSet& rows : training_rows) {
    splits.emplace_back(rows, search.validation_fraction, seed);
  }
  const auto score = [&](const HyperParameters& settings, const auto& rows_of) {
    if (keep_going) keep_going();
    settings.apply_to(trying.network);
    DefinedMean mean;
    for (std::size_t k = 0; k < training_rows.size(); ++k) {
      mean.add(train(rows_of(k), trying, nullptr).final_score());
    }
    return mean.value();
  };
  return select(
      search, space, main_measure(first.problem).higher_is_better, seed,
      [&](const HyperParameters& settings, Index n) {
        return score(settings, [&](std::size_t k) -> const SplitData& { return splits[k].at(n); });
      },
      [&](const HyperParameters& settings) {
        return score(settings, [&](std::size_t k) {
          return SplitData{training_rows[k], training_rows[k]};
        });
      });
}

}  // namespace colla
