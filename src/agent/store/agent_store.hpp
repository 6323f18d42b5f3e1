// SPDX-License-Identifier: Apache-2.0
// The durable state of one networked agent: its queue of tasks, and its state at the end of its
// last step. A function's effect is durable when it returns; after a crash at any moment the store
// is as before or as after it, never in between.
//
//     AgentStore store(home, identity);
//     NetworkedAgent agent = store.load();
//     ...                                            // messages of neighbours
//     if (store.has_begun(agent.steps() + 1) ||
//         (agent.has_met_neighbours() && (store.waiting() > 0 || agent.is_called()))) {
//       const std::optional<TaskRows> task = store.begin_step(agent.steps() + 1);
//       agent.begin_step(task ? &*task : nullptr);
//     }
//     ...                                            // until agent.is_step_over()
//     store.end_step(agent);
//     agent.end_step();
//
// One thread at a time.
#pragma once

#include "agent/store/home_store.hpp"

#include <span>

namespace colla {

class AgentStore : public HomeStore {
 public:
  /// Throws StoreError as HomeStore does.
  AgentStore(const std::string& home, AgentIdentity identity);

  /// A new agent, or the one at the end of the last finished step, bit for bit.
  NetworkedAgent load();

  /// Puts a task at the end of the queue and returns its number, from 1. Throws DataError if the
  /// agent could not learn these rows, StoreError if the queue is closed or the disk is full;
  /// nothing is stored then.
  std::int64_t enqueue(const TaskRows& task) { return enqueue_all({&task, 1}); }
  /// The same for several, all or none. Returns the number of the first; the others follow.
  std::int64_t enqueue_all(std::span<const TaskRows> tasks);
  /// Puts a request to forget a task at the end of the queue, like a task, and returns its number.
  /// Rows of the task that wait to be learned are deleted instead, and their place in the queue is
  /// the request. A closed queue takes it too. Throws DataError for an unknown task.
  std::int64_t enqueue_forgetting(const std::string& task);
  /// No more tasks, until it is reopened.
  void close() { set_closed(true); }
  void reopen() { set_closed(false); }
  bool is_closed() const { return progress_.closed; }
  /// Tasks that are not learned yet.
  std::int64_t waiting() const { return progress_.queued - progress_.learned; }
  bool has_queued(std::int64_t task) const { return task >= 1 && task <= progress_.queued; }
  bool is_learned(std::int64_t task) const { return task <= progress_.learned; }
  /// The step in which a task was learned or forgotten.
  std::uint64_t learned_in(std::int64_t task);

  /// Finished.
  std::uint64_t steps() const { return progress_.step; }
  /// The step was begun before a crash and must be begun again, at once.
  bool has_begun(std::uint64_t step) const {
    return step > progress_.step && step == progress_.begun;
  }
  /// The task that the step after the last finished one learns, if any: the first of the queue.
  /// Without rows it is to be forgotten. Calling it again, even after a restart, gives the same.
  std::optional<TaskRows> begin_step(std::uint64_t step);
  /// Saves the state of an agent whose step is over, and deletes the rows of the learned task.
  /// Throws StoreError if the disk is full; it may then be called again.
  void end_step(const NetworkedAgent& agent);

  /// The agent at the end of its last finished step, while it may run. Throws StoreError whenever
  /// the constructor would refuse the store.
  static NetworkedAgent look(const std::string& home, const AgentIdentity& identity);

 private:
  void set_closed(bool closed);

  AgentIdentity identity_;
};

}  // namespace colla
