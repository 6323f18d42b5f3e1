// SPDX-License-Identifier: Apache-2.0
#include "agent/wire/wire.hpp"

#include "agents.pb.h"

#include <colla/error.hpp>
#include <colla/random.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace colla {
namespace {

Hello some_hello() {
  return {protocol_version, std::string(32, 'a'), std::string(60, '0') + "1f2e", "north", {7, 20},
          0xcafe0001};
}

Hello some_living_hello() {
  Hello hello = some_hello();
  hello.received = {};
  hello.received_checksum = 0;
  hello.living = LivingHello{3, 0x1234567890abcdefULL, 17, 5};
  return hello;
}

Word some_word() {
  Random random(2);
  Word word{{11, 3, 12, 4, 13, 14, 15}, 17};
  word.message.y = random.normal_matrix(3, 2);
  word.message.share = Share{random.normal_matrix(2, 2), random.normal_matrix(3, 3)};
  return word;
}

// An answer alone.
Word short_word() { return {{11, 0, 12, 4, 13, 14, 15}, 0}; }

Message some_message() {
  Random random(1);
  const Matrix L = random.normal_matrix(3, 2);
  return {{4, 2}, checksum(L), L};
}

bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data(), [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
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

template <typename Change>
std::string changed_word(const Change& change) {
  return changed(encode(some_word()),
                 [&](agents::v1::Frame& frame) { change(*frame.mutable_word()); });
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
  NetworkOptions options;
  options.agent.features = rows;
  options.agent.atoms = cols;
  RC_ASSERT(bytes.size() <= largest_frame(options));
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

TEST(Wire, a_greeting_of_a_living_network_says_more) {
  const Hello got = std::get<Hello>(decode(encode(some_living_hello())));
  EXPECT_EQ(got.living, some_living_hello().living);
  EXPECT_EQ(std::get<Hello>(decode(encode(some_hello()))).living, std::nullopt);
}

TEST(Wire, a_word_comes_back_as_it_was) {
  for (const Word& sent : {some_word(), short_word()}) {
    const Word got = std::get<Word>(decode(encode(sent)));
    EXPECT_EQ(got.requests, sent.requests);
    const LivingMessage& message = got.message;
    EXPECT_EQ(message.session, 11U);
    EXPECT_EQ(message.number, sent.message.number);
    EXPECT_EQ(message.heard_session, 12U);
    EXPECT_EQ(message.heard, 4U);
    EXPECT_EQ(message.metric, 13U);
    EXPECT_EQ(message.share_hash, 14U);
    EXPECT_EQ(message.heard_share, 15U);
    EXPECT_TRUE(same_bits(message.y, sent.message.y));
    ASSERT_EQ(message.share.has_value(), sent.message.share.has_value());
    if (!message.share) continue;
    EXPECT_TRUE(same_bits(message.share->codes, sent.message.share->codes));
    EXPECT_TRUE(same_bits(message.share->features, sent.message.share->features));
  }
}

TEST(Wire, the_largest_word_fits_the_frames_of_its_network) {
  NetworkOptions options;
  options.rule = Rule::healing;
  options.metric = MetricKind::kronecker;
  options.agent.features = 3;
  options.agent.atoms = 2;
  Word word = some_word();
  word.message.session = word.message.number = word.message.heard_session = word.message.heard =
      word.message.metric = word.message.share_hash = word.message.heard_share = word.requests =
          ~std::uint64_t{0};
  EXPECT_LE(encode(word).size(), largest_frame(options));
}

TEST(Wire, a_roster_comes_back_as_it_was) {
  const std::string text("any bytes\n\0\xff", 12);
  EXPECT_EQ(std::get<RosterText>(decode(encode(RosterText{text}))).text, text);
  expect_refused(encode(RosterText{}), "empty");
}

TEST(Wire, words_whose_sizes_do_not_fit_their_values_are_refused) {
  const auto resized = [](std::uint32_t rows, std::uint32_t cols) {
    return changed_word([=](auto& word) {
      word.set_rows(rows);
      word.set_cols(cols);
    });
  };
  for (const auto& [rows, cols] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {2, 2}, {0, 0}, {0, 6}, {0xffffffff, 0xffffffff}, {0x80000000, 0x80000000}}) {
    expect_refused(resized(rows, cols), "a y of the wrong size");
  }
  expect_refused(changed_word([](auto& word) { word.set_checksum(word.checksum() + 1); }),
                 "checksum");
  expect_refused(changed_word([](auto& word) { word.set_number(0); }), "without a number");
  const auto shared = [](std::uint32_t codes, std::uint32_t features) {
    return changed_word([=](auto& word) {
      word.mutable_told()->set_codes(codes);
      word.mutable_told()->set_features(features);
    });
  };
  for (const auto& [codes, features] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {3, 3}, {0, 3}, {2, 0}, {0xffffffff, 0xffffffff}, {0x80000000, 0x80000000}}) {
    expect_refused(shared(codes, features), "a share of the wrong size");
  }
}

TEST(Wire, a_farewell_comes_back_with_the_beginning_of_its_reason) {
  const auto read = std::get<Farewell>(decode(encode(Farewell{"an older copy", true})));
  EXPECT_EQ(read.reason, "an older copy");
  EXPECT_TRUE(read.is_final);
  const auto cut = std::get<Farewell>(decode(encode(Farewell{std::string(1000, 'x'), false})));
  EXPECT_EQ(cut.reason, std::string(longest_reason, 'x'));
  EXPECT_FALSE(cut.is_final);
}

TEST(Wire, farewells_without_a_reason_or_with_a_long_one_are_refused) {
  expect_refused(encode(Farewell{"", true}), "a farewell without a reason");
  expect_refused(changed(encode(Farewell{"reason", true}),
                         [](agents::v1::Frame& frame) {
                           frame.mutable_farewell()->set_reason(std::string(301, 'x'));
                         }),
                 "with a long one");
}

TEST(Wire, truncated_frames_are_refused) {
  for (const std::string& bytes : {encode(some_hello()), encode(some_message()),
                                   encode(some_living_hello()), encode(some_word())}) {
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
  expect_refused(changed(encode(some_living_hello()),
                         [&](Frame& frame) { add(frame.mutable_hello()->mutable_living()); }),
                 "greeting with unknown");
  expect_refused(changed_word([&](auto& word) { add(&word); }), "word with unknown");
  expect_refused(changed_word([&](auto& word) { add(word.mutable_told()); }), "share with unknown");
  expect_refused(
      changed(encode(RosterText{"text"}), [&](Frame& frame) { add(frame.mutable_roster()); }),
      "roster with unknown");
  expect_refused(changed(encode(Farewell{"reason", true}),
                         [&](Frame& frame) { add(frame.mutable_farewell()); }),
                 "farewell with unknown");
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
