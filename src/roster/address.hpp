// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace colla {

/// Where an agent listens, or where others reach it.
struct Address {
  enum class Kind { name, ipv4, ipv6 };

  std::string host;  ///< in lower case, without brackets; an IPv6 address in its shortest form
  int port = 0;
  Kind kind = Kind::name;

  /// A wildcard for every address of a machine, such as 0.0.0.0: to listen on, not to connect to.
  bool is_any() const;
  bool operator==(const Address&) const = default;
};

/// "host:port", "10.0.0.7:7400" or "[::1]:7400". Throws OptionError, naming `where`.
Address parse_address(const std::string& text, const std::string& where);
/// The canonical text of an address.
std::string to_string(const Address& address);

}  // namespace colla
