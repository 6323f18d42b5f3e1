// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/lockstep_daemon.hpp"

#include "agent/daemon/identity.hpp"
#include "roster/membership.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace colla {

LockstepDaemon::LockstepDaemon(Home home, bool insecure)
    : Daemon(std::move(home), insecure),
      store_(home_.folder.string(), identity_of(home_)),
      agent_(store_.load()),
      next_(agent_.neighbours()),
      tasks_(agent_.participant().records().size()) {
  for (const RosterAgent& neighbour : neighbours_of(home_)) {
    place_.emplace(neighbour.name, place_.size());
  }
}

std::string LockstepDaemon::description() const {
  const auto [rows, columns] = exchanged_size(home_.network.agent);
  return fmt::format("{} x {}, {} task(s) learned in {} step(s)", rows, columns,
                     agent_.participant().records().size(), agent_.steps());
}

std::string LockstepDaemon::what_is_saved() const {
  return fmt::format("{} step(s) saved", agent_.steps());
}

LockstepDaemon::Clock::time_point LockstepDaemon::tend_agent(Clock::time_point now) {
  return now + std::chrono::hours(1);
}

// Goes as far as tasks and messages allow. Sends before it waits for the disk.
void LockstepDaemon::proceed() {
  if (stopping_) return;
  neighbours_.send();
  if (agent_.is_step_over()) end_step();
  if (!agent_.is_in_step() && wants_step()) begin_step();
  neighbours_.send();
  moved_at_ = Clock::now();  // after the computation, which is not time spent waiting
  if (agent_.is_step_over()) loop_.post([this] { proceed(); });
}

// As in the paper: an agent begins a step with its own task, and joins others' steps only when it
// has no more tasks.
bool LockstepDaemon::wants_step() const {
  if (store_.has_begun(agent_.steps() + 1)) return true;
  if (!agent_.has_met_neighbours()) return false;
  if (store_.waiting() > 0) return true;
  return agent_.is_called() && store_.is_closed();
}

void LockstepDaemon::begin_step() {
  const std::optional<TaskRows> task = store_.begin_step(agent_.steps() + 1);
  began_at_ = Clock::now();
  own_part_.clear();
  if (task) own_part_ = (task->X.rows() > 0 ? "learned '" : "forgot '") + task->task + "'";
  publish();
  agent_.begin_step(task ? &*task : nullptr);
}

void LockstepDaemon::end_step() {
  store_.end_step(agent_);
  agent_.end_step();
  tasks_ = agent_.participant().records().size();
  last_step_seconds_ = seconds_since(began_at_);
  log_step();
  control_.answer_waiting();
}

// While this agent is closed, others can begin steps as often as they like.
void LockstepDaemon::log_step() {
  const std::string numerics = to_string(agent_.participant().numerics());
  const auto line = [&](const std::string& what) {
    return fmt::format("step {}: {}, {} exchanges, {:.2f} s{}", agent_.steps(), what,
                       agent_.exchanges(), last_step_seconds_,
                       numerics.empty() ? "" : "; " + numerics);
  };
  if (own_part_.empty()) {
    of_others_.info("step", line("no task of its own"));
  } else {
    log_.info(line(own_part_));
  }
}

std::int64_t LockstepDaemon::learn(const std::vector<TaskRows>& tasks, bool /*release_again*/) {
  check_is_not_stopping();
  for (const TaskRows& task : tasks) check_task(task);
  const std::int64_t first = store_.enqueue_all(tasks);
  loop_.post([this] { proceed(); });  // the client need not wait for the step
  return first;
}

std::int64_t LockstepDaemon::forget(const std::string& task) {
  check_is_not_stopping();
  const std::int64_t request = store_.enqueue_forgetting(task);
  loop_.post([this] { proceed(); });
  return request;
}

std::uint64_t LockstepDaemon::learned_in(std::int64_t task) {
  check_is_not_stopping();
  if (!store_.has_queued(task)) throw DataError("no task " + std::to_string(task), "", "");
  return store_.is_learned(task) ? store_.learned_in(task) : 0;
}

void LockstepDaemon::close() {
  check_is_not_stopping();
  store_.close();
  loop_.post([this] { proceed(); });
}

void LockstepDaemon::reopen() {
  check_is_not_stopping();
  store_.reopen();
}

// One line per reason that the agent waits.
std::vector<std::string> LockstepDaemon::waits() const {
  std::vector<std::string> lines;
  const bool is_idle = !agent_.is_in_step() && !agent_.is_called() && store_.waiting() == 0;
  for (const std::size_t n : is_idle ? std::vector<std::size_t>() : agent_.awaited()) {
    const Position expected = agent_.plan().after(agent_.received(n));
    std::string line = fmt::format("waiting {:.0f} s for {}: {}", seconds_since(moved_at_),
                                   neighbours_[n].name, to_string(expected));
    if (!neighbours_[n].is_connected) line += " (not connected: " + neighbours_[n].reason + ")";
    lines.push_back(line);
  }
  if (!agent_.is_in_step() && lines.empty()) {
    const std::string next = std::to_string(agent_.steps() + 1);
    lines.push_back(agent_.is_called()   ? "waiting for a task: others have begun step " + next
                    : store_.is_closed() ? "closed; joins when others begin step " + next
                                         : "waiting for a task");
  }
  return lines;
}

// --- Conversation
// ---------------------------------------------------------------------------------

Hello LockstepDaemon::greeting(const std::string& neighbour) const {
  Hello hello = own_hello(home_);
  const std::size_t n = place_.at(neighbour);
  hello.received = agent_.received(n);
  hello.received_checksum = agent_.received_checksum(n);
  return hello;
}

void LockstepDaemon::greeted(const std::string& neighbour, const Hello& hello) {
  const std::size_t n = place_.at(neighbour);
  agent_.greet(n, hello.received, hello.received_checksum);
  next_[n] = agent_.plan().after(hello.received);
}

void LockstepDaemon::take(const std::string& neighbour, Frame frame) {
  auto* message = std::get_if<Message>(&frame);
  if (message == nullptr) throw NetworkError("a frame of a living network", "", "");
  agent_.receive(place_.at(neighbour), std::make_shared<const Message>(std::move(*message)));
}

std::string LockstepDaemon::next(const std::string& neighbour) {
  Position& position = next_[place_.at(neighbour)];
  const auto message = agent_.sent(position);
  if (message == nullptr) return {};
  position = agent_.plan().after(position);
  return encoded(message);
}

// Once for all neighbours.
const std::string& LockstepDaemon::encoded(const std::shared_ptr<const Message>& message) {
  if (message != encoded_message_) {
    encoded_bytes_ = encode(*message);
    encoded_message_ = message;
  }
  return encoded_bytes_;
}

std::uint64_t LockstepDaemon::probes(const std::string& neighbour) const {
  return agent_.probes(place_.at(neighbour));
}

void LockstepDaemon::take_roster(const std::string& /*member*/, const RosterText& /*roster*/) {
  throw NetworkError("a roster, and this network cannot change", "", "");
}

std::string LockstepDaemon::update(const std::string& /*roster*/) {
  throw OptionError("the network " + cannot_change(home_.network), "", "make a new one");
}

// --- Status
// ---------------------------------------------------------------------------------------

void LockstepDaemon::add_status(nlohmann::ordered_json& object) {
  object["steps"] = agent_.steps();
  object["in_step"] = agent_.is_in_step();
  object["exchanges"] = agent_.is_in_step() ? agent_.exchanges() : 0;
  object["tasks"] = tasks_;
  object["queued"] = store_.waiting();
  object["closed"] = store_.is_closed();
  object["waiting"] = waits();
  object["last_step_seconds"] = last_step_seconds_;
  object["disagreements"] = agent_.disagreements();
  object["numerics"] = as_map<nlohmann::ordered_json>(agent_.numerics());
}

void LockstepDaemon::add_status(nlohmann::ordered_json& object,
                                const std::string& neighbour) const {
  const Position& received = agent_.received(place_.at(neighbour));
  object["received"] = {{"step", received.step}, {"exchange", received.exchange}};
  object["probes"] = probes(neighbour);
}

}  // namespace colla
