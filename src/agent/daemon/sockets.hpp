// SPDX-License-Identifier: Apache-2.0
// TCP sockets, closed by their destructor, and name resolution.
#pragma once

#include "roster/address.hpp"

#include <netdb.h>

#include <memory>
#include <string>
#include <vector>

namespace colla {

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  /// A non-blocking socket of the address's family.
  explicit Socket(const addrinfo& kind);
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  int get() const { return descriptor_; }
  /// The descriptor, which the caller closes.
  int release();

 private:
  int descriptor_;  // negative: none
};

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

struct Resolved {
  int error = 0;  ///< of getaddrinfo
  std::unique_ptr<addrinfo, FreeAddresses> list;
};

Resolved resolve(const Address& address);

/// The sockets of this machine that listen at an address; a name may stand for several.
struct Listeners {
  std::vector<Socket> sockets;
  std::string hindrance;  ///< why there are none, and what to do
};

Listeners listen_at(const Address& address);

}  // namespace colla
