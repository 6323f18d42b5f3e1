// SPDX-License-Identifier: Apache-2.0
// The agent's side of the socket in its home (proto/control.proto).
#pragma once

#include "control.grpc.pb.h"
#include "daemon/event_loop.hpp"
#include "engine/networked/networked_agent.hpp"

#include <grpcpp/server_builder.h>

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

/// Throws OptionError if the path is too long for a socket.
void check_socket_path(const std::filesystem::path& socket);

class ControlServer {
 public:
  ControlServer(const std::filesystem::path& socket, EventLoop& loop, ControlCommands& commands);

  /// Adds the socket and its service to a server that is to be started, with a umask that keeps
  /// others out. Throws OptionError if the socket's path is too long.
  void join(grpc::ServerBuilder& builder);
  /// Answers questions; the server runs.
  void listen();
  /// Removes the socket.
  void stop();

 private:
  template <typename Request, typename Reply, typename AskFor, typename Command>
  void answer(const AskFor& ask_for, const Command& command);

  std::filesystem::path socket_;
  EventLoop& loop_;
  ControlCommands& commands_;
  control::v1::Control::AsyncService service_;
};

}  // namespace colla
