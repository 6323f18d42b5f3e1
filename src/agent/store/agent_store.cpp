// SPDX-License-Identifier: Apache-2.0
#include "agent/store/agent_store.hpp"

#include <colla/error.hpp>

#include <cassert>

namespace colla {
namespace {

std::vector<std::pair<std::string, std::string>> checked_settings(const AgentIdentity& identity) {
  if (identity.options.agent.remember_models) return settings_of(identity);
  throw OptionError("an agent that can be restarted must remember models", "",
                    "set AgentOptions::remember_models");
}

}  // namespace

AgentStore::AgentStore(const std::string& home, AgentIdentity identity)
    : HomeStore(home, checked_settings(identity)), identity_(std::move(identity)) {}

NetworkedAgent AgentStore::load() { return read_agent(database_, identity_, progress_); }

std::int64_t AgentStore::enqueue_all(std::span<const TaskRows> tasks) {
  if (is_closed()) {
    throw StoreError("the queue is closed: no more tasks", database_.shown_as(),
                     "`colla agent reopen` opens it again");
  }
  for (const TaskRows& task : tasks) {
    check_rows(identity_.options.agent, task.task, task.X, task.y);
    check_number_of_rows(task, identity_.minimum_rows);
  }
  const std::int64_t first = progress_.queued + 1;
  commit([&tasks](AgentWriter& writer, AgentProgress& next) {
    for (const TaskRows& task : tasks) writer.write_task(++next.queued, task);
  });
  return first;
}

std::int64_t AgentStore::enqueue_forgetting(const std::string& task) {
  const std::vector<QueuedTask> all = tasks();
  check_known(all, task);
  std::int64_t id = 0;
  commit([&](AgentWriter& writer, AgentProgress& next) {
    for (const QueuedTask& each : all) {
      const bool waits = each.step == 0 && (each.id != progress_.task || !has_begun(steps() + 1));
      if (each.task != task || !waits) continue;
      writer.withdraw(each.id);
      id = each.id;
    }
    if (id != 0) return;
    id = ++next.queued;
    writer.write_task(id, {task, Samples(0, 0), Vector(0)});
  });
  empty_log();
  return id;
}

void AgentStore::set_closed(bool closed) {
  if (is_closed() == closed) return;
  commit([closed](AgentWriter& /*writer*/, AgentProgress& next) { next.closed = closed; });
}

std::uint64_t AgentStore::learned_in(std::int64_t task) {
  return tasks()[static_cast<std::size_t>(task - 1)].step;
}

std::optional<TaskRows> AgentStore::begin_step(std::uint64_t step) {
  assert(step == progress_.step + 1);
  if (!has_begun(step)) {
    commit([this, step](AgentWriter& /*writer*/, AgentProgress& next) {
      next.begun = step;
      next.task = waiting() > 0 ? progress_.learned + 1 : 0;
    });
  }
  if (progress_.task == 0) return {};
  return read_task(database_, progress_.task, identity_.options.agent.features);
}

void AgentStore::end_step(const NetworkedAgent& agent) {
  const Participant& participant = agent.participant();
  assert(agent.is_step_over() && has_begun(participant.step()));
  const bool has_learned = progress_.task != 0;
  const bool has_refreshed = identity_.options.refresh > 0;

  commit([&](AgentWriter& writer, AgentProgress& next) {
    writer.write_messages(agent);
    writer.write_edge_states(participant.edge_states());
    if (has_learned) {
      const std::string task = writer.mark_learned(progress_.task, participant.step());
      if (participant.knows(task)) {
        writer.write_record(participant.records(), task);
      } else {
        writer.rewrite_records(participant.records());
      }
      ++next.learned;
    }
    if (has_refreshed) writer.write_refreshed(participant, identity_.options.refresh);
    if (has_learned || has_refreshed) writer.write_rest(participant);
    next.step = participant.step();
  });
  if (has_learned) empty_log();
}

NetworkedAgent AgentStore::look(const std::string& home, const AgentIdentity& identity) {
  const auto settings = settings_of(identity);
  Watched store = watch(home, &settings);
  return read_agent(store.database, identity, store.progress);
}

}  // namespace colla
