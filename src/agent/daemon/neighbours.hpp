// SPDX-License-Identifier: Apache-2.0
// An agent's connections: calls the neighbours with a larger position, answers those with a smaller
// one, greets, carries messages, and retries after any failure.
#pragma once

#include "agent/daemon/credentials.hpp"
#include "agent/daemon/door.hpp"
#include "agent/daemon/notices.hpp"
#include "agent/daemon/stream.hpp"
#include "agent/protocol/networked_agent.hpp"
#include "agent/wire/wire.hpp"

#include <grpcpp/server_builder.h>

#include <map>
#include <optional>

namespace colla {

class Neighbours final : private StreamEvents {
 public:
  using Clock = EventLoop::Clock;

  struct Neighbour {
    std::string name;
    std::string address;
    bool is_called = false;  ///< by this agent; else it calls
    bool is_connected = false;
    std::string reason;       ///< why it is not connected
    bool is_refused = false;  ///< the states do not match: no reconnect
    Clock::time_point since;  ///< when it connected or was lost
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
  };

  /// `received` is called after the agent has taken a greeting or a message.
  Neighbours(const Home& home, const Graph& graph, const Credentials& credentials,
             NetworkedAgent& agent, EventLoop& loop, const Log& log,
             std::function<void()> received);
  ~Neighbours() override;

  /// Adds the agent's door and service to a server before it starts. Throws NetworkError if this
  /// machine cannot listen at the agent's address.
  void join(grpc::ServerBuilder& builder);
  /// Answers calls; the server must be running.
  void listen();
  /// Sends the agent's messages that the neighbours do not have yet.
  void send();
  /// Makes the calls that are due; returns when there is something to do again.
  Clock::time_point tend(Clock::time_point now);
  /// Reopens all calls with the new certificate.
  void reconnect();
  /// Closes the door and starts to end all connections; `is_quiet` says when they have ended.
  void stop();
  bool is_quiet() const { return open_streams_ == 0; }

  const Neighbour& operator[](std::size_t n) const { return connections_[n].shown; }
  std::size_t size() const { return connections_.size(); }

 private:
  struct Connection {
    Neighbour shown;
    std::shared_ptr<grpc::Channel> channel;  // if this agent calls
    std::shared_ptr<FrameStream> stream;
    std::string peer;  // where the stream comes from, once greeted
    Position next;     // to send
    Clock::time_point call_at;
    Clock::time_point greeted_by;  // if it is called and has not greeted
    Clock::duration pause;
    std::string refusal;  // of its certificate, or of what it sends
    std::string logged;   // reason
    Rate greetings{20, 2};
    std::uint64_t probes = 0;  // that the log knows of
  };

  // A stream without a greeting so far.
  struct Caller {
    std::string name;  // of its certificate
    Clock::time_point until;
  };

  void on_called(const std::shared_ptr<FrameStream>& stream) override;
  void on_frame(const std::shared_ptr<FrameStream>& stream, const std::string& bytes) override;
  void on_sent(const std::shared_ptr<FrameStream>& stream) override;
  void on_ended(const std::shared_ptr<FrameStream>& stream, const Ending& ending) override;
  void hear_of_cuts();

  Connection* connection_of(const std::shared_ptr<FrameStream>& stream);
  void answer_greeting(const std::shared_ptr<FrameStream>& stream, const Hello& hello);
  void take_hello(const std::shared_ptr<FrameStream>& stream, const Hello& hello);
  void call(std::size_t n);
  void connected(std::size_t n);
  void send(Connection& connection);
  const std::string& encoded(const std::shared_ptr<const Message>& message);
  void lost(Connection& connection, const std::string& reason);
  std::size_t check_greeting(const FrameStream& stream, const Hello& hello);
  std::size_t largest_message() const;
  void limit(grpc::ServerBuilder& builder) const;

  const Home& home_;
  const Graph& graph_;
  const Credentials& credentials_;
  NetworkedAgent& agent_;
  EventLoop& loop_;
  Notices of_neighbours_;
  Notices of_strangers_;
  std::function<void()> received_;
  std::vector<Connection> connections_;
  std::map<std::shared_ptr<FrameStream>, Caller> callers_;
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<GuestList> guests_;
  std::unique_ptr<Door> door_;
  grpc::AsyncGenericService service_;
  std::shared_ptr<const Message> encoded_message_;
  std::string encoded_bytes_;
  bool stopping_ = false;
  std::size_t open_streams_ = 0;
};

}  // namespace colla
