// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/reachability.hpp"

#include "agent/daemon/sockets.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

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

// getaddrinfo has no deadline: if it takes too long, it is abandoned.
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
int connect_error(const Socket& socket, const addrinfo& to, Clock::time_point until) {
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

// The beginning of HTTP/2, with empty settings, and the first byte of the answer; none: silence.
std::optional<unsigned char> first_byte_of_answer(const Socket& socket, Clock::time_point until) {
  static constexpr char with_zero[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
  constexpr std::size_t size = sizeof with_zero - 1;
  if (::send(socket.get(), with_zero, size, MSG_NOSIGNAL) != std::ssize(with_zero) - 1) return {};
  pollfd wait{socket.get(), POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(time_left(until).count())) != 1) return {};
  unsigned char first = 0;
  if (::recv(socket.get(), &first, 1, 0) != 1) return {};
  return first;
}

bool is_of_tls(unsigned char first) {
  constexpr unsigned char alert = 21;
  constexpr unsigned char handshake = 22;
  return first == alert || first == handshake;
}

}  // namespace

std::string why_unreachable(const Address& address, Milliseconds patience) {
  const auto until = Clock::now() + patience;
  const std::optional<Resolved> resolved = resolve_within(address, patience);
  if (!resolved) return unresolved(EAI_AGAIN);
  if (resolved->error != 0) return unresolved(resolved->error);
  int error = 0;
  for (const addrinfo* to = resolved->list.get(); to != nullptr; to = to->ai_next) {
    error = connect_error(Socket(*to), *to, until);
    if (error == 0) return "";
  }
  return in_words(error, patience);
}

bool speaks_without_tls(const Address& address, Milliseconds patience) {
  const auto until = Clock::now() + patience;
  const std::optional<Resolved> resolved = resolve_within(address, patience);
  if (!resolved || resolved->error != 0) return false;
  for (const addrinfo* to = resolved->list.get(); to != nullptr; to = to->ai_next) {
    const Socket socket(*to);
    if (connect_error(socket, *to, until) != 0) continue;
    const auto first = first_byte_of_answer(socket, until);
    return first && !is_of_tls(*first);
  }
  return false;
}

}  // namespace colla
