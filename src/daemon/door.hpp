// SPDX-License-Identifier: Apache-2.0
// Where the network comes in. The agent listens itself and hands connections to gRPC, whose own
// listener lets in whoever comes and never listens again after one failed accept.
//
//   by address   so many connections at once and so many a second, of one address and of all
//                strangers: the rest is closed before a byte of TLS is computed. Where a neighbour
//                is or was, there are places of their own: strangers elsewhere take none of them.
//   by name      certificates of neighbours alone, each with so many connections a second
//   by bytes     what comes without messages, see Connections
//
// What is let in and says nothing is ended by gRPC's limits (Neighbours).
#pragma once

#include "daemon/connections.hpp"
#include "daemon/rate.hpp"

#include <grpcpp/server_builder.h>

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace colla {

/// Whose certificates are let in. From any thread.
class GuestList {
 public:
  explicit GuestList(const std::vector<std::string>& neighbours);

  /// Why the owner of a sound certificate with these names is not let in; empty: it is.
  std::string refusal_of(const std::vector<std::string>& names);

 private:
  std::mutex mutex_;
  std::map<std::string, Rate> guests_;
};

class Door {
 public:
  /// Hears how many callers were turned away and why, at most once a second, on the door's thread.
  using TurnedAway = std::function<void(const std::string& what)>;

  /// For neighbours with these addresses in the roster, who send messages of so many bytes at most,
  /// and a server that is to be built with `builder`.
  Door(const std::vector<std::string>& neighbours, std::size_t largest_message,
       grpc::ServerBuilder& builder, std::shared_ptr<grpc::ServerCredentials> credentials,
       TurnedAway turned_away);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  ~Door();

  /// Takes the address. Throws NetworkError if this machine cannot listen there.
  void take(const std::string& address);
  /// Lets callers in; the server runs.
  void open();
  /// Nobody is let in any more, and the address is free.
  void close();

  /// The neighbour greets, over this connection.
  void welcome(const std::string& neighbour, const std::string& peer);
  /// The connections of the agent, those of its own calls too.
  Connections& connections() { return connections_; }

 private:
  void watch();
  void answer(int listener);
  bool has_room_for(const std::string& source) const;
  bool comes_too_often(const std::string& source);
  bool is_known(const std::string& source) const;
  void let_in(int listener, int descriptor);
  void report(const std::string& why);

  double neighbours_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  TurnedAway turned_away_;
  Connections connections_;
  std::vector<Socket> listeners_;
  Socket wake_;  // an event that ends the thread
  mutable std::mutex mutex_;
  std::set<std::string> roster_;                         // sources of neighbours
  std::map<std::string, std::deque<std::string>> seen_;  // others, by neighbour; the latest last
  Rate strangers_;
  std::map<std::string, Rate> sources_;
  Rate reports_;
  std::uint64_t unreported_ = 0;
  std::thread thread_;
};

}  // namespace colla
