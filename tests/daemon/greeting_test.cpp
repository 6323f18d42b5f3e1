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

  std::size_t check(const Hello& hello, const std::vector<std::string>& names = {}) const {
    return check_hello(home_, home_.network.graph(), hello, names);
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

TEST_F(Greeting, neighbours_are_known_by_their_place) {
  EXPECT_EQ(check(hello_of("north")), 0U);
  EXPECT_EQ(check(hello_of("west")), 1U);
  EXPECT_EQ(check(hello_of("west"), {"west", "west.example.org"}), 1U);
}

TEST_F(Greeting, an_agent_says_who_it_is_and_what_it_has) {
  const Hello own = own_hello(home_, {3, 20}, 0xcafe);
  EXPECT_EQ(own.agent, "south");
  EXPECT_EQ(own.network, home_.network.id);
  EXPECT_EQ(own.network_hash, home_.network.hash);
  EXPECT_EQ(own.protocol, protocol_version);
  EXPECT_EQ(own.received, (Position{3, 20}));
  EXPECT_EQ(own.received_checksum, 0xcafeU);
}

TEST_F(Greeting, another_protocol_is_refused_before_anything_else) {
  Hello hello = hello_of("nobody");
  hello.protocol = 1;
  hello.network = "other";
  expect_refused(hello, "protocol 1, this agent 2");
}

TEST_F(Greeting, a_certificate_speaks_for_its_own_agent_only) {
  expect_refused(hello_of("north"), "certificate is for 'west'", {"west", "west.example.org"});
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
