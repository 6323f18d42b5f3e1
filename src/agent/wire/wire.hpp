// SPDX-License-Identifier: Apache-2.0
// Messages between agents as bytes (proto/agents.proto, docs/wire.md).
#pragma once

#include "agent/protocol/networked_agent.hpp"

#include <colla/living_agent.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace colla {

inline constexpr std::uint32_t protocol_version = 4;

/// What agents of a living network greet each other with.
struct LivingHello {
  std::uint64_t version = 0;         ///< of the sender's roster
  std::uint64_t instance = 0;        ///< random, drawn when the sender's process started
  std::uint64_t requests = 0;        ///< that the sender has served
  std::uint64_t known_requests = 0;  ///< of the receiver's, the last that the sender has heard of
  bool operator==(const LivingHello&) const = default;
};

struct Hello {
  std::uint32_t protocol = protocol_version;
  std::string network;       ///< id
  std::string network_hash;  ///< SHA-256 of network.toml, 64 hexadecimal digits; of its signed part
  std::string agent;
  Position received;                    ///< of the other's messages, the last
  std::uint32_t received_checksum = 0;  ///< as in that message; 0 for none
  std::optional<LivingHello> living = {};
};

/// In a living network.
struct Word {
  LivingMessage message;
  std::uint64_t requests = 0;  ///< that the sender has served
};

/// A roster of a living network: network.toml with its signature.
struct RosterText {
  std::string text;
};

/// Why the end that called ends the stream.
struct Farewell {
  std::string reason;
  bool is_final = false;  ///< calling again does not help
};

inline constexpr std::size_t longest_reason = 300;

using Frame = std::variant<Hello, Message, Word, RosterText, Farewell>;

/// No frame of a network whose agents have these options is larger, but for a roster.
std::size_t largest_frame(const NetworkOptions& options);

std::string encode(const Hello& hello);
std::string encode(const Message& message);
std::string encode(const Word& word);
std::string encode(const RosterText& roster);
/// A longer reason is cut.
std::string encode(const Farewell& farewell);
/// Throws NetworkError unless the bytes are exactly one frame whose values match its size and
/// checksum.
Frame decode(std::string_view bytes);

}  // namespace colla
