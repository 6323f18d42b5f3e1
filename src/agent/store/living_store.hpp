// SPDX-License-Identifier: Apache-2.0
// The durable state of an agent that lives (living_agent.hpp): its tasks, every request that made
// them, and now and then its knowledge, which the network could give it again. A function's effect
// is durable when it returns; after a crash at any moment the store is as before or as after it.
//
// Requests to learn or to forget a task are numbered from 1. Neighbours are told how many there
// were, so that they can tell an agent that was restored from an older copy how many it has lost.
#pragma once

#include "agent/store/home_store.hpp"
#include "row_privacy/privacy_options.hpp"

#include <colla/living_agent.hpp>

namespace colla {

/// Whose state a store keeps: what never changes while the network lives.
struct LivingIdentity {
  std::string network;
  std::string agent;
  NetworkOptions options;
  Matrix first_dictionary = {};  ///< d x u; if empty it is drawn from the seed
  std::optional<PrivacyOptions> privacy = {};
};

/// The agent as it is before its first task.
AgentState first_state(const LivingIdentity& identity);

class LivingStore : public HomeStore {
 public:
  /// Throws StoreError as HomeStore does.
  LivingStore(const std::string& home, LivingIdentity identity);

  /// The agent's tasks, with the knowledge that was kept last.
  AgentState load();
  /// The number of the last request.
  std::uint64_t requests() const { return progress_.step; }

  /// With privacy: rows of a task are released once. Throws DataError if the task has released rows
  /// that these replace, or if requests are lost, which may have released them; unless somebody
  /// says that they are to be released all the same.
  void check_release(std::span<const TaskRows> tasks, bool again);
  /// The agent has learned these tasks. What it released of them is saved with them, before anybody
  /// is told: a crash releases nothing or the same. Throws StoreError if the disk is full; the
  /// store is then as it was, and the agent must be made again from `load`.
  void save_learned(std::span<const TaskRows> tasks, const LivingAgent& agent, bool again = false);
  /// The same for a task that it has forgotten, and no longer knows.
  void save_forgotten(const std::string& task, const LivingAgent& agent);
  /// x, and the codes or contributions that were estimated again.
  void keep(const LivingAgent& agent);

  /// How many requests of a neighbour this agent has heard of, ever.
  std::uint64_t known_requests(const std::string& neighbour) const;
  /// Saved with whatever is saved next. Returns whether it is news.
  bool hear_of_requests(const std::string& neighbour, std::uint64_t requests);
  /// A neighbour knows of more requests than the store has: those after `requests()` up to this one
  /// are lost, and their numbers are not used again.
  void note_lost_requests(std::uint64_t last);
  /// "13 to 15", of all that were lost; empty if none was.
  std::string lost_requests();

  /// What every release has spent, in order; of an agent that may run.
  static std::vector<Spending> ledger(const std::string& home, const LivingIdentity& identity);
  /// The tasks and knowledge of an agent that may run; with a collective prior, x as the mean of
  /// the agents' sums, which is what predicts. Throws StoreError whenever the constructor would
  /// refuse the store.
  static AgentState look(const std::string& home, const LivingIdentity& identity);

 private:
  void save_records(const LivingAgent& agent, AgentWriter& writer);
  void save_releases(const LivingAgent& agent, AgentWriter& writer);
  void note_written(const LivingAgent& agent);
  void note_written(const std::vector<TaskRecord>& records,
                    const std::vector<ReleasedBatch>& releases);
  void spend(const QueuedTask& request, const TaskRows& rows, bool again,
             AgentWriter& writer) const;

  LivingIdentity identity_;
  std::map<std::string, std::uint64_t> known_requests_;
  bool has_heard_ = false;              // of more, since they were saved
  std::vector<std::uint32_t> written_;  // checksums of the records' codes or contributions
  std::map<std::uint64_t, std::size_t> written_releases_;  // versions of releases, by their number
};

/// The same for reading a store's tasks: numbers of requests that are missing between them.
std::string lost_requests(const std::vector<QueuedTask>& tasks, std::uint64_t last);

}  // namespace colla
