// SPDX-License-Identifier: Apache-2.0
// The agent's side of the socket in its home (proto/control.proto): a server of its own, on gRPC's
// threads. What it is asked is done on the agent's thread, through its loop. The state alone can be
// asked for while that thread computes.
#pragma once

#include "control.grpc.pb.h"
#include "daemon/event_loop.hpp"
#include "engine/networked/networked_agent.hpp"

#include <grpcpp/server.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace colla {

/// What the agent is asked, on its thread. Each may throw an Error, which the asker is told.
class ControlCommands {
 public:
  virtual ~ControlCommands() = default;
  /// Returns the task's number once it is safe.
  virtual std::int64_t learn(const TaskRows& rows) = 0;
  /// The step in which a task was learned; 0: it is not learned yet.
  virtual std::uint64_t learned_in(std::int64_t task) = 0;
  virtual void close() = 0;
  virtual std::string status() = 0;
};

/// How gRPC is told of a socket. Throws OptionError if the path is too long for one.
std::string uri_of_socket(const std::filesystem::path& socket);

class ControlServer {
 public:
  ControlServer(const std::filesystem::path& socket, EventLoop& loop, ControlCommands& commands);
  ~ControlServer();

  /// Makes the socket, for its owner alone, and answers. Throws OptionError if its path is too
  /// long, NetworkError if it cannot be made.
  void listen();

  // On the agent's thread:
  /// What is said of the agent while it computes.
  void publish(std::string status);
  /// Tasks were learned: answers those that wait for them.
  void answer_waiting();
  /// Nobody is answered any more, except that the agent stops.
  void stop_waiting();

  /// Ends what is asked, and takes the socket away. Not on the agent's thread, which must go on
  /// meanwhile.
  void shut_down();

 private:
  class Question;
  class Service;

  struct Waiting {
    std::shared_ptr<Question> question;
    std::function<void(std::uint64_t step)> answer;
  };

  void wait(std::int64_t task, const std::shared_ptr<Question>& question,
            control::v1::WaitReply* reply);
  void forget(const Question* question);
  std::optional<std::int64_t> first_awaited() const;
  void answer_first(std::uint64_t step);
  std::string published() const;

  std::filesystem::path socket_;
  EventLoop& loop_;
  ControlCommands& commands_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  mutable std::mutex mutex_;
  std::multimap<std::int64_t, Waiting> waiting_;  // for a task
  std::string status_ = "{}";
};

}  // namespace colla
