// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/greeting.hpp"

#include <colla/error.hpp>

#include <gtest/gtest.h>

namespace colla {
namespace {

// South of north - south - west, and east beside west.
class Greeting : public ::testing::Test {
 protected:
  Greeting() {
    home_.network.id = std::string(32, 'a');
    home_.network.hash = std::string(64, 'b');
    home_.network.agents = {{"north", "n:1"}, {"south", "s:1"}, {"west", "w:1"}, {"east", "e:1"}};
    home_.network.edges = {{0, 1}, {1, 2}, {2, 3}};
    home_.position = 1;
  }

  Hello hello_of(const std::string& agent) const {
    return {protocol_version, home_.network.id, home_.network.hash, agent, {}};
  }

  Caller check(const Hello& hello, const std::vector<std::string>& names = {}) const {
    return check_hello(home_, hello, names);
  }

  void live(Index version) {
    home_.network.mode = Mode::living;
    home_.network.version = version;
  }

  Hello living_hello(const std::string& agent, std::uint64_t version) const {
    Hello hello = hello_of(agent);
    hello.network_hash = std::string(64, 'c');  // of another version
    hello.living = LivingHello{version, 1, 2, 3};
    return hello;
  }

  void expect_refused(const Hello& hello, const std::string& naming,
                      const std::vector<std::string>& names = {}) const {
    try {
      check(hello, names);
      ADD_FAILURE() << "was taken; expected: " << naming;
    } catch (const NetworkError& error) {
      const std::string words = error.what();
      EXPECT_NE(words.find(naming), std::string::npos) << words;
      EXPECT_EQ(words.find('\n'), std::string::npos) << words;
    }
  }

  Home home_;
};

TEST_F(Greeting, neighbours_are_known_by_their_names) {
  EXPECT_EQ(check(hello_of("north")), Caller::neighbour);
  EXPECT_EQ(check(hello_of("west")), Caller::neighbour);
  EXPECT_EQ(check(hello_of("west"), {"west", "west.example.org"}), Caller::neighbour);
}

TEST_F(Greeting, neighbours_of_a_living_network_may_have_other_rosters) {
  live(5);
  for (const std::uint64_t version : {4U, 5U, 6U}) {
    EXPECT_EQ(check(living_hello("north", version)), Caller::neighbour);
  }
  EXPECT_EQ(own_hello(home_).living->version, 5U);
}

// By their roster they may be neighbours.
TEST_F(Greeting, others_are_heard_if_they_have_a_newer_roster) {
  live(5);
  for (const char* name : {"east", "newcomer"}) {
    EXPECT_EQ(check(living_hello(name, 6), {name}), Caller::member);
    expect_refused(living_hello(name, 5), "'" + std::string(name) + "' is not");
  }
}

TEST_F(Greeting, networks_of_two_modes_do_not_meet) {
  expect_refused(living_hello("north", 1), "another mode");
  live(1);
  expect_refused(hello_of("north"), "another mode");
}

TEST_F(Greeting, an_agent_says_who_it_is) {
  const Hello own = own_hello(home_);
  EXPECT_EQ(own.agent, "south");
  EXPECT_EQ(own.network, home_.network.id);
  EXPECT_EQ(own.network_hash, home_.network.hash);
  EXPECT_EQ(own.protocol, protocol_version);
  EXPECT_EQ(own.living, std::nullopt);
}

TEST_F(Greeting, another_protocol_is_refused_before_anything_else) {
  Hello hello = hello_of("nobody");
  hello.protocol = 1;
  hello.network = "other";
  expect_refused(hello, "protocol 1, this agent 4");
}

TEST_F(Greeting, a_certificate_speaks_for_its_own_agent_only) {
  expect_refused(hello_of("north"), "certificate is for 'west'", {"west", "west.example.org"});
  expect_refused(hello_of("north"), "certificate is for 'west'", {"west", "north"});  // a host
}

TEST_F(Greeting, another_network_is_refused) {
  Hello hello = hello_of("north");
  hello.network = std::string(32, 'c');
  expect_refused(hello, "another network");
}

TEST_F(Greeting, another_network_file_is_refused_with_both_hashes) {
  Hello hello = hello_of("north");
  hello.network_hash = std::string(64, 'c');
  expect_refused(hello, "cccccccccccc..., here bbbbbbbbbbbb...");
}

TEST_F(Greeting, an_agent_that_is_no_neighbour_is_refused) {
  expect_refused(hello_of("east"), "'east' is not a neighbour");
  expect_refused(hello_of("south"), "'south' is not a neighbour");
  expect_refused(hello_of("nobody"), "'nobody' is not in the network");
  expect_refused(hello_of(""), "is not in the network");
}

TEST_F(Greeting, names_of_strangers_are_harmless_to_terminals) {
  expect_refused(hello_of("\x1b[2J\n" + std::string(1000, 'x')), R"('\x1b[2J\x0axxx)");
}

}  // namespace
}  // namespace colla
