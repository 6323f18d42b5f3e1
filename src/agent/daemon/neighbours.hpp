// SPDX-License-Identifier: Apache-2.0
// An agent's connections: calls the neighbours with a larger position, answers those with a smaller
// one, greets, carries what the agent's conversation says, and retries after any failure. In a
// living network an agent also calls those that should have called it: they may not yet know where
// it is. Of two connections the newer one counts.
#pragma once

#include "agent/daemon/conversation.hpp"
#include "agent/daemon/credentials.hpp"
#include "agent/daemon/door.hpp"
#include "agent/daemon/greeting.hpp"
#include "agent/daemon/notices.hpp"
#include "agent/daemon/stream.hpp"

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
    bool is_called = false;  ///< by this agent, at once; else it calls
    bool is_connected = false;
    bool was_connected = false;  ///< since this agent started
    std::string reason;          ///< why it is not connected
    bool is_refused = false;     ///< the states do not match: no reconnect
    Clock::time_point since;     ///< when it connected or was lost
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
  };

  /// `received` is called after the conversation has taken a greeting or a frame.
  Neighbours(const Home& home, const Credentials& credentials, Conversation& conversation,
             EventLoop& loop, const Log& log, std::function<void()> received);
  ~Neighbours() override;

  /// Adds the agent's door and service to a server before it starts. Throws NetworkError if this
  /// machine cannot listen at the agent's address.
  void join(grpc::ServerBuilder& builder);
  /// Answers calls; the server must be running.
  void listen();
  /// Sends what the conversation has for the neighbours.
  void send();
  /// The home's roster has changed: ends connections that it no longer allows.
  void follow_roster();
  /// Makes the calls that are due; returns when there is something to do again.
  Clock::time_point tend(Clock::time_point now);
  /// Reopens all calls with the new certificate.
  void reconnect();
  /// Ends a neighbour's connection, to let it know the reason; it may call again.
  void tell(const std::string& neighbour, const std::string& reason);
  /// Closes the door and starts to end all connections; `is_quiet` says when they have ended.
  void stop();
  bool is_quiet() const { return open_streams_ == 0; }

  const Neighbour& operator[](std::size_t n) const { return connections_[n].shown; }
  bool is_connected(const std::string& name) const;
  std::size_t size() const { return connections_.size(); }

 private:
  struct Connection {
    Neighbour shown;
    std::shared_ptr<grpc::Channel> channel;  // if this agent calls
    std::shared_ptr<FrameStream> stream;
    std::string peer;  // where the stream comes from, once greeted
    Clock::time_point call_at;
    Clock::time_point greeted_by;  // if it is called and has not greeted
    Clock::duration pause;
    std::string refusal;  // of its certificate, or of what it sends
    std::string logged;   // reason
    Rate greetings{20, 2};
    std::uint64_t probes = 0;  // that the log knows of
    bool is_calling() const { return stream != nullptr && !shown.is_connected; }
  };

  // A stream without a greeting so far.
  struct Guest {
    std::string name;  // of its certificate
    Clock::time_point until;
    std::string member;  // which has greeted, and brings a newer roster
  };

  void on_called(const std::shared_ptr<FrameStream>& stream) override;
  void on_frame(const std::shared_ptr<FrameStream>& stream, const std::string& bytes) override;
  void on_sent(const std::shared_ptr<FrameStream>& stream) override;
  void on_ended(const std::shared_ptr<FrameStream>& stream, const Ending& ending) override;
  void hear_of_cuts();

  void hear_farewell(const std::shared_ptr<FrameStream>& stream, const Farewell& farewell);
  void on_word(const std::shared_ptr<FrameStream>& stream, Frame frame, std::size_t bytes);
  Connection* connection_of(const std::shared_ptr<FrameStream>& stream);
  Connection* find(const std::string& name);
  void answer_greeting(const std::shared_ptr<FrameStream>& stream, const Hello& hello);
  void take_hello(const std::shared_ptr<FrameStream>& stream, const Hello& hello);
  void check_direction(const Connection& connection,
                       const std::shared_ptr<FrameStream>& stream) const;
  void take_over(Connection& connection, const std::shared_ptr<FrameStream>& stream);
  void call(Connection& connection);
  void connected(Connection& connection);
  void send(Connection& connection);
  void lost(Connection& connection, const std::string& reason);
  void add(const RosterAgent& neighbour);
  void end_forbidden();
  Caller check_greeting(const FrameStream& stream, const Hello& hello);
  bool lives() const { return home_.network.mode == Mode::living; }
  void limit(grpc::ServerBuilder& builder) const;

  const Home& home_;
  const Credentials& credentials_;
  Conversation& conversation_;
  EventLoop& loop_;
  Notices of_neighbours_;
  Notices of_strangers_;
  std::function<void()> received_;
  std::vector<Connection> connections_;
  std::map<std::shared_ptr<FrameStream>, Guest> callers_;
  Rate members_{20, 2};  // greetings of members that are no neighbours
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<GuestList> guests_;
  std::unique_ptr<Door> door_;
  grpc::AsyncGenericService service_;
  bool stopping_ = false;
  std::size_t open_streams_ = 0;
};

}  // namespace colla
