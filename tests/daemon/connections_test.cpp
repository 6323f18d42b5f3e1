// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/connections.hpp"

#include "patience.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t largest_message = 1000;
const auto beginning = Allowance::Clock::now();

TEST(Allowance, is_spent_by_bytes_without_messages) {
  Allowance allowance(1000, 500, beginning);
  allowance.charge(1500, beginning);
  EXPECT_FALSE(allowance.is_spent());
  allowance.charge(1501, beginning);
  EXPECT_TRUE(allowance.is_spent());
}

TEST(Allowance, lasts_for_any_number_of_messages_with_what_is_around_them) {
  for (const std::size_t message : {std::size_t{10}, std::size_t{1000}, std::size_t{1} << 20}) {
    Allowance allowance(3.0 * static_cast<double>(message) + 1000, 0, beginning);
    for (std::uint64_t k = 1; k <= 10'000; ++k) {
      allowance.charge(k * (message + message / 20 + 500), beginning);
      EXPECT_FALSE(allowance.is_spent());
      allowance.renew(message);
    }
  }
}

TEST(Allowance, is_not_saved_up_by_messages) {
  Allowance allowance(1000, 0, beginning);
  std::uint64_t received = 0;
  for (int k = 0; k < 100; ++k) {
    allowance.renew(1000);
    allowance.charge(received += 1000, beginning);
  }
  allowance.charge(received + 1001, beginning);
  EXPECT_TRUE(allowance.is_spent());
}

TEST(Allowance, counts_messages_however_many_come_between_two_looks) {
  Allowance allowance(3000, 0, beginning);
  for (int k = 0; k < 100; ++k) allowance.renew(1000);
  allowance.charge(100 * 1500, beginning);
  EXPECT_FALSE(allowance.is_spent());
}

TEST(Allowance, is_enough_for_the_pings_of_a_week) {
  Allowance allowance(1000, 0, beginning);
  for (std::uint64_t minute = 1; minute <= 7 * 24 * 60; ++minute) {
    allowance.charge(3 * 2 * 60 * minute, beginning + minute * 1min);
    EXPECT_FALSE(allowance.is_spent());
  }
}

TEST(Allowance, that_is_raised_has_what_was_added) {
  Allowance allowance(1000, 0, beginning);
  allowance.charge(900, beginning);
  allowance.raise(5000);
  allowance.charge(5000, beginning);
  EXPECT_FALSE(allowance.is_spent());
  allowance.charge(5001, beginning);
  EXPECT_TRUE(allowance.is_spent());
}

// Two ends of a TCP connection on this machine.
struct TcpPair {
  TcpPair() {
    const Listeners listeners = listen_at({"127.0.0.1", 0, Address::Kind::ipv4});
    sockaddr_storage to{};
    socklen_t size = sizeof to;
    ::getsockname(listeners.sockets.at(0).get(), reinterpret_cast<sockaddr*>(&to), &size);
    caller = Socket(::socket(AF_INET, SOCK_STREAM, 0)).release();
    EXPECT_EQ(::connect(caller, reinterpret_cast<sockaddr*>(&to), size), 0);
    size = sizeof from;
    while ((called = ::accept(listeners.sockets[0].get(), reinterpret_cast<sockaddr*>(&from),
                              &size)) < 0) {
      std::this_thread::yield();
    }
  }
  TcpPair(const TcpPair&) = delete;
  TcpPair& operator=(const TcpPair&) = delete;
  ~TcpPair() {
    ::close(caller);
    ::close(called);
  }

  // Sends and reads, as gRPC would, until either end refuses.
  bool carry(std::size_t bytes, bool to_the_called = true) const {
    const std::string content(bytes, 'x');
    const int sender = to_the_called ? caller : called;
    const int reader = to_the_called ? called : caller;
    if (::send(sender, content.data(), bytes, MSG_NOSIGNAL) < 0) return false;
    std::string read(bytes, ' ');
    return ::recv(reader, read.data(), bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
  }

  std::string peer_of_caller() const {
    sockaddr_storage to{};
    socklen_t size = sizeof to;
    ::getpeername(caller, reinterpret_cast<sockaddr*>(&to), &size);
    return peer_of(to);
  }

  int caller = -1;
  int called = -1;
  sockaddr_storage from{};
};

bool is_so_in_the_end(const std::function<bool()>& condition) {
  return testing::wait_until(condition, "what must come in the end");
}

std::size_t all_of(const Connections& connections) {
  return connections.count([](const std::string&) { return true; });
}

TEST(Connections, one_that_brings_too_much_is_cut) {
  Connections connections(largest_message);
  const TcpPair link, other;
  connections.add(link.called, link.from);
  connections.add(other.called, other.from);
  EXPECT_EQ(all_of(connections), 2U);
  EXPECT_TRUE(is_so_in_the_end([&] { return !link.carry(4096); }));
  EXPECT_TRUE(is_so_in_the_end([&] { return all_of(connections) == 1; }));
  EXPECT_EQ(connections.take_cut(), std::vector{peer_of(link.from)});
  EXPECT_TRUE(connections.take_cut().empty());
  EXPECT_TRUE(other.carry(4096));
}

TEST(Connections, messages_keep_one_alive) {
  Connections connections(largest_message);
  const TcpPair link;
  connections.add(link.called, link.from);
  EXPECT_EQ(connections.greeted(peer_of(link.from)), source_of(link.from));
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(link.carry(largest_message + 500));
    connections.received(peer_of(link.from), largest_message);
  }
  EXPECT_TRUE(connections.take_cut().empty());
}

TEST(Connections, one_that_this_process_has_made_is_found_and_cut) {
  Connections connections(largest_message);
  const TcpPair link;
  connections.add(link.called, link.from);  // the other end
  connections.expect_calls(true);
  EXPECT_TRUE(is_so_in_the_end([&] { return !link.carry(4096, false); }));
  EXPECT_EQ(connections.take_cut().size(), 1U);
}

TEST(Connections, one_that_greets_before_it_was_found_has_the_allowance_of_a_neighbour) {
  Connections connections(largest_message);
  const TcpPair link;
  connections.add(link.called, link.from);  // the other end
  EXPECT_EQ(connections.greeted(link.peer_of_caller()), "");
  EXPECT_TRUE(link.carry(60'000, false));
  const TcpPair later;  // when it is cut, those bytes have been counted
  connections.add(later.called, later.from);
  EXPECT_TRUE(is_so_in_the_end([&] { return !later.carry(4096); }));
  EXPECT_TRUE(link.carry(1, false));
  EXPECT_TRUE(is_so_in_the_end([&] { return !link.carry(4096, false); }));
}

TEST(Connections, one_that_came_in_and_was_taken_for_a_call_is_counted_once) {
  Connections connections(largest_message);
  const TcpPair link;
  connections.greeted("");
  EXPECT_EQ(all_of(connections), 0U);
  connections.add(link.called, link.from);
  EXPECT_EQ(all_of(connections), 1U);
  EXPECT_TRUE(is_so_in_the_end([&] { return !link.carry(4096); }));
  EXPECT_EQ(connections.take_cut(), std::vector{peer_of(link.from)});
}

TEST(Connections, one_that_is_closed_is_forgotten) {
  Connections connections(largest_message);
  const TcpPair link;
  connections.add(link.called, link.from);
  ::shutdown(link.called, SHUT_RDWR);  // as gRPC does before it closes
  EXPECT_TRUE(is_so_in_the_end([&] { return all_of(connections) == 0; }));
  EXPECT_TRUE(connections.take_cut().empty());
}

TEST(Connections, one_can_be_dropped) {
  Connections connections(largest_message);
  const TcpPair link;
  connections.add(link.called, link.from);
  connections.drop(peer_of(link.from));
  EXPECT_EQ(all_of(connections), 0U);
  char byte = 0;
  EXPECT_LE(::recv(link.caller, &byte, 1, 0), 0);
}

TEST(SourceOf, is_what_the_owner_of_an_address_cannot_choose) {
  const auto source = [](const char* text) {
    sockaddr_storage storage{};
    auto& address = reinterpret_cast<sockaddr_in6&>(storage);
    address.sin6_family = AF_INET6;
    EXPECT_EQ(::inet_pton(AF_INET6, text, &address.sin6_addr), 1);
    return source_of(storage);
  };
  EXPECT_EQ(source("2001:db8:1:2::7"), source("2001:db8:1:2:ffff::8"));
  EXPECT_NE(source("2001:db8:1:2::7"), source("2001:db8:1:3::7"));
  EXPECT_EQ(source("::ffff:192.0.2.7"), std::string("\xC0\0\x02\x07", 4));
}

}  // namespace
}  // namespace colla
