// SPDX-License-Identifier: Apache-2.0
#include "agent/store/living_store.hpp"

#include "row_privacy/row_release.hpp"

#include <colla/error.hpp>

#include <cassert>
#include <set>

namespace colla {
namespace {

// 0: none.
std::int64_t last_lost_request(const std::vector<QueuedTask>& tasks, std::uint64_t last) {
  std::set<std::int64_t> known;
  for (const QueuedTask& task : tasks) known.insert(task.id);
  auto request = static_cast<std::int64_t>(last);
  while (request > 0 && known.count(request) > 0) --request;
  return request;
}

std::string size_of_prior(const PriorOptions& prior) {
  return std::to_string(prior.linear.size()) + " linear features, " +
         std::to_string(prior.correlated) + " with correlations, batches of " +
         std::to_string(prior.release_batch);
}

// Values that the network has for ever; the others may change while it lives.
std::vector<std::pair<std::string, std::string>> settings_of(const LivingIdentity& identity) {
  const AgentOptions& agent = identity.options.agent;
  return {{"network", identity.network},
          {"agent", identity.agent},
          {"mode", "living"},
          {"problem", name_of(agent.problem)},
          {"features", std::to_string(agent.features)},
          {"atoms", agent.prior ? "none" : std::to_string(agent.atoms)},
          {"prior", agent.prior ? size_of_prior(*agent.prior) : "none"},
          {"privacy", identity.privacy ? to_text(*identity.privacy) : "none"}};
}

std::uint32_t checksum_of(const TaskRecord& record) {
  return record.statistics != nullptr ? checksum(record.contribution) : checksum(record.code);
}

// What may change of a release, while no task is forgotten.
std::size_t version_of(const ReleasedBatch& batch) { return batch.renewed.size(); }

const std::vector<ReleasedBatch>& releases_of(const LivingAgent& agent) {
  static const std::vector<ReleasedBatch> none;
  return agent.learner().has_prior() ? agent.learner().prior_agent().releases() : none;
}

AgentState completed(AgentState state, const LivingIdentity& identity) {
  if (state.dictionary.size() == 0) state.dictionary = first_state(identity).dictionary;
  return state;
}

}  // namespace

AgentState first_state(const LivingIdentity& identity) {
  std::optional<Matrix> dictionary;
  if (identity.first_dictionary.size() > 0) dictionary = identity.first_dictionary;
  return Learner(identity.options.agent, dictionary).state();
}

LivingStore::LivingStore(const std::string& home, LivingIdentity identity)
    : HomeStore(home, settings_of(identity)),
      identity_(std::move(identity)),
      known_requests_(read_known_requests(database_)) {}

AgentState LivingStore::load() {
  AgentState state = completed(read_living_state(database_, identity_.options.agent, progress_,
                                                 identity_.privacy.has_value()),
                               identity_);
  note_written(state.records, state.releases);
  return state;
}

void LivingStore::note_written(const LivingAgent& agent) {
  note_written(agent.learner().records(), releases_of(agent));
}

void LivingStore::note_written(const std::vector<TaskRecord>& records,
                               const std::vector<ReleasedBatch>& releases) {
  has_heard_ = false;
  written_.clear();
  for (const TaskRecord& record : records) written_.push_back(checksum_of(record));
  written_releases_.clear();
  for (const ReleasedBatch& batch : releases) {
    written_releases_[batch.number] = version_of(batch);
  }
}

// Those that have changed since they were written, or are gone.
void LivingStore::save_releases(const LivingAgent& agent, AgentWriter& writer) {
  std::map<std::uint64_t, std::size_t> old = written_releases_;
  for (const ReleasedBatch& batch : releases_of(agent)) {
    const auto written = old.find(batch.number);
    const bool is_written = written != old.end();
    const bool is_same = is_written && written->second == version_of(batch);
    if (is_written && !is_same) writer.erase_release(batch.number);
    if (!is_same) writer.write_release(batch, agent.learner().prior_agent());
    if (is_written) old.erase(written);
  }
  for (const auto& [number, version] : old) writer.erase_release(number);
}

// Those that have changed since they were written.
void LivingStore::save_records(const LivingAgent& agent, AgentWriter& writer) {
  const std::vector<TaskRecord>& records = agent.learner().records();
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (k < written_.size() && written_[k] == checksum_of(records[k])) continue;
    writer.write_code(k, records[k]);
  }
  if (has_heard_) {
    for (const auto& [name, requests] : known_requests_) {
      writer.write_known_requests(name, requests);
    }
  }
  save_releases(agent, writer);
  const Learner& learner = agent.learner();
  writer.write_kept(learner.dictionary(),
                    learner.has_prior() ? learner.prior_agent().next_refresh() : 0);
}

void LivingStore::check_release(std::span<const TaskRows> tasks, bool again) {
  if (!identity_.privacy || again) return;
  constexpr char remedy[] =
      "`colla agent learn --release-again` spends more: both releases together protect less";
  std::set<std::string> spent;
  std::int64_t told = 0;
  for (const Spending& spending : read_ledger(database_)) {
    spent.insert(spending.task);
    if (spending.again) told = spending.request;
  }
  if (last_lost_request(this->tasks(), requests()) > told) {
    throw DataError("this home is an older copy, and rows may have been released since",
                    "requests " + lost_requests(), remedy);
  }
  for (const TaskRows& task : tasks) {
    if (spent.insert(task.task).second || task.revisit == Revisit::append) continue;
    throw DataError("its privacy is spent: rows of it were released before",
                    "task '" + task.task + "'", remedy);
  }
}

void LivingStore::spend(const QueuedTask& request, const TaskRows& rows, bool again,
                        AgentWriter& writer) const {
  const Index shortened = bounded_rows(rows.X, rows.y, identity_.privacy->bound).shortened;
  writer.write_spending({request.id, request.task, request.rows, shortened,
                         identity_.privacy->epsilon, identity_.privacy->delta, again});
}

void LivingStore::save_learned(std::span<const TaskRows> tasks, const LivingAgent& agent,
                               bool again) {
  const std::vector<TaskRecord>& records = agent.learner().records();
  commit([&](AgentWriter& writer, AgentProgress& next) {
    for (const TaskRows& task : tasks) {
      const auto id = static_cast<std::int64_t>(++next.step);
      const QueuedTask request = {id, task.task, task.X.rows(), task.revisit, next.step};
      writer.write_request(request);
      if (identity_.privacy) spend(request, task, again, writer);
      writer.write_record(records, task.task);
    }
    next.queued = next.learned = static_cast<std::int64_t>(next.step);
    save_records(agent, writer);
  });
  note_written(agent);
}

void LivingStore::save_forgotten(const std::string& task, const LivingAgent& agent) {
  const std::vector<TaskRecord>& records = agent.learner().records();
  commit([&](AgentWriter& writer, AgentProgress& next) {
    const auto id = static_cast<std::int64_t>(++next.step);
    writer.write_request({id, task, 0, Revisit::replace, next.step});
    next.queued = next.learned = id;
    writer.rewrite_records(records);
    for (const auto& [number, version] : written_releases_) writer.erase_release(number);
    written_releases_.clear();
    save_records(agent, writer);
  });
  note_written(agent);
  empty_log();
}

void LivingStore::keep(const LivingAgent& agent) {
  commit([&](AgentWriter& writer, AgentProgress& /*next*/) { save_records(agent, writer); });
  note_written(agent);
}

std::uint64_t LivingStore::known_requests(const std::string& neighbour) const {
  const auto found = known_requests_.find(neighbour);
  return found == known_requests_.end() ? 0 : found->second;
}

bool LivingStore::hear_of_requests(const std::string& neighbour, std::uint64_t requests) {
  if (requests <= known_requests(neighbour)) return false;
  known_requests_[neighbour] = requests;
  has_heard_ = true;
  return true;
}

void LivingStore::note_lost_requests(std::uint64_t last) {
  assert(last > requests());
  commit([last](AgentWriter& /*writer*/, AgentProgress& next) {
    next.step = last;
    next.queued = next.learned = static_cast<std::int64_t>(last);
  });
}

std::string LivingStore::lost_requests() { return colla::lost_requests(tasks(), requests()); }

std::vector<Spending> LivingStore::ledger(const std::string& home, const LivingIdentity& identity) {
  const auto settings = settings_of(identity);
  Watched store = watch(home, &settings);
  return read_ledger(store.database);
}

std::string lost_requests(const std::vector<QueuedTask>& tasks, std::uint64_t last) {
  std::string ranges;
  std::uint64_t expected = 1;
  const auto add = [&](std::uint64_t next) {
    if (next == expected) return;
    ranges += (ranges.empty() ? "" : ", ") + std::to_string(expected);
    if (next - expected > 1) ranges += " to " + std::to_string(next - 1);
  };
  for (const QueuedTask& task : tasks) {
    add(static_cast<std::uint64_t>(task.id));
    expected = static_cast<std::uint64_t>(task.id) + 1;
  }
  add(last + 1);
  return ranges;
}

AgentState LivingStore::look(const std::string& home, const LivingIdentity& identity) {
  const auto settings = settings_of(identity);
  Watched store = watch(home, &settings);
  AgentState state = completed(read_living_state(store.database, identity.options.agent,
                                                 store.progress, identity.privacy.has_value()),
                               identity);
  if (!identity.options.agent.prior) return state;
  AgentOptions living = identity.options.agent;
  living.prior->means_over_tasks = true;
  state.dictionary = PriorAgent(living, state).mean_of_sums();
  return state;
}

}  // namespace colla
