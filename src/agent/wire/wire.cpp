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
  return {from.protocol(), from.network(),        hexadecimal_of(from.network_sha256()),
          from.agent(),    read(from.received()), from.received_checksum()};
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
  if (count == 0 || from.values().size() % sizeof(double) != 0 ||
      from.values().size() / sizeof(double) != count) {
    refuse(std::to_string(from.values().size()) + " bytes for a dictionary of " +
           std::to_string(from.rows()) + " x " + std::to_string(from.cols()));
  }
  message.dictionary.resize(static_cast<Index>(from.rows()), static_cast<Index>(from.cols()));
  std::memcpy(message.dictionary.data(), from.values().data(), from.values().size());
  if (checksum(message.dictionary) != from.checksum()) {
    refuse("a dictionary whose checksum is wrong");
  }
  return message;
}

}  // namespace

std::size_t largest_frame(Index features, Index atoms) {
  return static_cast<std::size_t>(features * atoms) * sizeof(double) + 1024;
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
  refuse("an empty frame");
}

}  // namespace colla
