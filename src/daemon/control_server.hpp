// SPDX-License-Identifier: Apache-2.0
// The agent's side of the socket in its home (proto/control.proto).
#pragma once

#include "engine/networked/networked_agent.hpp"

#include <grpcpp/server.h>

#include <filesystem>
#include <memory>
#include <string>

namespace colla {

/// What the agent is asked, on gRPC's threads. Each may throw an Error, which the asker is told.
class ControlCommands {
 public:
  virtual ~ControlCommands() = default;
  /// Returns the task's number once it is safe.
  virtual std::int64_t learn(const TaskRows& rows) = 0;
  /// The step in which it was learned; 0 before.
  virtual std::uint64_t learned_in(std::int64_t task) = 0;
  virtual void close() = 0;
  virtual std::string status() = 0;
};

class ControlServer {
 public:
  ControlServer(const std::filesystem::path& socket, ControlCommands& commands);
  ~ControlServer();

  /// Throws an Error if the socket cannot be made. Only the owner of the home can use it.
  void listen();
  /// Refuses new questions and waits for those that are being answered.
  void stop();

 private:
  class Service;
  std::filesystem::path socket_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace colla
