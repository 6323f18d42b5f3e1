// SPDX-License-Identifier: Apache-2.0
// Messages between agents as bytes (proto/agents.proto, docs/wire.md).
#pragma once

#include "agent/protocol/networked_agent.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace colla {

inline constexpr std::uint32_t protocol_version = 2;

struct Hello {
  std::uint32_t protocol = protocol_version;
  std::string network;       ///< id
  std::string network_hash;  ///< SHA-256 of network.toml, 64 hexadecimal digits
  std::string agent;
  Position received;                    ///< of the other's messages, the last
  std::uint32_t received_checksum = 0;  ///< as in that message; 0 for none
};

using Frame = std::variant<Hello, Message>;

/// No frame of a network with d x u dictionaries is larger.
std::size_t largest_frame(Index features, Index atoms);

std::string encode(const Hello& hello);
std::string encode(const Message& message);
/// Throws NetworkError unless the bytes are exactly one frame whose values match its size and
/// checksum.
Frame decode(std::string_view bytes);

}  // namespace colla
