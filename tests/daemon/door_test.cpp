// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/door.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace colla {
namespace {

using namespace std::chrono_literals;

TEST(Rate, allows_a_burst_and_then_so_many_a_second) {
  Rate rate(3, 2);
  const auto start = Rate::Clock::now();
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(rate.allows(start));
  EXPECT_FALSE(rate.allows(start));
  EXPECT_TRUE(rate.allows(start + 500ms));
  EXPECT_FALSE(rate.allows(start + 600ms));
  EXPECT_TRUE(rate.allows(start + 1100ms));
}

TEST(Rate, never_allows_more_than_a_burst_at_once) {
  Rate rate(3, 2);
  const auto later = Rate::Clock::now() + 1h;
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(rate.allows(later));
  EXPECT_FALSE(rate.allows(later));
}

TEST(Rate, is_rested_when_nothing_happened_for_long_enough) {
  Rate rate(2, 1);
  const auto start = Rate::Clock::now();
  EXPECT_TRUE(rate.is_rested(start));
  rate.allows(start);
  EXPECT_FALSE(rate.is_rested(start + 500ms));
  EXPECT_TRUE(rate.is_rested(start + 1s));
}

TEST(GuestList, lets_neighbours_in_by_the_first_name_of_their_certificate) {
  GuestList guests(false);
  guests.replace({"north", "west"});
  EXPECT_EQ(guests.refusal_of({"north", "north.example.org"}), "");
  EXPECT_EQ(guests.refusal_of({"west"}), "");
  for (const std::vector<std::string>& names :
       std::vector<std::vector<std::string>>{{}, {""}, {"ghost"}, {"ghost", "north"}}) {
    EXPECT_EQ(guests.refusal_of(names), "its certificate is of no neighbour");
  }
}

TEST(GuestList, follows_the_roster) {
  GuestList guests(false);
  guests.replace({"north", "west"});
  guests.replace({"west", "east"});
  EXPECT_EQ(guests.refusal_of({"east"}), "");
  EXPECT_EQ(guests.refusal_of({"west"}), "");
  EXPECT_EQ(guests.refusal_of({"north"}), "its certificate is of no neighbour");
}

// In a living network; all others together, since any of them may have a valid certificate.
TEST(GuestList, may_admit_other_members_but_not_too_often) {
  GuestList guests(true);
  guests.replace({"north"});
  const auto now = Rate::Clock::now();
  EXPECT_EQ(guests.refusal_of({"newcomer"}, now), "");
  int let_in = 0;
  while (guests.refusal_of({"member" + std::to_string(let_in)}, now).empty() && let_in < 1000) {
    ++let_in;
  }
  EXPECT_LT(let_in, 100);
  EXPECT_EQ(guests.refusal_of({"north"}, now), "");
  EXPECT_EQ(guests.refusal_of({"newcomer"}, now + 1min), "");
}

TEST(GuestList, refuses_a_neighbour_that_connects_too_often_and_no_other) {
  GuestList guests(false);
  guests.replace({"north", "west"});
  const auto now = Rate::Clock::now();
  int let_in = 0;
  while (guests.refusal_of({"north"}, now).empty() && let_in < 1000) ++let_in;
  EXPECT_LT(let_in, 100);
  EXPECT_EQ(guests.refusal_of({"north"}, now), "north connects too often");
  EXPECT_EQ(guests.refusal_of({"west"}, now), "");
  EXPECT_EQ(guests.refusal_of({"north"}, now + 1min), "");
}

TEST(ListenAt, takes_an_address_once) {
  const Listeners first = listen_at({"127.0.0.1", 0, Address::Kind::ipv4});
  ASSERT_EQ(first.sockets.size(), 1U) << first.hindrance;
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  ASSERT_EQ(::getsockname(first.sockets[0].get(), reinterpret_cast<sockaddr*>(&bound), &size), 0);
  const Listeners second = listen_at({"127.0.0.1", ntohs(bound.sin_port), Address::Kind::ipv4});
  EXPECT_TRUE(second.sockets.empty());
  EXPECT_NE(second.hindrance.find("in use by another program"), std::string::npos);
}

TEST(ListenAt, says_why_not) {
  const Listeners elsewhere = listen_at({"192.0.2.1", 7400, Address::Kind::ipv4});
  EXPECT_NE(elsewhere.hindrance.find("not an address of this machine"), std::string::npos);
  const Listeners nowhere = listen_at({"nowhere.invalid", 7400, Address::Kind::name});
  EXPECT_NE(nowhere.hindrance.find("does not resolve"), std::string::npos);
}

}  // namespace
}  // namespace colla
