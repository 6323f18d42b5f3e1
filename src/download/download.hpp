// SPDX-License-Identifier: Apache-2.0
// One file from an address, verified. The only part of the program that opens a connection to
// fetch data.
#pragma once

#include <colla/error.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace colla {

/// A server that cannot be reached, does not answer with a file or goes away: not the user's
/// mistake.
class ConnectionError : public Error {
 public:
  using Error::Error;
};

struct Download {
  std::string address;
  std::string target;       ///< where the file goes
  std::string sha256;       ///< that it must have, in lower-case hexadecimal
  std::uint64_t bytes = 0;  ///< that it must have
  /// Otherwise plain http, which is not encrypted, is refused unless it goes to this machine.
  bool may_be_plain_http = false;
  long connect_seconds = 20;  ///< for the connection to stand
  long silent_seconds = 30;   ///< without a byte, after which the connection counts as lost
  std::function<void(std::uint64_t done)> progress = nullptr;
};

/// Downloads to `<target>.part`, verifies size and SHA-256, and only then renames. A part that an
/// earlier attempt left is continued (HTTP range); if the server cannot do that, or the whole turns
/// out wrong, it starts over. After a lost connection the part stays for the next attempt; a
/// complete but wrong file is removed. Throws OptionError for an address that is not understood,
/// ConnectionError, DataError for a file that is not the published one, StoreError for what cannot
/// be written. No message has the name and password that an address may hold.
void download(const Download& wanted);

/// "https://host/..." or, on this machine, "http://localhost/..." and the like.
bool is_safe_address(const std::string& address);

}  // namespace colla
