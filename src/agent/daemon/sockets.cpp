// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/sockets.hpp"

#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace colla {
namespace {

// As errno; 0: it listens.
int listen_error(const Socket& socket, const addrinfo& at) {
  if (socket.get() < 0) return errno;
  // Connections of an earlier agent in TIME_WAIT must not get in the way.
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), at.ai_addr, at.ai_addrlen) != 0) return errno;
  return ::listen(socket.get(), SOMAXCONN) == 0 ? 0 : errno;
}

// A list may hold an address twice.
bool was_there_before(const addrinfo& at, const addrinfo* list) {
  for (; list != &at; list = list->ai_next) {
    if (list->ai_addrlen == at.ai_addrlen &&
        std::memcmp(list->ai_addr, at.ai_addr, at.ai_addrlen) == 0) {
      return true;
    }
  }
  return false;
}

std::string in_words(int error) {
  switch (error) {
    case EADDRINUSE:
      return "is in use by another program; stop that one, or set listen in agent.toml";
    case EADDRNOTAVAIL:
      return "is not an address of this machine; set listen in agent.toml to one that is, or to "
             "0.0.0.0 and the port";
    case EACCES:
      return "is not for this user; take a port above 1023";
    default:
      return fmt::format("cannot be listened on ({}); set listen in agent.toml",
                         std::strerror(error));
  }
}

}  // namespace

Socket::Socket(const addrinfo& kind)
    : descriptor_(::socket(kind.ai_family, kind.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}

Socket::Socket(Socket&& other) noexcept : descriptor_(other.release()) {}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int Socket::release() { return std::exchange(descriptor_, -1); }

Resolved resolve(const Address& address) {
  addrinfo wish{};
  wish.ai_socktype = SOCK_STREAM;
  wish.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wish, &found);
  return {error, decltype(Resolved::list)(error == 0 ? found : nullptr)};
}

// "localhost" may stand for an address of a protocol that this machine does not speak.
Listeners listen_at(const Address& address) {
  const Resolved resolved = resolve(address);
  if (resolved.error != 0) {
    return {{},
            fmt::format("does not resolve ({}); set listen in agent.toml",
                        ::gai_strerror(resolved.error))};
  }
  Listeners found;
  for (const addrinfo* at = resolved.list.get(); at != nullptr; at = at->ai_next) {
    if (was_there_before(*at, resolved.list.get())) continue;
    Socket socket(*at);
    const int error = listen_error(socket, *at);
    if (error == 0) found.sockets.push_back(std::move(socket));
    if (error == EADDRINUSE) return {{}, in_words(error)};
    if (error != 0 && found.hindrance.empty()) found.hindrance = in_words(error);
  }
  if (!found.sockets.empty()) found.hindrance.clear();
  return found;
}

}  // namespace colla
