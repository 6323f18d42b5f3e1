// SPDX-License-Identifier: Apache-2.0
// The agent's side of the socket in its home (proto/control.proto): a separate server on gRPC's
// threads. Requests run on the agent's thread, through its loop. Only the status is available while
// that thread computes.
#pragma once

#include "agent/daemon/event_loop.hpp"
#include "agent/protocol/networked_agent.hpp"
#include "control.grpc.pb.h"

#include <grpcpp/server.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace colla {

/// Of a request: the rows of its tasks.
inline constexpr std::size_t most_bytes_of_rows = std::size_t{256} << 20U;

/// Requests to the agent, on its thread. Each may throw an Error, which goes to the client.
class ControlCommands {
 public:
  virtual ~ControlCommands() = default;
  /// Returns the first task's number once all are saved.
  virtual std::int64_t learn(const std::vector<TaskRows>& tasks, bool release_again) = 0;
  /// Returns the request's number once it is saved.
  virtual std::int64_t forget(const std::string& task) = 0;
  /// The step in which a task was learned or forgotten; 0: not yet. In a living network, whether
  /// the agents have agreed since.
  virtual std::uint64_t learned_in(std::int64_t task) = 0;
  virtual void close() = 0;
  virtual void reopen() = 0;
  /// Takes a newer network.toml, and returns what became of it.
  virtual std::string update(const std::string& roster) = 0;
  virtual std::string status() = 0;
};

/// A socket's address in gRPC's notation. Throws OptionError if the path is too long for one.
std::string uri_of_socket(const std::filesystem::path& socket);

class ControlServer {
 public:
  ControlServer(const std::filesystem::path& socket, EventLoop& loop, ControlCommands& commands);
  ~ControlServer();

  /// Creates the socket, for its owner alone, and serves. Throws OptionError if its path is too
  /// long, NetworkError if it cannot be created.
  void listen();

  // On the agent's thread:
  /// The status to report while the agent computes.
  void publish(std::string status);
  /// Tasks were learned: answers the clients that wait for them.
  void answer_waiting();
  /// Clients that wait for tasks to be learned.
  std::size_t clients_waiting() const;
  /// From now on every answer is that the agent is stopping.
  void stop_waiting();

  /// Ends all requests and removes the socket. Not on the agent's thread, which must keep running
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
