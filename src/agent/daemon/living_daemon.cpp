// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/living_daemon.hpp"

#include "agent/daemon/identity.hpp"
#include "files/text.hpp"
#include "row_privacy/row_release.hpp"

#include <colla/error.hpp>
#include <colla/healing.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <random>

namespace colla {
namespace {

using namespace std::chrono_literals;

// What neighbours say, before the agent wakes; gRPC rounds it up to its next millisecond.
constexpr auto time_to_gather = 50us;
constexpr auto least_between_keeping = 1s;
constexpr int most_of_the_time = 20;  // one part in so many may go into keeping
constexpr auto between_repetitions = 5s;
constexpr auto between_roster_looks = 2s;
// A neighbour that claims to know of more has made it up.
constexpr std::uint64_t most_lost = 1'000'000;

constexpr char two_copies[] =
    "two copies of this home run at the same time: stop one of them, and start the other again";

std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

std::string text_of_roster(const Home& home) {
  return read_text_file((home.folder / "network.toml").string());
}

}  // namespace

LivingDaemon::LivingDaemon(Home home, bool insecure)
    : Daemon(std::move(home), insecure),
      store_(home_.folder.string(), living_identity_of(home_)),
      agent_(make_agent(store_.load())),
      roster_(text_of_roster(home_)),
      instance_(random_number()),
      lost_(store_.lost_requests()) {
  meet_neighbours();
  roster_time_ = std::filesystem::last_write_time(home_.folder / "network.toml");
}

LivingAgent LivingDaemon::make_agent(AgentState state) const {
  NetworkOptions options = static_cast<const NetworkOptions&>(home_.network);
  if (const auto& privacy = home_.network.privacy) {
    options.agent.prior->release =
        release_with(*privacy, options.agent.problem, std::make_shared<ReleasedRows>());
  }
  return {options, {}, random_number(), std::move(state)};
}

// As the roster has them.
void LivingDaemon::meet_neighbours() {
  const Graph graph = home_.network.graph();
  std::map<std::string, double> weights;
  for (const Link& link : graph.links(home_.position)) {
    weights[home_.network.agents[static_cast<std::size_t>(link.neighbour)].name] =
        edge_weight(graph.pace(), graph.degree(home_.position), graph.degree(link.neighbour));
  }
  agent_.set_neighbours(weights, std::max<Index>(2, graph.agents()));
  std::erase_if(acquaintances_, [&](const auto& entry) { return weights.count(entry.first) == 0; });
  for (const auto& [name, weight] : weights) acquaintances_.try_emplace(name);
}

std::string LivingDaemon::description() const {
  return fmt::format("roster {}, {} task(s)", home_.network.version,
                     agent_.learner().records().size());
}

std::string LivingDaemon::what_is_saved() const {
  return fmt::format("{} task(s) saved", agent_.learner().records().size());
}

// --- Learning
// -------------------------------------------------------------------------------------

// Returns the number of the last request. If the disk is full, the agent is as it was before.
std::uint64_t LivingDaemon::saved(const std::function<void()>& save) {
  try {
    save();
  } catch (const StoreError&) {
    agent_ = make_agent(store_.load());
    meet_neighbours();
    throw;
  }
  has_moved_ = false;
  kept_at_ = Clock::now();
  loop_.post([this] { proceed(); });  // the client need not wait for the neighbours
  return store_.requests();
}

std::int64_t LivingDaemon::learn(const std::vector<TaskRows>& tasks, bool release_again) {
  check_is_not_stopping();
  for (const TaskRows& task : tasks) {
    check_task(task);
    agent_.check_rows(task.task, task.X, task.y);
    check_number_of_rows(task, home_.network.minimum_rows);
  }
  store_.check_release(tasks, release_again);
  publish();
  for (const TaskRows& task : tasks) agent_.learn(task.task, task.X, task.y, task.revisit);
  agent_.wake();
  const std::uint64_t last = saved([&] { store_.save_learned(tasks, agent_, release_again); });
  for (const TaskRows& task : tasks) log_.info("learned '" + printable(task.task) + "'");
  return static_cast<std::int64_t>(last) - std::ssize(tasks) + 1;
}

std::int64_t LivingDaemon::forget(const std::string& task) {
  check_is_not_stopping();
  if (!agent_.learner().knows(task)) {
    throw DataError("unknown to this agent", "task '" + task + "'",
                    "`colla agent tasks` lists those that it has");
  }
  agent_.forget(task);
  agent_.wake();
  const std::uint64_t last = saved([&] { store_.save_forgotten(task, agent_); });
  log_.info("forgot '" + printable(task) + "'");
  return static_cast<std::int64_t>(last);
}

std::uint64_t LivingDaemon::learned_in(std::int64_t request) {
  check_is_not_stopping();
  const auto number = static_cast<std::uint64_t>(request);
  if (request < 1 || number > store_.requests()) {
    throw DataError("no request " + std::to_string(request), "", "");
  }
  return number <= settled_ ? number : 0;
}

void LivingDaemon::close() {
  throw OptionError("a living network waits for nobody's tasks", "", "there is nothing to close");
}

void LivingDaemon::reopen() { close(); }

// --- Waking
// ---------------------------------------------------------------------------------------

// Not at once: everything that comes in meanwhile is handled before the agent wakes. Agents that
// wake for every message by itself hardly come to agree.
void LivingDaemon::proceed() {
  if (stopping_) return;
  neighbours_.send();
  if (is_waking_ || !agent_.has_reason_to_wake()) return;
  is_waking_ = true;
  wake_at_ = Clock::now() + time_to_gather;
}

LivingDaemon::Clock::time_point LivingDaemon::tend_waking(Clock::time_point now) {
  if (!wake_at_) return Clock::time_point::max();
  if (now < *wake_at_) return *wake_at_;
  wake_at_.reset();
  loop_.post([this] { wake(); });  // after the events of which the loop knows already
  return Clock::time_point::max();
}

void LivingDaemon::wake() {
  is_waking_ = false;
  if (stopping_) return;
  if (agent_.has_reason_to_wake()) {
    agent_.wake();
    has_moved_ = true;
  }
  proceed();
}

void LivingDaemon::keep() {
  const auto start = Clock::now();
  try {
    store_.keep(agent_);
    has_moved_ = false;
  } catch (const StoreError& error) {
    of_others_.warning("keep", std::string("cannot save what the network taught: ") + error.what());
  }
  kept_at_ = Clock::now();
  keeping_ = kept_at_ - start;
  status_changed();
}

LivingDaemon::Clock::time_point LivingDaemon::tend_agent(Clock::time_point now) {
  auto next = std::min<Clock::time_point>(now + 1h, tend_waking(now));
  if (has_moved_) {
    const auto least = agent_.is_settled() ? Clock::duration(0) : least_between_keeping;
    const auto due = kept_at_ + std::max<Clock::duration>(least, most_of_the_time * keeping_);
    if (due <= now) keep();
    next = std::min(next, std::max(due, now));
  }
  // Not before it is kept: predictions are made from what is. A full disk keeps nothing.
  const bool is_kept = !has_moved_ || kept_at_ >= now;
  if (agent_.is_settled() && is_kept && settled_ < store_.requests()) {
    settled_ = store_.requests();
    control_.answer_waiting();
  }
  if (now >= looked_at_ + between_roster_looks) {
    looked_at_ = now;
    read_roster_file();
    repeat_what_is_not_heard(now);
  }
  return std::min(next, looked_at_ + between_roster_looks);
}

// What was told may have been set aside, or its answer lost with a connection.
void LivingDaemon::repeat_what_is_not_heard(Clock::time_point now) {
  for (auto& [name, known] : acquaintances_) {
    const bool waits = neighbours_.is_connected(name) && !agent_.is_heard(name);
    if (!waits || now < known.told_at + between_repetitions) continue;
    known.is_new = true;
  }
  neighbours_.send();
}

void LivingDaemon::before_end() {
  if (has_moved_) keep();
}

// --- Conversation
// ---------------------------------------------------------------------------------

Hello LivingDaemon::greeting(const std::string& neighbour) const {
  Hello hello = own_hello(home_);
  hello.living->instance = instance_;
  hello.living->requests = store_.requests();
  hello.living->known_requests = store_.known_requests(neighbour);
  return hello;
}

void LivingDaemon::greeted(const std::string& neighbour, const Hello& hello) {
  check_copies(neighbour, *hello.living);
  check_same_roster(neighbour, hello);
  Acquaintance& known = acquaintances_.at(neighbour);
  known.version = hello.living->version;
  known.is_new = true;
  if (store_.hear_of_requests(neighbour, hello.living->requests)) has_moved_ = true;
  hear_of_own_requests(neighbour, hello.living->known_requests);
}

// A process that comes back after another one took its place still runs, and so does the other.
void LivingDaemon::check_copies(const std::string& neighbour, const LivingHello& living) {
  Acquaintance& known = acquaintances_.at(neighbour);
  if (known.former.contains(living.instance)) {
    const bool is_news = known.copies_told.insert(living.instance).second;
    if (is_news) loop_.post([this, neighbour] { neighbours_.tell(neighbour, two_copies); });
    throw NetworkError(two_copies, "", "");
  }
  if (known.instance != 0 && known.instance != living.instance) {
    known.former.insert(known.instance);
    known.copies_told.clear();  // one of them has been started again
  }
  known.instance = living.instance;
}

// This home was restored from an older copy: what it was given since is lost here.
void LivingDaemon::hear_of_own_requests(const std::string& neighbour, std::uint64_t requests) {
  if (requests <= store_.requests()) return;
  if (requests - store_.requests() > most_lost) {
    of_others_.warning("lost", fmt::format("{} claims to know of {} requests of this home, which "
                                           "has {}: not believed",
                                           neighbour, requests, store_.requests()));
    return;
  }
  try {
    store_.note_lost_requests(requests);
  } catch (const StoreError& error) {  // the next greeting says so again
    of_others_.warning("lost", std::string("cannot note what is lost: ") + error.what());
    return;
  }
  lost_ = store_.lost_requests();
  log_.warning(
      fmt::format("this home is an older copy: {} knows of {} requests to learn or forget "
                  "tasks; number {} are lost here, give them again",
                  neighbour, requests, lost_));
}

void LivingDaemon::take(const std::string& neighbour, Frame frame) {
  Acquaintance& known = acquaintances_.at(neighbour);
  if (auto* roster = std::get_if<RosterText>(&frame)) {
    take_roster(neighbour, *roster);
    return;
  }
  const auto* word = std::get_if<Word>(&frame);
  if (word == nullptr) throw NetworkError("a frame of a network that does not live", "", "");
  if (store_.hear_of_requests(neighbour, word->requests)) has_moved_ = true;
  const Verdict verdict = agent_.receive(neighbour, word->message);
  if (verdict == Verdict::set_aside) ++known.set_aside;
  if (verdict != Verdict::refused) return;
  ++known.refused;
  throw NetworkError("it sent values that no agent of this network sends", "", "");
}

std::string LivingDaemon::next(const std::string& neighbour) {
  Acquaintance& known = acquaintances_.at(neighbour);
  const auto version = static_cast<std::uint64_t>(home_.network.version);
  if (known.version < version) {
    known.version = version;
    return encode(RosterText{roster_});
  }
  std::optional<LivingMessage> message;
  if (known.is_new) {
    message = agent_.repeat(neighbour);
  } else {
    message = agent_.next_message(neighbour);
  }
  known.is_new = false;
  if (!message) return {};
  known.told_at = Clock::now();
  return encode(Word{*message, store_.requests()});
}

std::uint64_t LivingDaemon::probes(const std::string& neighbour) const {
  const auto found = acquaintances_.find(neighbour);
  return found == acquaintances_.end() ? 0 : found->second.refused;
}

}  // namespace colla
