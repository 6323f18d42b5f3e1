// SPDX-License-Identifier: Apache-2.0
#include <colla/released_batch.hpp>

#include <algorithm>
#include <utility>

namespace colla {
namespace {

bool contains(const std::vector<std::string>& tasks, const std::string& task) {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

}  // namespace

ReleasedBatches::ReleasedBatches(Index size, std::vector<ReleasedBatch> batches,
                                 std::vector<std::string> waiting)
    : size_(static_cast<std::size_t>(size)),
      batches_(std::move(batches)),
      waiting_(std::move(waiting)) {}

ReleasedBatches::Position ReleasedBatches::batch_of(const std::string& task) {
  return std::find_if(batches_.begin(), batches_.end(),
                      [&task](const ReleasedBatch& batch) { return contains(batch.tasks, task); });
}

void ReleasedBatches::learned(const std::string& task) {
  const Position batch = batch_of(task);
  if (batch != batches_.end() && !batch->is_withdrawn()) {
    if (!contains(batch->renewed, task)) batch->renewed.push_back(task);
    return;
  }
  if (batch != batches_.end()) {
    std::erase(batch->tasks, task);
    if (batch->tasks.empty()) batches_.erase(batch);
  }
  if (!contains(waiting_, task)) waiting_.push_back(task);
}

// What is left of the batch cannot be told alone: the difference would be the task.
bool ReleasedBatches::forgotten(const std::string& task) {
  std::erase(waiting_, task);
  const Position batch = batch_of(task);
  if (batch == batches_.end()) return false;
  const bool was_told = !batch->is_withdrawn();
  std::erase(batch->tasks, task);
  std::erase(batch->renewed, task);
  for (const std::string& other : batch->renewed) {
    std::erase(batch->tasks, other);
    waiting_.push_back(other);
  }
  batch->renewed.clear();
  batch->sums.resize(0, 0);
  batch->priors.resize(0, 0);
  if (batch->tasks.empty()) batches_.erase(batch);
  return was_told;
}

const ReleasedBatch* ReleasedBatches::renewed_batch() const {
  const auto found = std::find_if(batches_.begin(), batches_.end(), [](const auto& batch) {
    return !batch.is_withdrawn() && batch.renewed.size() == batch.tasks.size();
  });
  return found == batches_.end() ? nullptr : &*found;
}

// Of withdrawn batches.
std::vector<std::string> ReleasedBatches::withdrawn() const {
  std::vector<std::string> tasks;
  for (const ReleasedBatch& batch : batches_) {
    if (batch.is_withdrawn()) tasks.insert(tasks.end(), batch.tasks.begin(), batch.tasks.end());
  }
  return tasks;
}

std::size_t ReleasedBatches::waiting() const { return waiting_.size() + withdrawn().size(); }

std::vector<std::string> ReleasedBatches::full() const {
  if (const ReleasedBatch* const renewed = renewed_batch()) return renewed->tasks;
  if (waiting_.size() < size_) return {};
  std::vector<std::string> tasks = withdrawn();
  tasks.insert(tasks.end(), waiting_.begin(), waiting_.end());
  return tasks;
}

bool ReleasedBatches::add(ReleasedBatch batch) {
  batch.number = batches_.empty() ? 1 : batches_.back().number + 1;
  const auto replaced = std::erase_if(batches_, [&batch](const ReleasedBatch& old) {
    return contains(batch.tasks, old.tasks.front());
  });
  std::erase_if(waiting_, [&batch](const auto& task) { return contains(batch.tasks, task); });
  batches_.push_back(std::move(batch));
  return replaced > 0;
}

}  // namespace colla
