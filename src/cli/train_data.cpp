// SPDX-License-Identifier: Apache-2.0
#include "cli/train_data.hpp"

#include "experiment/fingerprint.hpp"
#include "files/text.hpp"
#include "training/table_training.hpp"

namespace colla::cli {

Index Lesson::features() const {
  if (!table_) return std::ssize(rows_.train.features);
  return table_->rows.X.cols() + (with_intercept_ ? 1 : 0);
}

SplitData Lesson::tasks() const { return table_ ? table_->tasks(0, with_intercept_) : rows_; }

std::vector<DataSet> Lesson::training_rows() const {
  if (!table_) return {rows_.train};
  std::vector<DataSet> all;
  for (Index model = 0; model < table_->models(); ++model) {
    all.push_back(table_->tasks(model, with_intercept_).train);
  }
  return all;
}

std::string Lesson::fingerprint() const {
  const SplitData rows = tasks();
  const std::string text = fingerprint_of(rows.train) + fingerprint_of(rows.test);
  return table_ ? text + fingerprint_of(to_toml(table_->recipe)) : text;
}

TrainingResult Lesson::learn(const TrainingOptions& options,
                             const TrainingObserver& observer) const {
  return table_ ? train(*table_, with_intercept_, options, observer)
                : train(rows_, options, observer);
}

std::string TrainData::name() const { return table_ ? stem(table_->table().name) : data_.name; }

Lesson TrainData::lesson(double test_fraction, std::uint64_t seed) const {
  if (table_) return {table_->prepared(test_fraction, seed), with_intercept_};
  return Lesson(split(data_, test_fraction, seed));
}

}  // namespace colla::cli
