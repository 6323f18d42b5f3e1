// SPDX-License-Identifier: Apache-2.0
// What an agent that lives has told of a batch of its tasks: sums that were computed from their
// rows once, under the prior of that moment. Whatever neighbours hear of the batch later is
// computed from these sums and from what the neighbours themselves have sent: nobody can find out
// more of the rows, whatever they send and for however long.
#pragma once

#include <colla/matrix.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace colla {

struct ReleasedBatch {
  std::uint64_t number = 0;  ///< in order of release
  std::vector<std::string> tasks;
  /// Of these, the tasks that have new rows since: the batch is released anew once all have.
  std::vector<std::string> renewed = {};
  /// A column per candidate; empty once a task of the batch was forgotten. The others then wait for
  /// another batch.
  Matrix sums = {};
  /// Under which the sums were computed: m, the diagonal of D and sigma^2, a column per candidate.
  Matrix priors = {};

  bool is_withdrawn() const { return sums.size() == 0; }
};

/// Which tasks are told of together: `size` of which nobody has heard, and with them those whose
/// batch was withdrawn.
class ReleasedBatches {
 public:
  ReleasedBatches() = default;
  /// Continues with these batches; `waiting` tasks are in none.
  ReleasedBatches(Index size, std::vector<ReleasedBatch> batches, std::vector<std::string> waiting);

  /// The task is new, or has new rows.
  void learned(const std::string& task);
  /// Returns whether what was told of a batch is withdrawn.
  bool forgotten(const std::string& task);
  /// The tasks of a batch that is full; empty if none is.
  std::vector<std::string> full() const;
  /// They are released now. Returns whether the batch replaces others.
  bool add(ReleasedBatch batch);

  const std::vector<ReleasedBatch>& batches() const { return batches_; }
  /// Tasks that are told of nowhere.
  std::size_t waiting() const;

 private:
  using Position = std::vector<ReleasedBatch>::iterator;
  Position batch_of(const std::string& task);
  const ReleasedBatch* renewed_batch() const;
  std::vector<std::string> withdrawn() const;

  std::size_t size_ = 1;
  std::vector<ReleasedBatch> batches_;
  std::vector<std::string> waiting_;  // with rows that nobody has heard of
};

}  // namespace colla
