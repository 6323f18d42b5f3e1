// SPDX-License-Identifier: Apache-2.0
// The agent's listener. It accepts connections itself and hands them to gRPC, whose own listener
// lets everybody in and never listens again after one failed accept.
//
//   by address   limits connections at once and per second, from one address and from all
//                strangers: the rest is closed before any TLS work. Addresses where a neighbour
//                is or was have separate places, which strangers elsewhere cannot take.
//   by name      only neighbours' certificates, each with a limit of connections per second
//   by bytes     limits what comes without messages, see Connections
//
// gRPC's limits end a connection that was let in and stays silent (Neighbours).
#pragma once

#include "agent/daemon/connections.hpp"
#include "agent/daemon/rate.hpp"

#include <grpcpp/server_builder.h>

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace colla {

/// Which certificates are admitted. From any thread.
class GuestList {
 public:
  /// `admits_members`: others too whose certificates are valid, as they may bring a newer roster.
  explicit GuestList(bool admits_members);
  void replace(const std::vector<std::string>& neighbours);

  /// Why the owner of a valid certificate with these names is not admitted; empty: it is.
  std::string refusal_of(const std::vector<std::string>& names,
                         Rate::Clock::time_point now = Rate::Clock::now());

 private:
  bool admits_members_;
  std::mutex mutex_;
  std::map<std::string, Rate> guests_;
  Rate members_;  // all others together
};

class Door {
 public:
  /// Called with how many callers were turned away and why, at most once a second, on the door's
  /// thread.
  using TurnedAway = std::function<void(const std::string& what)>;

  /// For the largest message that neighbours send, in bytes, and the server that `builder` will
  /// build.
  Door(std::size_t largest_message, grpc::ServerBuilder& builder,
       std::shared_ptr<grpc::ServerCredentials> credentials, TurnedAway turned_away);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  ~Door();

  /// Neighbours have these addresses in the roster.
  void expect(const std::vector<std::string>& addresses);
  /// Binds the address. Throws NetworkError if this machine cannot listen there.
  void take(const std::string& address);
  /// Admits callers; the server must be running.
  void open();
  /// Stops admitting callers and frees the address.
  void close();

  /// The neighbour has greeted over this connection.
  void welcome(const std::string& neighbour, const std::string& peer);
  /// The agent's connections, outgoing ones included.
  Connections& connections() { return connections_; }

 private:
  void watch();
  void answer(int listener);
  bool has_room_for(const std::string& source) const;
  bool comes_too_often(const std::string& source);
  bool is_known(const std::string& source) const;
  double neighbours() const;
  void let_in(int listener, int descriptor);
  void report(const std::string& why);

  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  TurnedAway turned_away_;
  Connections connections_;
  std::vector<Socket> listeners_;
  Socket wake_;  // an event that ends the thread
  mutable std::mutex mutex_;
  double neighbours_ = 0.0;
  std::set<std::string> roster_;                         // sources of neighbours
  std::map<std::string, std::deque<std::string>> seen_;  // others, by neighbour; the latest last
  Rate strangers_;
  std::map<std::string, Rate> sources_;
  Rate reports_;
  std::uint64_t unreported_ = 0;
  std::thread thread_;
};

}  // namespace colla
