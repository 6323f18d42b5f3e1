// SPDX-License-Identifier: Apache-2.0
#include "agent/wire/wire.hpp"

#include "agents.pb.h"
#include "files/hexadecimal.hpp"

#include <colla/error.hpp>

#include <bit>
#include <cstring>
#include <limits>

namespace colla {
namespace {

static_assert(std::endian::native == std::endian::little, "values travel as they lie in memory");

constexpr std::size_t hash_bytes = 32;

[[noreturn]] void refuse(const std::string& what) { throw NetworkError(what, "", ""); }

bool has_unknown_fields(const google::protobuf::Message& message) {
  return !message.GetReflection()->GetUnknownFields(message).empty();
}

bool has_other_size(const std::string& bytes, std::uint64_t numbers) {
  return bytes.size() % sizeof(double) != 0 || bytes.size() / sizeof(double) != numbers;
}

// Of those that the bytes hold from `first` on.
Matrix read_matrix(const std::string& bytes, std::uint64_t first, std::uint32_t rows,
                   std::uint32_t cols) {
  Matrix matrix(static_cast<Index>(rows), static_cast<Index>(cols));
  std::memcpy(matrix.data(), bytes.data() + first * sizeof(double),
              static_cast<std::size_t>(matrix.size()) * sizeof(double));
  return matrix;
}

std::string bytes_of(const Matrix& matrix) {
  return {reinterpret_cast<const char*>(matrix.data()),
          static_cast<std::size_t>(matrix.size()) * sizeof(double)};
}

void set(agents::v1::Position* to, const Position& from) {
  to->set_step(from.step);
  to->set_exchange(from.exchange);
}

Position read(const agents::v1::Position& from) {
  if (has_unknown_fields(from)) refuse("a position with unknown fields");
  return {from.step(), from.exchange()};
}

Hello read(const agents::v1::Hello& from) {
  if (has_unknown_fields(from)) refuse("a greeting with unknown fields");
  if (from.network_sha256().size() != hash_bytes) refuse("a greeting without a network's hash");
  if (!from.has_received()) refuse("a greeting without a position");
  Hello hello{from.protocol(), from.network(),        hexadecimal_of(from.network_sha256()),
              from.agent(),    read(from.received()), from.received_checksum()};
  if (!from.has_living()) return hello;
  const agents::v1::Living& living = from.living();
  if (has_unknown_fields(living)) refuse("a greeting with unknown fields");
  hello.living = {living.version(), living.instance(), living.requests(), living.known_requests()};
  return hello;
}

Message read(const agents::v1::Dictionary& from) {
  if (has_unknown_fields(from)) refuse("a dictionary with unknown fields");
  if (!from.has_position()) refuse("a dictionary without a position");
  Message message{read(from.position()), from.checksum(), Matrix()};
  const std::uint64_t count = std::uint64_t{from.rows()} * from.cols();
  if (message.position.exchange == 0) {
    if (from.rows() != 0 || from.cols() != 0 || !from.values().empty()) {
      refuse("values at exchange 0");
    }
    return message;
  }
  if (count == 0 || has_other_size(from.values(), count)) {
    refuse(std::to_string(from.values().size()) + " bytes for a dictionary of " +
           std::to_string(from.rows()) + " x " + std::to_string(from.cols()));
  }
  message.dictionary = read_matrix(from.values(), 0, from.rows(), from.cols());
  if (checksum(message.dictionary) != from.checksum()) {
    refuse("a dictionary whose checksum is wrong");
  }
  return message;
}

Share read(const agents::v1::Share& from) {
  if (has_unknown_fields(from)) refuse("a share with unknown fields");
  const std::size_t most = from.values().size() / sizeof(double);
  if (from.codes() > most || from.features() > most) refuse("a share of the wrong size");
  const std::uint64_t codes = std::uint64_t{from.codes()} * from.codes();
  const std::uint64_t features = std::uint64_t{from.features()} * from.features();
  if (codes == 0 || features == 0 || has_other_size(from.values(), codes + features)) {
    refuse("a share of the wrong size");
  }
  return {read_matrix(from.values(), 0, from.codes(), from.codes()),
          read_matrix(from.values(), codes, from.features(), from.features())};
}

Word read(const agents::v1::Word& from) {
  if (has_unknown_fields(from)) refuse("a word with unknown fields");
  Word word;
  word.requests = from.requests();
  LivingMessage& message = word.message;
  message = {from.session(), from.number(), from.heard_session(), from.heard(),
             from.metric(),  from.share(),  from.heard_share()};
  if (from.has_told()) message.share = read(from.told());
  const std::uint64_t count = std::uint64_t{from.rows()} * from.cols();
  if (message.number == 0) {
    const bool is_empty =
        from.rows() == 0 && from.cols() == 0 && from.y().empty() && from.checksum() == 0;
    if (!is_empty) refuse("a y without a number");
    return word;
  }
  if (count == 0 || has_other_size(from.y(), count)) refuse("a y of the wrong size");
  message.y = read_matrix(from.y(), 0, from.rows(), from.cols());
  if (checksum(message.y) != from.checksum()) refuse("a y whose checksum is wrong");
  return word;
}

RosterText read(const agents::v1::Roster& from) {
  if (has_unknown_fields(from)) refuse("a roster with unknown fields");
  if (from.text().empty()) refuse("an empty roster");
  return {from.text()};
}

Farewell read(const agents::v1::Farewell& from) {
  if (has_unknown_fields(from)) refuse("a farewell with unknown fields");
  if (from.reason().empty() || from.reason().size() > longest_reason) {
    refuse("a farewell without a reason, or with a long one");
  }
  return {from.reason(), from.final()};
}

}  // namespace

std::size_t largest_frame(const NetworkOptions& options) {
  const auto [rows, columns] = exchanged_size(options.agent);
  auto numbers = static_cast<std::size_t>(rows * columns);
  const bool has_share = options.rule == Rule::healing && !options.agent.prior;
  if (has_share && options.metric == MetricKind::kronecker) {
    numbers += static_cast<std::size_t>(rows * rows + columns * columns);
  }
  return numbers * sizeof(double) + 1024;
}

std::string encode(const Hello& hello) {
  agents::v1::Frame frame;
  auto* to = frame.mutable_hello();
  to->set_protocol(hello.protocol);
  to->set_network(hello.network);
  to->set_network_sha256(bytes_of_hexadecimal(hello.network_hash));
  to->set_agent(hello.agent);
  set(to->mutable_received(), hello.received);
  to->set_received_checksum(hello.received_checksum);
  if (hello.living) {
    auto* living = to->mutable_living();
    living->set_version(hello.living->version);
    living->set_instance(hello.living->instance);
    living->set_requests(hello.living->requests);
    living->set_known_requests(hello.living->known_requests);
  }
  return frame.SerializeAsString();
}

std::string encode(const Message& message) {
  agents::v1::Frame frame;
  auto* to = frame.mutable_dictionary();
  const Matrix& L = message.dictionary;
  set(to->mutable_position(), message.position);
  to->set_rows(static_cast<std::uint32_t>(L.rows()));
  to->set_cols(static_cast<std::uint32_t>(L.cols()));
  to->set_values(L.data(), static_cast<std::size_t>(L.size()) * sizeof(double));
  to->set_checksum(message.checksum);
  return frame.SerializeAsString();
}

std::string encode(const Word& word) {
  const LivingMessage& message = word.message;
  agents::v1::Frame frame;
  auto* to = frame.mutable_word();
  to->set_requests(word.requests);
  to->set_session(message.session);
  to->set_number(message.number);
  to->set_heard_session(message.heard_session);
  to->set_heard(message.heard);
  to->set_metric(message.metric);
  to->set_share(message.share_hash);
  to->set_heard_share(message.heard_share);
  if (message.share) {
    to->mutable_told()->set_codes(static_cast<std::uint32_t>(message.share->codes.rows()));
    to->mutable_told()->set_features(static_cast<std::uint32_t>(message.share->features.rows()));
    to->mutable_told()->set_values(bytes_of(message.share->codes) +
                                   bytes_of(message.share->features));
  }
  if (message.number == 0) return frame.SerializeAsString();
  to->set_rows(static_cast<std::uint32_t>(message.y.rows()));
  to->set_cols(static_cast<std::uint32_t>(message.y.cols()));
  to->set_y(bytes_of(message.y));
  to->set_checksum(checksum(message.y));
  return frame.SerializeAsString();
}

std::string encode(const RosterText& roster) {
  agents::v1::Frame frame;
  frame.mutable_roster()->set_text(roster.text);
  return frame.SerializeAsString();
}

std::string encode(const Farewell& farewell) {
  agents::v1::Frame frame;
  frame.mutable_farewell()->set_reason(farewell.reason.substr(0, longest_reason));
  frame.mutable_farewell()->set_final(farewell.is_final);
  return frame.SerializeAsString();
}

Frame decode(std::string_view bytes) {
  agents::v1::Frame frame;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !frame.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    refuse("bytes that are not a frame");
  }
  if (has_unknown_fields(frame)) refuse("a frame with unknown fields");
  // Of a repeated field protobuf keeps only the last.
  if (frame.ByteSizeLong() != bytes.size()) refuse("a frame with extra bytes");
  if (frame.has_hello()) return read(frame.hello());
  if (frame.has_dictionary()) return read(frame.dictionary());
  if (frame.has_word()) return read(frame.word());
  if (frame.has_roster()) return read(frame.roster());
  if (frame.has_farewell()) return read(frame.farewell());
  refuse("an empty frame");
}

}  // namespace colla
