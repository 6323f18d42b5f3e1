// SPDX-License-Identifier: Apache-2.0
#include "roster/address.hpp"

#include "expectations.hpp"

#include <colla/error.hpp>

#include <gtest/gtest.h>

#include <tuple>

namespace colla {
namespace {

TEST(Address, every_spelling_has_one_form) {
  for (const auto& [text, form] :
       {std::pair("clinic.example.org:7400", "clinic.example.org:7400"),
        std::pair("Clinic.Example.ORG:7400", "clinic.example.org:7400"),
        std::pair("localhost:1", "localhost:1"), std::pair("node_3:65535", "node_3:65535"),
        std::pair("10.0.0.7:07400", "10.0.0.7:7400"), std::pair("[::1]:7400", "[::1]:7400"),
        std::pair("[0:0::0:1]:7400", "[::1]:7400"),
        std::pair("[FE80::A]:7400", "[fe80::a]:7400")}) {
    const Address address = parse_address(text, "--agents");
    EXPECT_EQ(to_string(address), form);
    EXPECT_EQ(parse_address(form, "--agents"), address);
  }
}

TEST(Address, an_invalid_address_is_refused_by_name) {
  using std::string_literals::operator""s;
  for (const std::string& text : {""s,
                                  "host"s,
                                  ":7400"s,
                                  "host:"s,
                                  "host:0"s,
                                  "host:65536"s,
                                  "host:-1"s,
                                  "host:+1"s,
                                  "host:7400x"s,
                                  "host: 7400"s,
                                  "ho st:7400"s,
                                  "-host:7400"s,
                                  "host-:7400"s,
                                  "host.:7400"s,
                                  "a..b:7400"s,
                                  "::1:7400"s,
                                  "[::1]7400"s,
                                  "[::1:7400"s,
                                  "[host]:7400"s,
                                  "[]:7400"s,
                                  "[fe80::1%eth0]:7400"s,
                                  "256.1.1.1:7400"s,
                                  "1.2.3:7400"s,
                                  "127.1:7400"s,
                                  "h/ost:7400"s,
                                  "h\xc3\xb4te:7400"s,
                                  "ho\0st:7400"s,
                                  "http://host:7400"s,
                                  std::string(64, 'a') + ":7400",
                                  "[::1\0]:7400"s}) {
    testing::expect_failure<OptionError>([&] { std::ignore = parse_address(text, "--agents"); },
                                         {"--agents"});
  }
}

TEST(Address, any_address_is_known_as_such) {
  EXPECT_TRUE(parse_address("0.0.0.0:7400", "").is_any());
  EXPECT_TRUE(parse_address("[0::0]:7400", "").is_any());
  EXPECT_FALSE(parse_address("127.0.0.1:7400", "").is_any());
}

}  // namespace
}  // namespace colla
