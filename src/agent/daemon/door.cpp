// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/door.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <linux/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace colla {
namespace {

// Per address; agents on one machine, or behind one gateway, share it.
constexpr double connections_of_a_source = 64, more_for_a_neighbour = 4;
constexpr double calls_at_once = 32, calls_a_second = 8;
// For all addresses without a known neighbour together.
constexpr double connections_of_strangers = 128;
constexpr double strangers_at_once = 256, strangers_a_second = 50;
// Per neighbour: after a cut it calls again, at most every 0.1 seconds and soon less often.
constexpr double certificates_at_once = 20, certificates_a_second = 2;

constexpr std::size_t most_sources = 4096;
constexpr std::size_t sources_of_a_neighbour = 4;  // it may move
constexpr int pause_milliseconds = 100;            // when the system has no descriptor to give

// None if the address is a name: its resolution may change, and may take long.
std::vector<std::string> numeric_sources_of(const std::string& text) {
  const Address address = parse_address(text, "listen");
  if (address.kind == Address::Kind::name) return {};
  const Resolved resolved = resolve(address);
  std::vector<std::string> sources;
  for (const addrinfo* at = resolved.list.get(); at != nullptr; at = at->ai_next) {
    sockaddr_storage storage{};
    std::memcpy(&storage, at->ai_addr, at->ai_addrlen);
    sources.push_back(source_of(storage));
  }
  return sources;
}

// With a reset, so that no TIME_WAIT state remains.
void turn_away(int descriptor) {
  const linger at_once = {1, 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(descriptor);
}

}  // namespace

GuestList::GuestList(bool admits_members)
    : admits_members_(admits_members), members_(certificates_at_once, certificates_a_second) {}

void GuestList::replace(const std::vector<std::string>& neighbours) {
  const std::lock_guard lock(mutex_);
  std::map<std::string, Rate> guests;
  for (const std::string& name : neighbours) {
    const auto known = guests_.find(name);
    guests.emplace(name, known != guests_.end()
                             ? known->second
                             : Rate(certificates_at_once, certificates_a_second));
  }
  guests_ = std::move(guests);
}

std::string GuestList::refusal_of(const std::vector<std::string>& names,
                                  Rate::Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto guest = names.empty() ? guests_.end() : guests_.find(names.front());
  const bool is_neighbour = guest != guests_.end();
  if (!is_neighbour && !(admits_members_ && !names.empty())) {
    return "its certificate is of no neighbour";
  }
  Rate& rate = is_neighbour ? guest->second : members_;
  return rate.allows(now) ? "" : names.front() + " connects too often";
}

Door::Door(std::size_t largest_message, grpc::ServerBuilder& builder,
           std::shared_ptr<grpc::ServerCredentials> credentials, TurnedAway turned_away)
    : acceptor_(builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
          std::move(credentials))),
      turned_away_(std::move(turned_away)),
      connections_(largest_message),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      strangers_(strangers_at_once, strangers_a_second),
      reports_(1, 1) {}

void Door::expect(const std::vector<std::string>& addresses) {
  std::set<std::string> sources;
  for (const std::string& address : addresses) {
    for (std::string& source : numeric_sources_of(address)) sources.insert(std::move(source));
  }
  const std::lock_guard lock(mutex_);
  neighbours_ = static_cast<double>(addresses.size());
  roster_ = std::move(sources);
}

double Door::neighbours() const {
  const std::lock_guard lock(mutex_);
  return neighbours_;
}

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
  } else if (!connections_.add(descriptor, from)) {
    turn_away(descriptor);
    report(std::strerror(errno));
  } else {
    let_in(listener, descriptor);
  }
}

bool Door::comes_too_often(const std::string& source) {
  const auto now = Rate::Clock::now();
  if (sources_.size() >= most_sources) {
    std::erase_if(sources_, [now](const auto& entry) { return entry.second.is_rested(now); });
  }
  const bool is_stranger = !is_known(source);
  if (is_stranger && sources_.size() >= most_sources && !sources_.contains(source)) return true;
  const double more = neighbours();
  const auto [entry, is_new] =
      sources_.try_emplace(source, calls_at_once + more, calls_a_second + more);
  return !entry->second.allows(now) || (is_stranger && !strangers_.allows(now));
}

bool Door::has_room_for(const std::string& source) const {
  const auto of_source = connections_.count([&](const std::string& s) { return s == source; });
  const double more = more_for_a_neighbour * neighbours();
  if (static_cast<double>(of_source) >= connections_of_a_source + more) return false;
  if (is_known(source)) return true;
  const auto of_strangers = connections_.count([&](const std::string& s) { return !is_known(s); });
  return static_cast<double>(of_strangers) < connections_of_strangers;
}

bool Door::is_known(const std::string& source) const {
  const std::lock_guard lock(mutex_);
  return roster_.contains(source) ||
         std::any_of(seen_.begin(), seen_.end(), [&](const auto& entry) {
           return std::find(entry.second.begin(), entry.second.end(), source) != entry.second.end();
         });
}

void Door::welcome(const std::string& neighbour, const std::string& peer) {
  const std::string source = connections_.greeted(peer);
  if (source.empty()) return;
  const std::lock_guard lock(mutex_);
  auto& sources = seen_[neighbour];
  std::erase(sources, source);
  sources.push_back(source);
  if (sources.size() > sources_of_a_neighbour) sources.pop_front();
}

void Door::report(const std::string& why) {
  ++unreported_;
  if (!reports_.allows(Rate::Clock::now())) return;
  turned_away_(fmt::format("turned {} caller(s) away: {}", unreported_, why));
  unreported_ = 0;
}

// Messages are short and answered at once: no delay to batch them (Nagle).
void Door::let_in(int listener, int descriptor) {
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
  connection.listener_fd = listener;
  connection.fd = descriptor;
  acceptor_->HandleNewConnection(&connection);
}

}  // namespace colla
