// SPDX-License-Identifier: Apache-2.0
// Experiments with helpers in other ranks, which are threads here.
#include "experiment/evaluator.hpp"
#include "small_experiment.hpp"

#include <colla/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

namespace colla {
namespace {

using testing::expect_same;
using testing::small_experiment_data;
using testing::small_spec;

// The messages under way, by sender and receiver.
struct Post {
  std::mutex mutex;
  std::map<std::pair<int, int>, std::deque<std::string>> messages;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Post& post, int rank, int size) : post_(post), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(int to, const std::string& message) override {
    const std::lock_guard lock(post_.mutex);
    post_.messages[{rank_, to}].push_back(message);
  }
  bool has_message(int from) override {
    const std::lock_guard lock(post_.mutex);
    return !post_.messages[{from, rank_}].empty();
  }
  std::string receive(int from) override {
    while (!has_message(from)) std::this_thread::yield();
    const std::lock_guard lock(post_.mutex);
    auto& queue = post_.messages[{from, rank_}];
    const std::string message = queue.front();
    queue.pop_front();
    return message;
  }
  int finish(int code, const std::string& /*line*/) override { return code; }

 private:
  Post& post_;
  int rank_;
  int size_;
};

ExperimentResults run_with_helpers(const std::string& database, int size,
                                   const ExperimentData& data = small_experiment_data(),
                                   Index most_results = std::numeric_limits<Index>::max()) {
  const ExperimentSpec spec = small_spec();
  const ExperimentPlan plan = make_plan(spec, data);
  Post post;
  std::vector<std::jthread> threads;
  for (int rank = 1; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(post, rank, size);
      serve_evaluations(spec, plan, data, ranks);
    });
  }
  ThreadRanks first(post, 0, size);
  const Helpers helpers(first);
  RunOptions options;
  options.database = database;
  std::atomic<Index> found = 0;
  options.observer = [&found](const Progress&) { ++found; };
  options.stop = [&found, most_results] { return found >= most_results; };
  options.helpers = &helpers;
  return run_experiment(spec, plan, data, options);
}

TEST(Helpers, their_number_does_not_matter) {
  const testing::Folder folder;
  const ExperimentResults alone = run_with_helpers(folder / "alone", 1);
  for (const int size : {2, 3, 5}) {
    expect_same(alone, run_with_helpers(folder / std::to_string(size), size));
  }
}

TEST(Helpers, an_interrupted_run_goes_on_and_ends_with_the_same_numbers) {
  const testing::Folder folder;
  const ExperimentResults whole = run_with_helpers(folder / "whole", 1);
  ExperimentResults part;
  int runs = 0;
  do {
    const Index before = part.done;
    part = run_with_helpers(folder / "parts", 2, small_experiment_data(), 3);
    ++runs;
    ASSERT_GE(part.done, std::min(before + 3, part.total));
  } while (!part.is_complete);
  EXPECT_GT(runs, 1);
  expect_same(whole, part);
}

TEST(Helpers, an_error_of_one_ends_the_run_with_that_error) {
  const testing::Folder folder;
  ExperimentData data = small_experiment_data();
  for (Batch& batch : data["small"].prepared.data.agents[0].batches) {
    batch.y.setConstant(std::nan(""));
  }
  EXPECT_THROW(run_with_helpers(folder / "results", 3, data), Error);
}

}  // namespace
}  // namespace colla
