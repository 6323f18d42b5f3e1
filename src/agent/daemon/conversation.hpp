// SPDX-License-Identifier: Apache-2.0
// What an agent says to its neighbours, and what it makes of what they say. `Neighbours` carries
// it: connections, greetings, retries.
#pragma once

#include "agent/wire/wire.hpp"

#include <string>

namespace colla {

class Conversation {
 public:
  virtual ~Conversation() = default;

  /// The agent's greeting of that neighbour.
  virtual Hello greeting(const std::string& neighbour) const = 0;
  /// The neighbour has greeted over a new connection. Throws NetworkError if its state does not
  /// match this agent's: calling again does not help.
  virtual void greeted(const std::string& neighbour, const Hello& hello) = 0;
  /// Its next frame after that. Throws NetworkError, with nothing changed, if it is not one that
  /// may come.
  virtual void take(const std::string& neighbour, Frame frame) = 0;
  /// The frame to send to it next, as bytes; empty: none now. It is safe to lose with the
  /// connection.
  virtual std::string next(const std::string& neighbour) = 0;
  /// How often it has sent what no honest agent does.
  virtual std::uint64_t probes(const std::string& neighbour) const = 0;

  /// Another member that is no neighbour brings a roster. Throws NetworkError if it is not a newer
  /// one.
  virtual void take_roster(const std::string& member, const RosterText& roster) = 0;
};

}  // namespace colla
