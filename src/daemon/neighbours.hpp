// SPDX-License-Identifier: Apache-2.0
// An agent's connections: calls the neighbours with a larger position, answers those with a smaller
// one, greets, carries messages, and tries again after whatever goes wrong. Everything happens on
// the thread that runs the mailbox; gRPC's threads only post to it.
#pragma once

#include "daemon/credentials.hpp"
#include "daemon/log.hpp"
#include "daemon/mailbox.hpp"
#include "daemon/stream.hpp"
#include "daemon/wire.hpp"
#include "engine/networked/networked_agent.hpp"

#include <grpcpp/server.h>

#include <map>
#include <optional>

namespace colla {

class Neighbours final : private StreamEvents {
 public:
  using Clock = Mailbox::Clock;

  struct Neighbour {
    std::string name;
    std::string address;
    bool is_called = false;  ///< by this agent; else it calls
    bool is_connected = false;
    std::string reason;       ///< why it is not connected
    Clock::time_point since;  ///< of being connected, or not
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
  };

  /// `received` is called after the agent has taken a message in.
  Neighbours(const Home& home, const Graph& graph, const Credentials& credentials,
             NetworkedAgent& agent, Mailbox& mailbox, const Log& log,
             std::function<void()> received);
  ~Neighbours() override;

  /// Throws NetworkError if the agent's address cannot be listened on.
  void listen();
  /// Sends what the agent has to say and the neighbours do not have.
  void send();
  /// Calls whom it is time to call; returns when there will be something to do again.
  Clock::time_point tend(Clock::time_point now);
  /// Calls everybody anew, with a new certificate.
  void reconnect();
  /// Ends all connections.
  void stop();

  const Neighbour& operator[](std::size_t n) const { return connections_[n].shown; }
  std::size_t size() const { return connections_.size(); }

 private:
  class Service;

  struct Connection {
    Neighbour shown;
    std::shared_ptr<grpc::Channel> channel;  // if this agent calls
    std::shared_ptr<FrameStream> stream;
    Position next;  // to send
    Clock::time_point call_at;
    Clock::duration pause;
    std::string refusal;  // of its certificate
    std::string logged;   // reason
  };

  // Of the streams, on gRPC's threads.
  void on_frame(const std::shared_ptr<FrameStream>& stream, std::string bytes) override;
  void on_broken(const std::shared_ptr<FrameStream>& stream) override;
  void on_ended(const std::shared_ptr<FrameStream>& stream, const std::string& reason) override;

  Connection* connection_of(const std::shared_ptr<FrameStream>& stream);
  void take(const std::shared_ptr<FrameStream>& stream, const std::string& bytes);
  void take_hello(const std::shared_ptr<FrameStream>& stream, const Hello& hello);
  void call(std::size_t n);
  void connected(std::size_t n);
  void lost(Connection& connection, const std::string& reason);
  void ended(const std::shared_ptr<FrameStream>& stream, const std::string& reason);
  void refused_caller(const std::string& who, const std::string& reason);

  const Home& home_;
  const Graph& graph_;
  const Credentials& credentials_;
  NetworkedAgent& agent_;
  Mailbox& mailbox_;
  const Log& log_;
  std::function<void()> received_;
  std::vector<Connection> connections_;
  std::map<std::shared_ptr<FrameStream>, Clock::time_point> strangers_;  // until they greet
  std::map<std::string, Clock::time_point> refusals_;                    // logged when
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  bool stopping_ = false;
  std::size_t open_streams_ = 0;
};

}  // namespace colla
