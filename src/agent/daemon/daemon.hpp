// SPDX-License-Identifier: Apache-2.0
// One agent as a separate program: the agent, its store, its neighbours, and requests through the
// socket in its home.
#pragma once

#include "agent/daemon/control_server.hpp"
#include "agent/daemon/neighbours.hpp"
#include "agent/store/agent_store.hpp"

namespace colla {

class Daemon final : private ControlCommands {
 public:
  /// Throws an Error if the home or its store is unusable or in use. `insecure` is for networks on
  /// one machine: no TLS.
  Daemon(Home home, bool insecure);
  ~Daemon() override;

  /// Takes part in the network until `stop`. Throws an Error if it cannot continue; what was saved
  /// stays saved.
  void run();
  /// From any thread.
  void stop();

 private:
  using Clock = EventLoop::Clock;

  std::int64_t learn(const TaskRows& rows) override;
  std::uint64_t learned_in(std::int64_t task) override;
  void close() override;
  std::string status() override;

  void listen();
  void log_start() const;
  void live();
  void finish();
  void check_is_not_stopping() const;
  void check_task(const TaskRows& rows) const;
  void publish();
  void proceed();
  bool wants_step() const;
  void begin_step();
  void end_step();
  void log_step();
  void look_at_certificate();
  void take_up_certificate();
  void warn_of_certificate_end();
  std::vector<std::string> waits() const;

  Home home_;
  Graph graph_;
  Log log_;
  Notices of_others_;
  grpc::ServerBuilder builder_;
  EventLoop loop_;
  AgentStore store_;
  NetworkedAgent agent_;
  Credentials credentials_;
  Neighbours neighbours_;
  ControlServer control_;
  std::unique_ptr<grpc::Server> server_;

  bool stopping_ = false;
  Clock::time_point moved_at_ = Clock::now();  // the last message or step
  Clock::time_point began_at_ = Clock::now();  // the step
  std::string task_;                           // of the step
  std::size_t tasks_ = 0;                      // learned in finished steps
  double last_step_seconds_ = 0.0;
  Clock::time_point published_at_;
  bool has_changed_ = false;  // since then
  std::filesystem::file_time_type certificate_time_;
  bool certificate_is_new_ = false;
  std::time_t certificate_end_ = 0;
  Clock::time_point warned_of_end_at_;
};

}  // namespace colla
