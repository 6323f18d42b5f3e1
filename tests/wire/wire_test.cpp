// SPDX-License-Identifier: Apache-2.0
#include "agent/wire/wire.hpp"

#include "agents.pb.h"

#include <colla/error.hpp>
#include <colla/random.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

namespace colla {
namespace {

Hello some_hello() {
  return {protocol_version, std::string(32, 'a'), std::string(60, '0') + "1f2e", "north", {7, 20},
          0xcafe0001};
}

Message some_message() {
  Random random(1);
  const Matrix L = random.normal_matrix(3, 2);
  return {{4, 2}, checksum(L), L};
}

bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

// A frame as another implementation might send it.
template <typename Change>
std::string changed(const std::string& bytes, const Change& change) {
  agents::v1::Frame frame;
  EXPECT_TRUE(frame.ParseFromString(bytes));
  change(frame);
  return frame.SerializeAsString();
}

template <typename Change>
std::string changed_dictionary(const Change& change) {
  return changed(encode(some_message()),
                 [&](agents::v1::Frame& frame) { change(*frame.mutable_dictionary()); });
}

void expect_refused(const std::string& bytes, const std::string& naming) {
  try {
    decode(bytes);
    ADD_FAILURE() << "was taken; expected: " << naming;
  } catch (const NetworkError& error) {
    EXPECT_NE(std::string(error.what()).find(naming), std::string::npos) << error.what();
  }
}

// A field that the protocol does not have.
const std::string unknown_field = "\x7a\x01x";

TEST(Wire, a_greeting_comes_back_as_it_was) {
  const Hello sent = some_hello();
  const Hello got = std::get<Hello>(decode(encode(sent)));
  EXPECT_EQ(got.protocol, sent.protocol);
  EXPECT_EQ(got.network, sent.network);
  EXPECT_EQ(got.network_hash, sent.network_hash);
  EXPECT_EQ(got.agent, sent.agent);
  EXPECT_EQ(got.received, sent.received);
  EXPECT_EQ(got.received_checksum, sent.received_checksum);
}

TEST(Wire, a_greeting_of_an_agent_that_has_received_nothing_has_no_checksum) {
  Hello first = some_hello();
  first.received = {};
  first.received_checksum = 0;
  const Hello got = std::get<Hello>(decode(encode(first)));
  EXPECT_EQ(got.received, Position{});
  EXPECT_EQ(got.received_checksum, 0U);
}

TEST(Wire, the_beginning_of_a_step_has_a_checksum_and_no_values) {
  const Message got = std::get<Message>(decode(encode(Message{{5, 0}, 0xdeadbeef, Matrix()})));
  EXPECT_EQ(got.position, (Position{5, 0}));
  EXPECT_EQ(got.checksum, 0xdeadbeef);
  EXPECT_EQ(got.dictionary.size(), 0);
}

RC_GTEST_PROP(Wire, a_dictionary_comes_back_to_the_bit, ()) {
  const auto rows = *rc::gen::inRange<Index>(1, 9);
  const auto cols = *rc::gen::inRange<Index>(1, 9);
  Matrix L(rows, cols);
  for (Index k = 0; k < L.size(); ++k) {  // any bits, those of no number too
    const auto bits = *rc::gen::arbitrary<std::uint64_t>();
    std::memcpy(L.data() + k, &bits, sizeof bits);
  }
  const Message sent = {
      {*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange<std::uint32_t>(1, 0xffffffff)},
      checksum(L),
      L};
  const std::string bytes = encode(sent);
  RC_ASSERT(bytes.size() <= largest_frame(rows, cols));
  const Message got = std::get<Message>(decode(bytes));
  RC_ASSERT(got.position == sent.position);
  RC_ASSERT(got.checksum == sent.checksum);
  RC_ASSERT(same_bits(got.dictionary, L));
}

RC_GTEST_PROP(Wire, a_damaged_value_is_noticed, ()) {
  const std::string bytes = encode(some_message());
  const Message message = some_message();
  const std::string values(reinterpret_cast<const char*>(message.dictionary.data()),
                           static_cast<std::size_t>(message.dictionary.size()) * sizeof(double));
  const std::size_t first = bytes.find(values);
  RC_ASSERT(first != std::string::npos);
  std::string damaged = bytes;
  const auto place = first + *rc::gen::inRange<std::size_t>(0, values.size());
  damaged[place] = static_cast<char>(damaged[place] ^ (1 << *rc::gen::inRange(0, 8)));
  RC_ASSERT_THROWS_AS(decode(damaged), NetworkError);
}

TEST(Wire, truncated_frames_are_refused) {
  for (const std::string& bytes : {encode(some_hello()), encode(some_message())}) {
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      expect_refused(bytes.substr(0, length), length == 0 ? "empty" : "not a frame");
    }
  }
}

TEST(Wire, unknown_fields_are_refused_wherever_they_are) {
  using Frame = agents::v1::Frame;
  const std::string hello = encode(some_hello());
  const auto add = [](google::protobuf::Message* to) { to->MergeFromString(unknown_field); };
  expect_refused(hello + unknown_field, "frame with unknown");
  expect_refused(changed(hello, [&](Frame& frame) { add(frame.mutable_hello()); }),
                 "greeting with unknown");
  expect_refused(
      changed(hello, [&](Frame& frame) { add(frame.mutable_hello()->mutable_received()); }),
      "position with unknown");
  expect_refused(changed_dictionary([&](auto& dictionary) { add(&dictionary); }),
                 "dictionary with unknown");
  expect_refused(changed_dictionary([&](auto& dictionary) { add(dictionary.mutable_position()); }),
                 "position with unknown");
}

TEST(Wire, a_frame_is_one_thing) {
  const std::string hello = encode(some_hello());
  expect_refused(hello + encode(some_message()), "extra bytes");
  expect_refused(hello + hello, "extra bytes");
}

TEST(Wire, a_greeting_needs_a_whole_hash) {
  for (const std::size_t size : {0U, 31U, 33U}) {
    expect_refused(changed(encode(some_hello()),
                           [&](agents::v1::Frame& frame) {
                             frame.mutable_hello()->set_network_sha256(std::string(size, 'h'));
                           }),
                   "hash");
  }
}

TEST(Wire, a_position_is_always_there) {
  expect_refused(changed(encode(some_hello()),
                         [](agents::v1::Frame& frame) { frame.mutable_hello()->clear_received(); }),
                 "without a position");
  expect_refused(changed_dictionary([](auto& dictionary) { dictionary.clear_position(); }),
                 "without a position");
}

TEST(Wire, sizes_that_do_not_fit_the_values_are_refused) {
  const auto resized = [](std::uint32_t rows, std::uint32_t cols) {
    return changed_dictionary([=](auto& dictionary) {
      dictionary.set_rows(rows);
      dictionary.set_cols(cols);
    });
  };
  expect_refused(resized(2, 2), "48 bytes for a dictionary of 2 x 2");
  expect_refused(resized(0, 0), "0 x 0");
  expect_refused(resized(0, 6), "0 x 6");
  expect_refused(resized(6, 0), "6 x 0");
  // (2^32 - 1)^2 values fit nowhere; 2^31 x 2^31 x 8 is 0 in 64 bits.
  expect_refused(resized(0xffffffff, 0xffffffff), "4294967295 x 4294967295");
  expect_refused(resized(0x80000000, 0x80000000), "2147483648 x 2147483648");
  expect_refused(changed_dictionary([](auto& dictionary) {
                   dictionary.set_values(std::string(dictionary.values().size() + 1, '\0'));
                 }),
                 "49 bytes");
  expect_refused(changed_dictionary([](auto& dictionary) { dictionary.clear_values(); }),
                 "0 bytes");
}

TEST(Wire, a_wrong_checksum_is_refused) {
  expect_refused(changed_dictionary(
                     [](auto& dictionary) { dictionary.set_checksum(dictionary.checksum() + 1); }),
                 "checksum");
}

TEST(Wire, values_at_exchange_0_are_refused) {
  const auto at_0 = [](auto& dictionary) { dictionary.mutable_position()->set_exchange(0); };
  expect_refused(changed_dictionary(at_0), "exchange 0");
  expect_refused(changed_dictionary([&](auto& dictionary) {
                   at_0(dictionary);
                   dictionary.clear_values();
                   dictionary.set_rows(0);
                 }),
                 "exchange 0");
}

TEST(Wire, no_bytes_are_no_frame) {
  expect_refused("", "empty");
  expect_refused("GET / HTTP/1.1\r\n\r\n", "");
}

}  // namespace
}  // namespace colla
