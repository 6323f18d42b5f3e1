// SPDX-License-Identifier: Apache-2.0
// The agent's side of the socket in its home (proto/control.proto). gRPC's threads only post the
// questions; the thread that runs the mailbox answers them.
#pragma once

#include "daemon/mailbox.hpp"
#include "engine/networked/networked_agent.hpp"

#include <grpcpp/server.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace colla {

/// What the agent is asked. Each may throw an Error, which the asker is told.
class ControlCommands {
 public:
  virtual ~ControlCommands() = default;
  /// Returns the task's number once it is safe.
  virtual std::int64_t learn(const TaskRows& rows) = 0;
  /// `learned` is called once with the step in which the task was learned; with 0 if the agent
  /// stops before.
  virtual void wait(std::int64_t task, std::function<void(std::uint64_t step)> learned) = 0;
  virtual void close() = 0;
  virtual std::string status() = 0;
};

class ControlServer {
 public:
  ControlServer(const std::filesystem::path& socket, Mailbox& mailbox, ControlCommands& commands);
  ~ControlServer();

  /// Throws an Error if the socket cannot be made. Only the owner of the home can use it.
  void listen();
  /// Refuses new questions and waits until all are answered: the mailbox must be run meanwhile.
  void stop();

 private:
  class Service;
  std::filesystem::path socket_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace colla
