// SPDX-License-Identifier: Apache-2.0
// The TCP connections of an agent, which gRPC reads and closes. gRPC limits messages, but not the
// HTTP/2 frames that carry no message: resets, endless headers, pings. Each costs time and memory,
// so bytes are counted here. Each message renews a connection's allowance of bytes; a connection
// that exceeds it is cut, whichever peer it belongs to.
#pragma once

#include "agent/daemon/sockets.hpp"

#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace colla {

/// An IPv4 address, or the half of an IPv6 address that its owner cannot choose.
std::string source_of(const sockaddr_storage& address);
/// As gRPC writes it.
std::string peer_of(const sockaddr_storage& address);

/// What a connection may still bring.
class Allowance {
 public:
  using Clock = std::chrono::steady_clock;

  /// `most` bytes now and whenever it is renewed; `seen` have come already.
  Allowance(double most, std::uint64_t seen, Clock::time_point now)
      : most_(most), left_(most), seen_(seen), last_(now) {}

  /// The total number of bytes received so far.
  void charge(std::uint64_t received, Clock::time_point now);
  /// A message of `bytes` bytes was among them.
  void renew(std::size_t bytes);
  /// From now on.
  void raise(double most);
  bool is_spent() const { return left_ < 0.0; }
  std::uint64_t seen() const { return seen_; }

 private:
  double most_;
  double left_;
  double renewed_ = 0.0;  // by messages whose bytes may not be charged yet
  std::uint64_t seen_;
  Clock::time_point last_;
};

/// Counts on its own thread, which never calls gRPC and so never waits for it. All functions may be
/// called from any thread.
class Connections {
 public:
  explicit Connections(std::size_t largest_message);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  ~Connections();

  /// An incoming connection, not yet handed to gRPC. False: no descriptor is left to watch it with.
  bool add(int descriptor, const sockaddr_storage& from);
  /// The agent calls: gRPC does not report the connections it opens, so search for them.
  void expect_calls(bool is_calling);
  /// The peer is a neighbour. Returns the source; empty for a call of this agent.
  std::string greeted(const std::string& peer);
  /// A valid message arrived.
  void received(const std::string& peer, std::size_t bytes);
  /// Ends all connections with that peer at once.
  void drop(const std::string& peer);

  /// Number of incoming connections from the wanted sources.
  std::size_t count(const std::function<bool(const std::string& source)>& wanted) const;
  /// The peers whose connections were cut since the last call.
  std::vector<std::string> take_cut();

 private:
  using Clock = Allowance::Clock;

  struct Connection {
    Socket socket;  // a second descriptor: the connection stays the same one until it is forgotten
    std::uint64_t inode;
    std::string peer;
    std::string source;  // empty: this agent called
    Allowance allowance;
  };

  bool add(int descriptor, std::string peer, std::string source);
  void add_calls();
  double most_of_a_neighbour() const;
  void forget_if(const std::function<bool(const Connection&)>& condition);
  void watch(std::uint64_t id, int operation);
  void run();
  int wake();
  bool has_brought_more(std::uint64_t id) const;
  void look_at(std::uint64_t id, bool is_closed);

  double largest_message_;
  Socket events_;
  Socket calls_;  // a timer, while the agent calls
  Socket end_;    // an event that ends the thread
  bool is_calling_ = false;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Connection> open_;
  std::uint64_t last_id_;
  std::vector<std::uint64_t> resting_;
  Clock::time_point awake_at_;
  std::vector<std::string> cut_;
  std::thread thread_;
};

}  // namespace colla
