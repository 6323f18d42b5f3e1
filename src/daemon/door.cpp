// SPDX-License-Identifier: Apache-2.0
#include "daemon/door.hpp"

#include <colla/error.hpp>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace colla {
namespace {

// Of one address; agents on one machine, or behind one gateway, share it.
constexpr double connections_of_a_source = 64, more_for_a_neighbour = 4;
constexpr double calls_at_once = 32, calls_a_second = 8;
// Of all addresses.
constexpr double connections_of_all = 512;
constexpr double all_calls_at_once = 256, all_calls_a_second = 50;
// Of one neighbour: it calls anew after a cut, at most every 0.1 seconds and soon less often.
constexpr double certificates_at_once = 20, certificates_a_second = 2;

constexpr std::size_t most_sources = 4096;
constexpr int pause_milliseconds = 100;  // when the system has no descriptor to give

std::uint64_t inode_of(int descriptor) {
  struct stat state {};
  return ::fstat(descriptor, &state) == 0 ? state.st_ino : 0;
}

// An IPv4 address, or the half of an IPv6 address that its owner cannot choose.
std::string source_of(const sockaddr_storage& from) {
  if (from.ss_family == AF_INET) {
    const auto& address = reinterpret_cast<const sockaddr_in&>(from).sin_addr;
    return {reinterpret_cast<const char*>(&address), sizeof address};
  }
  const auto& address = reinterpret_cast<const sockaddr_in6&>(from).sin6_addr;
  const auto* bytes = reinterpret_cast<const char*>(&address);
  if (IN6_IS_ADDR_V4MAPPED(&address)) return {bytes + 12, 4};
  return {bytes, 8};
}

std::string peer_of(const sockaddr_storage& from) {
  char text[INET6_ADDRSTRLEN] = {};
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
  if (from.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return fmt::format("ipv4:{}:{}", text, ntohs(v4.sin_port));
  }
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    ::inet_ntop(AF_INET, v6.sin6_addr.s6_addr + 12, text, sizeof text);
    return fmt::format("ipv4:{}:{}", text, ntohs(v6.sin6_port));
  }
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  return fmt::format("ipv6:%5B{}%5D:{}", text, ntohs(v6.sin6_port));
}

// Without the long goodbye of TCP: nothing of it stays.
void turn_away(int descriptor) {
  const linger at_once = {1, 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(descriptor);
}

}  // namespace

GuestList::GuestList(const std::vector<std::string>& neighbours) {
  for (const std::string& name : neighbours) {
    guests_.emplace(name, Rate(certificates_at_once, certificates_a_second));
  }
}

std::string GuestList::refusal_of(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  const auto guest = names.empty() ? guests_.end() : guests_.find(names.front());
  if (guest == guests_.end()) return "its certificate is of no neighbour";
  return guest->second.allows(Rate::Clock::now()) ? "" : guest->first + " connects too often";
}

Door::Door(std::size_t neighbours, grpc::ServerBuilder& builder,
           std::shared_ptr<grpc::ServerCredentials> credentials, TurnedAway turned_away)
    : neighbours_(static_cast<double>(neighbours)),
      acceptor_(builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
          std::move(credentials))),
      turned_away_(std::move(turned_away)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      all_(all_calls_at_once + neighbours_, all_calls_a_second + neighbours_),
      reports_(1, 1) {}

Door::~Door() { close(); }

void Door::take(const std::string& address) {
  Listeners listeners = listen_at(parse_address(address, "listen"));
  if (listeners.sockets.empty())
    throw NetworkError(address + " " + listeners.hindrance, "listen", "");
  listeners_ = std::move(listeners.sockets);
}

void Door::open() {
  thread_ = std::thread([this] { watch(); });
}

void Door::close() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
  if (thread_.joinable()) thread_.join();
  listeners_.clear();
}

void Door::watch() {
  std::vector<pollfd> events = {{wake_.get(), POLLIN, 0}};
  for (const Socket& listener : listeners_) events.push_back({listener.get(), POLLIN, 0});
  while (true) {
    if (::poll(events.data(), events.size(), -1) < 0) continue;
    if (events[0].revents != 0) return;
    for (std::size_t k = 1; k < events.size(); ++k) {
      if (events[k].revents != 0) answer(events[k].fd);
    }
  }
}

void Door::answer(int listener) {
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  const int descriptor =
      ::accept4(listener, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      report(std::strerror(errno));
      pollfd end = {wake_.get(), POLLIN, 0};
      ::poll(&end, 1, pause_milliseconds);
    }
    return;  // otherwise the caller has gone
  }
  const std::string source = source_of(from);
  if (comes_too_often(source)) {
    turn_away(descriptor);
    report("too many calls in a short time");
  } else if (!has_room_for(source)) {
    turn_away(descriptor);
    report("too many open connections");
  } else {
    let_in(listener, {descriptor, inode_of(descriptor), source, peer_of(from)});
  }
}

bool Door::comes_too_often(const std::string& source) {
  const auto now = Rate::Clock::now();
  if (sources_.size() >= most_sources) {
    std::erase_if(sources_, [now](const auto& entry) { return entry.second.is_rested(now); });
  }
  if (sources_.size() >= most_sources && !sources_.contains(source)) return true;
  const auto [entry, is_new] =
      sources_.try_emplace(source, calls_at_once + neighbours_, calls_a_second + neighbours_);
  return !entry->second.allows(now) || !all_.allows(now);
}

bool Door::has_room_for(const std::string& source) {
  const std::lock_guard lock(mutex_);
  const double more = more_for_a_neighbour * neighbours_;
  const auto is_full = [&] {
    const auto of_source = std::count_if(
        guests_.begin(), guests_.end(), [&](const Guest& guest) { return guest.source == source; });
    return static_cast<double>(of_source) >= connections_of_a_source + more ||
           static_cast<double>(guests_.size()) >= connections_of_all + more;
  };
  if (!is_full()) return true;
  std::erase_if(guests_, [](const Guest& guest) { return !guest.is_here(); });
  return !is_full();
}

bool Door::Guest::is_here() const { return inode_of(descriptor) == inode; }

void Door::drop(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  for (const Guest& guest : guests_) {
    if (guest.peer == peer && guest.is_here()) ::shutdown(guest.descriptor, SHUT_RDWR);
  }
}

void Door::report(const std::string& why) {
  ++unreported_;
  if (!reports_.allows(Rate::Clock::now())) return;
  turned_away_(fmt::format("turned {} caller(s) away: {}", unreported_, why));
  unreported_ = 0;
}

void Door::let_in(int listener, Guest guest) {
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
  connection.listener_fd = listener;
  connection.fd = guest.descriptor;
  {
    const std::lock_guard lock(mutex_);
    guests_.push_back(std::move(guest));
  }
  acceptor_->HandleNewConnection(&connection);
}

}  // namespace colla
