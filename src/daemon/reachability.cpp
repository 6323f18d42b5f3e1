// SPDX-License-Identifier: Apache-2.0
#include "daemon/reachability.hpp"

#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <thread>

namespace colla {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

struct Resolved {
  int error = 0;  // of getaddrinfo
  std::unique_ptr<addrinfo, FreeAddresses> list;
};

class Socket {
 public:
  explicit Socket(const addrinfo& kind)
      : descriptor_(::socket(kind.ai_family, kind.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

Resolved resolve(const Address& address) {
  addrinfo wish{};
  wish.ai_socktype = SOCK_STREAM;
  wish.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wish, &found);
  return {error, decltype(Resolved::list)(error == 0 ? found : nullptr)};
}

// getaddrinfo knows no deadline: where it takes too long it is left behind.
std::optional<Resolved> resolve_within(const Address& address, Milliseconds patience) {
  std::packaged_task<Resolved()> question([address] { return resolve(address); });
  std::future<Resolved> answer = question.get_future();
  std::thread(std::move(question)).detach();
  if (answer.wait_for(patience) != std::future_status::ready) return {};
  return answer.get();
}

Milliseconds time_left(Clock::time_point until) {
  const auto left = std::chrono::duration_cast<Milliseconds>(until - Clock::now());
  return std::max(left, Milliseconds(0));
}

// As errno; 0: a connection was made.
int connect_error(const addrinfo& to, Clock::time_point until) {
  const Socket socket(to);
  if (socket.get() < 0) return errno;
  if (::connect(socket.get(), to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd wait{socket.get(), POLLOUT, 0};
  const int ready = ::poll(&wait, 1, static_cast<int>(time_left(until).count()));
  if (ready == 0) return ETIMEDOUT;
  if (ready < 0) return errno;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

int listen_error(const addrinfo& at) {
  const Socket socket(at);
  if (socket.get() < 0) return errno;
  // As the agent's server: what an earlier one has left in TIME_WAIT is no hindrance.
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), at.ai_addr, at.ai_addrlen) != 0) return errno;
  return ::listen(socket.get(), 1) == 0 ? 0 : errno;
}

std::string unresolved(int error) {
  return fmt::format(
      "its name does not resolve ({}); check the address in network.toml and this machine's DNS",
      ::gai_strerror(error));
}

std::string in_words(int error, Milliseconds patience) {
  switch (error) {
    case ECONNREFUSED:
      return "does not answer (connection refused); is it running? is a firewall in between?";
    case ETIMEDOUT:
      return fmt::format(
          "does not answer within {} s; is its machine up? is a firewall in between?",
          std::chrono::duration_cast<std::chrono::seconds>(patience).count());
    default:
      return fmt::format("cannot be reached ({}); check the network between the machines",
                         std::strerror(error));
  }
}

std::string in_words_of_listener(int error) {
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

std::string why_unreachable(const Address& address, Milliseconds patience) {
  const auto until = Clock::now() + patience;
  const std::optional<Resolved> resolved = resolve_within(address, patience);
  if (!resolved) return unresolved(EAI_AGAIN);
  if (resolved->error != 0) return unresolved(resolved->error);
  int error = 0;
  for (const addrinfo* to = resolved->list.get(); to != nullptr; to = to->ai_next) {
    error = connect_error(*to, until);
    if (error == 0) return "";
  }
  return in_words(error, patience);
}

std::string why_not_to_listen_on(const Address& address) {
  const Resolved resolved = resolve(address);
  if (resolved.error != 0) {
    return fmt::format("does not resolve ({}); set listen in agent.toml",
                       ::gai_strerror(resolved.error));
  }
  const int error = listen_error(*resolved.list);
  return error == 0 ? "" : in_words_of_listener(error);
}

}  // namespace colla
