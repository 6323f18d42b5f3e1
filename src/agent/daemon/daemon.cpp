// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/daemon.hpp"

#include "agent/daemon/living_daemon.hpp"
#include "agent/daemon/lockstep_daemon.hpp"
#include "agent/daemon/steady_waits.hpp"
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

constexpr std::size_t longest_task_name = 1000;
constexpr auto between_publications = 50ms;

}  // namespace

std::unique_ptr<Daemon> make_daemon(Home home, bool insecure) {
  sleep_by_the_steady_clock();
  hear_grpc({});  // it would write to standard error itself, and wait for whoever reads it
  if (home.network.mode == Mode::living) {
    return std::make_unique<LivingDaemon>(std::move(home), insecure);
  }
  return std::make_unique<LockstepDaemon>(std::move(home), insecure);
}

Daemon::Daemon(Home home, bool insecure)
    : home_(std::move(home)),
      log_(home_.agent().name, home_.log == LogFormat::json),
      of_others_(log_, Rate(2, 1.0 / 60)),
      loop_(builder_.AddCompletionQueue()),
      credentials_(home_, insecure),
      neighbours_(home_, credentials_, *this, loop_, log_, [this] { proceed(); }),
      control_(home_.socket(), loop_, *this) {
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

void Daemon::run(const std::function<void()>& listening, const std::function<void()>& ending) {
  std::exception_ptr failure;
  try {
    listen();
    log_start();
    listening();
    proceed();
    live();
  } catch (...) {
    failure = std::current_exception();
  }
  ending();
  finish();
  if (failure) std::rethrow_exception(failure);
  log_.info("stopped; " + what_is_saved());
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
  const std::chrono::seconds between_looks(home_.look_every);
  auto next_look = Clock::now() + between_looks;
  while (!stopping_) {
    const auto now = Clock::now();
    if (certificate_end_ != 0 && now >= next_look) {
      look_at_certificate();
      next_look = now + between_looks;
    }
    if (has_changed_ && now >= published_at_ + between_publications) publish();
    auto until = std::min(neighbours_.tend(now), tend_agent(now));
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
  before_end();
  control_.stop_waiting();
  neighbours_.stop();
  std::atomic<bool> are_down = false;
  std::thread shutdown([&] {
    control_.shut_down();
    if (server_ != nullptr) server_->Shutdown(deadline_in(1s));
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
  log_.info(fmt::format("{} of network {}: {}, {} mode, {}; listening on {}", home_.agent().name,
                        home_.network.id.substr(0, 8), name_of(algorithm_of(home_.network)),
                        name_of(home_.network.mode), description(), home_.listen));
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
                        std::time(nullptr), home_.network.revoked);
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
  if (rows.task.empty() || rows.task.size() > longest_task_name) {
    throw DataError(fmt::format("a task's name has 1 to {} bytes", longest_task_name), "", "");
  }
  check_name(rows.task, "task '" + rows.task + "'");
  if (home_.network.intercept && rows.X.cols() == home_.network.agent.features &&
      (rows.X.rightCols(1).array() != 1.0).any()) {
    throw DataError("the intercept, the last feature, is not 1 in every row", rows.task, "");
  }
}

std::string Daemon::status() {
  nlohmann::ordered_json object = {{"agent", home_.agent().name},
                                   {"network", home_.network.id},
                                   {"mode", name_of(home_.network.mode)},
                                   {"algorithm", name_of(algorithm_of(home_.network))}};
  add_status(object);
  object["current"] = true;
  object["computing_seconds"] = 0.0;
  object["clients_waiting"] = control_.clients_waiting();
  object["neighbours"] = nlohmann::ordered_json::array();
  if (certificate_end_ != 0) object["certificate_until"] = date_of(certificate_end_);
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const Neighbours::Neighbour& neighbour = neighbours_[n];
    nlohmann::ordered_json entry = {{"name", neighbour.name},
                                    {"address", neighbour.address},
                                    {"connected", neighbour.is_connected},
                                    {"was_connected", neighbour.was_connected},
                                    {"seconds", seconds_since(neighbour.since)},
                                    {"reason", neighbour.reason},
                                    {"refused", neighbour.is_refused},
                                    {"bytes_sent", neighbour.bytes_sent},
                                    {"bytes_received", neighbour.bytes_received}};
    add_status(entry, neighbour.name);
    object["neighbours"].push_back(std::move(entry));
  }
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace colla
