// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/daemon.hpp"

#include "agent/daemon/identity.hpp"
#include "files/text.hpp"
#include "roster/certificates.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 10s;
constexpr std::size_t longest_name = 1000;
constexpr auto between_publications = 50ms;

double seconds_since(EventLoop::Clock::time_point time) {
  return std::chrono::duration<double>(EventLoop::Clock::now() - time).count();
}

}  // namespace

Daemon::Daemon(Home home, bool insecure)
    : home_(std::move(home)),
      graph_(home_.network.graph()),
      log_(home_.agent().name, home_.log == LogFormat::json),
      of_others_(log_, Rate(2, 1.0 / 60)),
      loop_(builder_.AddCompletionQueue()),
      store_(home_.folder.string(), identity_of(home_)),
      agent_(store_.load()),
      credentials_(home_, insecure),
      neighbours_(home_, graph_, credentials_, agent_, loop_, log_, [this] { proceed(); }),
      control_(home_.socket(), loop_, *this) {
  tasks_ = agent_.participant().agent().records().size();
  if (!insecure) look_at_certificate();
}

Daemon::~Daemon() = default;

void Daemon::stop() {
  const auto busy_since = loop_.busy_since();
  if (busy_since && Clock::now() - *busy_since > 1s) {
    log_.info("stopping after the current computation; killing it is safe too");
  }
  loop_.post([this] { stopping_ = true; });
}

void Daemon::run() {
  std::exception_ptr failure;
  try {
    listen();
    log_start();
    proceed();
    live();
  } catch (...) {
    failure = std::current_exception();
  }
  finish();
  if (failure) std::rethrow_exception(failure);
  log_.info(fmt::format("stopped; {} step(s) saved", agent_.steps()));
}

void Daemon::listen() {
  neighbours_.join(builder_);
  server_ = builder_.BuildAndStart();
  if (server_ == nullptr) throw NetworkError("gRPC cannot start a server", home_.listen, "");
  publish();
  control_.listen();
  neighbours_.listen();
}

void Daemon::live() {
  auto next_look = Clock::now() + between_looks;
  while (!stopping_) {
    const auto now = Clock::now();
    if (certificate_end_ != 0 && now >= next_look) {
      look_at_certificate();
      next_look = now + between_looks;
    }
    if (has_changed_ && now >= published_at_ + between_publications) publish();
    auto until = neighbours_.tend(now);
    if (certificate_end_ != 0) until = std::min(until, next_look);
    if (has_changed_)
      until = std::min<Clock::time_point>(until, published_at_ + between_publications);
    if (loop_.run_one(until)) has_changed_ = true;
  }
}

// For requests that come while the agent computes.
void Daemon::publish() {
  control_.publish(status());
  published_at_ = Clock::now();
  has_changed_ = false;
}

// Pending requests are answered first. A server is down when all its calls have ended, and only
// the loop can end them. Failures no longer matter: everything is saved already.
void Daemon::finish() {
  stopping_ = true;
  control_.stop_waiting();
  neighbours_.stop();
  std::atomic<bool> are_down = false;
  std::thread shutdown([&] {
    control_.shut_down();
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now() + 1s);
    are_down = true;
    loop_.post([] {});
  });
  const auto in_vain = [](const auto& work) {
    try {
      work();
      return true;
    } catch (...) {
      return false;
    }
  };
  while (!are_down || !neighbours_.is_quiet()) {
    in_vain([this] { loop_.run_one(Clock::now() + 1s); });
  }
  shutdown.join();
  while (!in_vain([this] { loop_.drain(); })) {
  }
}

void Daemon::log_start() const {
  log_.info(
      fmt::format("{} of network {}: {} mode, {} x {}, {} task(s) learned in {} step(s); "
                  "listening on {}",
                  home_.agent().name, home_.network.id.substr(0, 8), name_of(home_.network.mode),
                  home_.network.agent.features, home_.network.agent.atoms,
                  agent_.participant().agent().records().size(), agent_.steps(), home_.listen));
}

// Goes as far as tasks and messages allow. Sends before it waits for the disk.
void Daemon::proceed() {
  if (stopping_) return;
  neighbours_.send();
  if (agent_.is_step_over()) end_step();
  if (!agent_.is_in_step() && wants_step()) begin_step();
  neighbours_.send();
  moved_at_ = Clock::now();  // after the computation, which is not time spent waiting
  if (agent_.is_step_over()) loop_.post([this] { proceed(); });
}

// Lockstep, as in the paper: an agent begins a step with its own task, and joins others' steps only
// when it has no more tasks. Open: it always joins.
bool Daemon::wants_step() const {
  if (store_.has_begun(agent_.steps() + 1)) return true;
  if (!agent_.has_met_neighbours()) return false;
  if (store_.waiting() > 0) return true;
  return agent_.is_called() && (home_.network.mode == Mode::open || store_.is_closed());
}

void Daemon::begin_step() {
  const std::optional<TaskRows> task = store_.begin_step(agent_.steps() + 1);
  began_at_ = Clock::now();
  task_ = task ? task->task : "";
  publish();
  agent_.begin_step(task ? &*task : nullptr);
}

void Daemon::end_step() {
  store_.end_step(agent_);
  agent_.end_step();
  tasks_ = agent_.participant().agent().records().size();
  last_step_seconds_ = seconds_since(began_at_);
  log_step();
  control_.answer_waiting();
}

// In an open network others can begin steps as often as they like.
void Daemon::log_step() {
  const std::string numerics = to_string(agent_.participant().agent().numerics());
  const auto line = [&](const std::string& what) {
    return fmt::format("step {}: {}, {} exchanges, {:.2f} s{}", agent_.steps(), what,
                       agent_.exchanges(), last_step_seconds_,
                       numerics.empty() ? "" : "; " + numerics);
  };
  if (task_.empty()) {
    of_others_.info("step", line("no task of its own"));
  } else {
    log_.info(line("learned '" + task_ + "'"));
  }
}

// A new certificate applies to new connections: existing connections are reopened a while after the
// files have changed, when gRPC has read them too.
void Daemon::look_at_certificate() {
  if (certificate_is_new_) {
    certificate_is_new_ = false;
    neighbours_.reconnect();
  }
  std::error_code error;
  const auto time = std::filesystem::last_write_time(home_.certificate(), error);
  if (!error && time != certificate_time_) {
    certificate_time_ = time;
    try {
      take_up_certificate();
    } catch (const Error& unreadable) {
      log_.warning(std::string("cannot load the new certificate: ") + unreadable.what());
    }
  }
  warn_of_certificate_end();
}

void Daemon::take_up_certificate() {
  const std::string certificate = read_text_file(home_.certificate().string());
  const CertificateCheck check =
      check_certificate(certificate, read_text_file(home_.authority().string()), home_.agent().name,
                        std::time(nullptr));
  const std::string mismatch = check_key(read_text_file(home_.key().string()), certificate);
  const std::string& refusal = check.refusal.empty() ? mismatch : check.refusal;
  if (!refusal.empty()) {
    log_.warning("the neighbours will refuse this agent: " + refusal);
  } else if (certificate_end_ != 0) {
    certificate_is_new_ = true;
    log_.info("a new certificate, valid until " + date_of(check.not_after));
  }
  certificate_end_ = std::max<std::time_t>(1, check.not_after);
  warned_of_end_at_ = {};
}

// Once a day.
void Daemon::warn_of_certificate_end() {
  const auto now = Clock::now();
  if (certificate_end_ == 0 || certificate_end_ - std::time(nullptr) > renewal_is_due) return;
  if (warned_of_end_at_ != Clock::time_point{} && now - warned_of_end_at_ < 24h) return;
  warned_of_end_at_ = now;
  log_.warning("the certificate ends on " + date_of(certificate_end_) +
               "; `colla network renew` makes a new one");
}

void Daemon::check_is_not_stopping() const {
  if (stopping_) throw NetworkError("the agent is stopping", "", "try again once it is running");
}

// Any program of the owner can use the socket.
void Daemon::check_task(const TaskRows& rows) const {
  if (rows.task.empty() || rows.task.size() > longest_name) {
    throw DataError(fmt::format("a task's name has 1 to {} bytes", longest_name), "", "");
  }
  check_text(rows.task, "the task's name");
  if (home_.network.intercept && rows.X.cols() == home_.network.agent.features &&
      (rows.X.rightCols(1).array() != 1.0).any()) {
    throw DataError("the intercept, the last feature, is not 1 in every row", rows.task, "");
  }
}

std::int64_t Daemon::learn(const TaskRows& rows) {
  check_is_not_stopping();
  check_task(rows);
  const std::int64_t task = store_.enqueue(rows);
  loop_.post([this] { proceed(); });  // the client need not wait for the step
  return task;
}

std::uint64_t Daemon::learned_in(std::int64_t task) {
  check_is_not_stopping();
  if (!store_.has_queued(task)) throw DataError("no task " + std::to_string(task), "", "");
  return store_.is_learned(task) ? store_.learned_in(task) : 0;
}

void Daemon::close() {
  check_is_not_stopping();
  store_.close();
  loop_.post([this] { proceed(); });
}

// One line per reason that the agent waits.
std::vector<std::string> Daemon::waits() const {
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

std::string Daemon::status() {
  const auto position = [](const Position& p) {
    return nlohmann::ordered_json{{"step", p.step}, {"exchange", p.exchange}};
  };
  nlohmann::ordered_json object = {
      {"agent", home_.agent().name},
      {"network", home_.network.id},
      {"mode", name_of(home_.network.mode)},
      {"steps", agent_.steps()},
      {"in_step", agent_.is_in_step()},
      {"exchanges", agent_.is_in_step() ? agent_.exchanges() : 0},
      {"tasks", tasks_},
      {"queued", store_.waiting()},
      {"closed", store_.is_closed()},
      {"waiting", waits()},
      {"computing_seconds", 0.0},
      {"last_step_seconds", last_step_seconds_},
      {"disagreements", agent_.disagreements()},
      {"numerics", as_map<nlohmann::ordered_json>(agent_.numerics())},
      {"neighbours", nlohmann::ordered_json::array()},
  };
  if (certificate_end_ != 0) object["certificate_until"] = date_of(certificate_end_);
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const Neighbours::Neighbour& neighbour = neighbours_[n];
    object["neighbours"].push_back({{"name", neighbour.name},
                                    {"address", neighbour.address},
                                    {"connected", neighbour.is_connected},
                                    {"seconds", seconds_since(neighbour.since)},
                                    {"reason", neighbour.reason},
                                    {"refused", neighbour.is_refused},
                                    {"received", position(agent_.received(n))},
                                    {"probes", agent_.probes(n)},
                                    {"bytes_sent", neighbour.bytes_sent},
                                    {"bytes_received", neighbour.bytes_received}});
  }
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace colla
