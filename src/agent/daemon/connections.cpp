// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/connections.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <linux/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace colla {
namespace {

using namespace std::chrono_literals;

// The TLS handshake with certificates of usual size, the HTTP/2 preface, a call and a greeting.
constexpr double before_greeting = 16 << 10;
// Messages that arrive while the agent computes, up to gRPC's window, and the frames around them.
constexpr double beside_messages = 64 << 10, messages_ahead = 8;
// Overhead of one message: its frame, its TLS record, acknowledgements and window updates of the
// answer.
constexpr double around_a_message = 1024, part_of_a_message = 1.0 / 16;
// Without messages: pings, and calls that are refused and tried again.
constexpr double bytes_a_second = 1000;

constexpr auto rest = 20ms;
constexpr auto between_searches = 20ms;
constexpr std::uint64_t of_end = 0, of_calls = 1;  // events; the others are connections' numbers
constexpr std::size_t most_cut = 64;               // kept until the next query

std::uint64_t inode_of(int descriptor) {
  struct stat state {};
  return ::fstat(descriptor, &state) == 0 ? state.st_ino : 0;
}

std::uint64_t bytes_received(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  ::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size);
  return info.tcpi_bytes_received;
}

// What gRPC can read at once, before it is counted.
void limit_buffer(int descriptor, double bytes) {
  const int size = static_cast<int>(bytes);
  ::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

// Also drops the bytes that gRPC has not read yet: `shutdown` would leave them.
void cut_off(int descriptor) {
  const sockaddr nowhere = {AF_UNSPEC, {}};
  [[maybe_unused]] const int result = ::connect(descriptor, &nowhere, sizeof nowhere);
}

std::vector<int> own_descriptors() {
  std::vector<int> found;
  std::error_code error;
  using Iterator = std::filesystem::directory_iterator;
  for (Iterator entry("/proc/self/fd", error), end; entry != end; entry.increment(error)) {
    found.push_back(std::stoi(entry->path().filename().string()));
  }
  return found;
}

std::string other_end_of(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  const bool is_known =
      ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  return is_known && address.ss_family != AF_UNIX ? peer_of(address) : "";
}

}  // namespace

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

std::string peer_of(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  if (address.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return fmt::format("ipv4:{}:{}", text, ntohs(v4.sin_port));
  }
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    ::inet_ntop(AF_INET, v6.sin6_addr.s6_addr + 12, text, sizeof text);
    return fmt::format("ipv4:{}:{}", text, ntohs(v6.sin6_port));
  }
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  const std::string scope = v6.sin6_scope_id == 0 ? "" : "%25" + std::to_string(v6.sin6_scope_id);
  return fmt::format("ipv6:%5B{}{}%5D:{}", text, scope, ntohs(v6.sin6_port));
}

void Allowance::charge(std::uint64_t received, Clock::time_point now) {
  left_ += bytes_a_second * std::chrono::duration<double>(now - last_).count();
  left_ += std::exchange(renewed_, 0.0) - static_cast<double>(std::max(received, seen_) - seen_);
  left_ = std::min(most_, left_);
  seen_ = std::max(received, seen_);
  last_ = now;
}

void Allowance::renew(std::size_t bytes) {
  renewed_ += (1.0 + part_of_a_message) * static_cast<double>(bytes) + around_a_message;
}

void Allowance::raise(double most) {
  left_ += most - most_;
  most_ = most;
}

Connections::Connections(std::size_t largest_message)
    : largest_message_(static_cast<double>(largest_message)),
      events_(::epoll_create1(EPOLL_CLOEXEC)),
      calls_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      end_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      last_id_(of_calls) {
  for (const auto& [id, source] : {std::pair{of_end, &end_}, {of_calls, &calls_}}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = id;
    ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, source->get(), &event);
  }
  thread_ = std::thread([this] { run(); });
}

Connections::~Connections() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(end_.get(), &one, sizeof one);
  thread_.join();
}

bool Connections::add(int descriptor, const sockaddr_storage& from) {
  const std::lock_guard lock(mutex_);
  // Whoever looked for calls just now may have taken it for one.
  forget_if([inode = inode_of(descriptor)](const Connection& connection) {
    return connection.inode == inode;
  });
  return add(descriptor, peer_of(from), source_of(from));
}

void Connections::expect_calls(bool is_calling) {
  const std::lock_guard lock(mutex_);
  if (is_calling == is_calling_) return;
  is_calling_ = is_calling;
  const timespec every = {0, is_calling ? std::chrono::nanoseconds(between_searches).count() : 0};
  const itimerspec times = {every, every};
  ::timerfd_settime(calls_.get(), 0, &times, nullptr);
}

// Every outgoing connection of this process.
void Connections::add_calls() {
  std::set<std::uint64_t> known;
  for (const auto& [id, connection] : open_) known.insert(connection.inode);
  for (const int descriptor : own_descriptors()) {
    const std::string peer = other_end_of(descriptor);
    if (!peer.empty() && !known.contains(inode_of(descriptor))) add(descriptor, peer, "");
  }
}

// A neighbour that is called may greet and go on at once, before the agent has read its greeting.
bool Connections::add(int descriptor, std::string peer, std::string source) {
  Socket second(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (second.get() < 0) return false;
  const bool is_call = source.empty();
  const Allowance allowance(is_call ? most_of_a_neighbour() : before_greeting,
                            bytes_received(descriptor), Clock::now());
  limit_buffer(descriptor, is_call ? beside_messages + largest_message_ : 2 * before_greeting);
  open_.emplace(++last_id_, Connection{std::move(second), inode_of(descriptor), std::move(peer),
                                       std::move(source), allowance});
  watch(last_id_, EPOLL_CTL_ADD);
  return true;
}

double Connections::most_of_a_neighbour() const {
  return beside_messages + messages_ahead * largest_message_;
}

void Connections::watch(std::uint64_t id, int operation) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = id;
  ::epoll_ctl(events_.get(), operation, found->second.socket.get(), &event);
}

std::string Connections::greeted(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  add_calls();  // it may have come to greetings before anybody looked for it
  std::string source;
  for (auto& [id, connection] : open_) {
    if (connection.peer != peer) continue;
    connection.allowance.raise(most_of_a_neighbour());
    limit_buffer(connection.socket.get(), beside_messages + largest_message_);
    source = connection.source;
  }
  return source;
}

void Connections::received(const std::string& peer, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, connection] : open_) {
    if (connection.peer != peer) continue;
    connection.allowance.renew(bytes);
  }
}

void Connections::drop(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  forget_if([&](const Connection& connection) {
    if (connection.peer != peer) return false;
    cut_off(connection.socket.get());
    return true;
  });
}

// epoll would remember the connection until gRPC closes it too.
void Connections::forget_if(const std::function<bool(const Connection&)>& condition) {
  std::erase_if(open_, [&](const auto& entry) {
    if (!condition(entry.second)) return false;
    ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, entry.second.socket.get(), nullptr);
    return true;
  });
}

std::size_t Connections::count(const std::function<bool(const std::string& source)>& wanted) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), [&](const auto& entry) {
    return !entry.second.source.empty() && wanted(entry.second.source);
  }));
}

std::vector<std::string> Connections::take_cut() {
  const std::lock_guard lock(mutex_);
  return std::exchange(cut_, {});
}

void Connections::run() {
  while (true) {
    const int pause = wake();
    epoll_event events[64];
    const int ready = ::epoll_wait(events_.get(), events, std::size(events), pause);
    const std::lock_guard lock(mutex_);
    for (int k = 0; k < ready; ++k) {
      const std::uint64_t id = events[k].data.u64;
      if (id == of_end) return;
      if (id == of_calls) {
        std::uint64_t ticks = 0;
        if (::read(calls_.get(), &ticks, sizeof ticks) > 0) add_calls();
      } else {
        look_at(id, (events[k].events & EPOLLHUP) != 0);
      }
    }
  }
}

// After a check a connection rests for a while, so that a busy one costs little. Returns the
// milliseconds until the next one wakes; negative: none rests.
int Connections::wake() {
  const std::lock_guard lock(mutex_);
  if (resting_.empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(awake_at_ - Clock::now());
  if (left > 0ms) return static_cast<int>(left.count());
  for (const std::uint64_t id : std::exchange(resting_, {})) {
    // The bytes may have been read already, and then no event reports them.
    if (has_brought_more(id)) {
      look_at(id, false);
    } else {
      watch(id, EPOLL_CTL_MOD);
    }
  }
  return resting_.empty() ? -1 : static_cast<int>(rest / 1ms);
}

bool Connections::has_brought_more(std::uint64_t id) const {
  const auto found = open_.find(id);
  return found != open_.end() &&
         bytes_received(found->second.socket.get()) > found->second.allowance.seen();
}

void Connections::look_at(std::uint64_t id, bool is_closed) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  Connection& connection = found->second;
  const auto now = Clock::now();
  connection.allowance.charge(bytes_received(connection.socket.get()), now);
  if (!is_closed && !connection.allowance.is_spent()) {
    if (resting_.empty()) awake_at_ = now + rest;
    resting_.push_back(id);
    return;
  }
  if (!is_closed) {
    cut_off(connection.socket.get());
    if (cut_.size() < most_cut) cut_.push_back(connection.peer);
  }
  forget_if([&](const Connection& each) { return &each == &connection; });
}

}  // namespace colla
