// SPDX-License-Identifier: Apache-2.0
// One agent as a separate program: its connections, its certificate, and requests through the
// socket in its home. Its network's mode decides what it does with them: LockstepDaemon takes
// steps together with all others, LivingDaemon waits for nobody.
#pragma once

#include "agent/daemon/control_server.hpp"
#include "agent/daemon/neighbours.hpp"

#include <nlohmann/json_fwd.hpp>

namespace colla {

class Daemon : protected ControlCommands, protected Conversation {
 public:
  ~Daemon() override;

  /// Takes part in the network until `stop`; `listening` is called once it can be asked, `ending`
  /// when it begins to end. Throws an Error if it cannot continue; what was saved stays saved.
  void run(const std::function<void()>& listening, const std::function<void()>& ending);
  /// From any thread.
  void stop();
  /// Instead of waiting. From any thread and in signal handlers.
  bool is_computing() const { return loop_.busy_since().has_value(); }

 protected:
  using Clock = EventLoop::Clock;

  /// `insecure` is for networks on one machine: no TLS.
  Daemon(Home home, bool insecure);

  /// Goes as far as tasks and messages allow: after every event.
  virtual void proceed() = 0;
  /// What is due by time; returns when there is something to do again.
  virtual Clock::time_point tend_agent(Clock::time_point now) = 0;
  /// The last thing that the agent does.
  virtual void before_end() = 0;
  /// "16 x 3, 4 task(s) learned in 4 step(s)"
  virtual std::string description() const = 0;
  /// "4 step(s) saved"
  virtual std::string what_is_saved() const = 0;
  virtual void add_status(nlohmann::ordered_json& object) = 0;
  virtual void add_status(nlohmann::ordered_json& object, const std::string& neighbour) const = 0;

  /// Throws NetworkError.
  void check_is_not_stopping() const;
  /// Throws DataError: any program of the owner can use the socket.
  void check_task(const TaskRows& rows) const;
  /// The status to give while the agent computes.
  void publish();
  void status_changed() { has_changed_ = true; }
  std::string status() final;

  Home home_;
  Log log_;
  Notices of_others_;
  grpc::ServerBuilder builder_;
  EventLoop loop_;
  Credentials credentials_;
  Neighbours neighbours_;
  ControlServer control_;
  bool stopping_ = false;

 private:
  void listen();
  void log_start() const;
  void live();
  void finish();
  void look_at_certificate();
  void take_up_certificate();
  void warn_of_certificate_end();

  std::unique_ptr<grpc::Server> server_;
  Clock::time_point published_at_;
  bool has_changed_ = false;  // since then
  std::filesystem::file_time_type certificate_time_;
  bool certificate_is_new_ = false;
  std::time_t certificate_end_ = 0;
  Clock::time_point warned_of_end_at_;
};

/// Of the kind that the home's network needs. Throws an Error if the home or its store is unusable
/// or in use.
std::unique_ptr<Daemon> make_daemon(Home home, bool insecure);

inline double seconds_since(EventLoop::Clock::time_point time) {
  return std::chrono::duration<double>(EventLoop::Clock::now() - time).count();
}

}  // namespace colla
