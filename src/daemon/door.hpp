// SPDX-License-Identifier: Apache-2.0
// Where the network comes in. The agent listens itself and hands connections to gRPC, whose own
// listener lets in whoever comes and never listens again after one failed accept.
//
//   by address   so many connections at once and so many a second, of one address and of all: the
//                rest is closed before a byte of TLS is computed
//   by name      certificates of neighbours alone, each with so many connections a second
//
// What is let in and says nothing is ended by gRPC's limits (Neighbours). So strangers and members
// cost a bounded number of descriptors and handshakes, and those of one address take no place from
// a neighbour at another.
#pragma once

#include "daemon/rate.hpp"
#include "daemon/sockets.hpp"

#include <grpcpp/server_builder.h>

#include <functional>
#include <map>
#include <mutex>
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
  /// Hears how many callers were turned away and why, now and then, on the door's thread.
  using TurnedAway = std::function<void(const std::string& what)>;

  /// For an agent with so many neighbours, and a server that is to be built with `builder`.
  Door(std::size_t neighbours, grpc::ServerBuilder& builder,
       std::shared_ptr<grpc::ServerCredentials> credentials, TurnedAway turned_away);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  ~Door();

  /// Takes the address. Throws NetworkError if this machine cannot listen there.
  void take(const std::string& address);
  /// Lets callers in; the server runs.
  void open();
  /// Nobody is let in any more, and the address is free.
  void close();
  /// Ends the connection with that end (as gRPC writes it), whatever is under way. From any thread.
  void drop(const std::string& peer);

 private:
  // A connection that was let in. Its descriptor is gRPC's, which closes it: from then on the
  // number is free, or another file's.
  struct Guest {
    int descriptor;
    std::uint64_t inode;
    std::string source;
    std::string peer;  // as gRPC writes it

    bool is_here() const;
  };

  void watch();
  void answer(int listener);
  bool has_room_for(const std::string& source);
  bool comes_too_often(const std::string& source);
  void let_in(int listener, Guest guest);
  void report(const std::string& why);

  double neighbours_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  TurnedAway turned_away_;
  std::vector<Socket> listeners_;
  Socket wake_;  // an event that ends the thread
  std::mutex mutex_;
  std::vector<Guest> guests_;
  Rate all_;
  std::map<std::string, Rate> sources_;
  Rate reports_;
  std::uint64_t unreported_ = 0;
  std::thread thread_;
};

}  // namespace colla
