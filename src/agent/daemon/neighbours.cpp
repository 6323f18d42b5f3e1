// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/neighbours.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr auto first_pause = 100ms;
constexpr auto longest_pause = 5s;
constexpr auto time_to_be_called = 5s;  // in a living network; then this agent calls
constexpr auto time_to_answer = 60s;    // over a slow link, by an agent that may be computing
// For connections and their buffers, besides the frames themselves.
constexpr std::size_t quota_bytes = std::size_t{48} << 20;
constexpr std::size_t frames_of_a_neighbour = 8;
constexpr std::size_t least_expected = 4;  // neighbours: others may come

// Log lines: for this many neighbours, or for all strangers together.
Rate lines_about(std::size_t count) {
  const auto n = static_cast<double>(count);
  return {6 * n, 3 * n / 60};
}

std::vector<std::string> each(const std::vector<RosterAgent>& agents,
                              std::string RosterAgent::*what) {
  std::vector<std::string> found;
  for (const RosterAgent& agent : agents) found.push_back(agent.*what);
  return found;
}

// Lines for people: gRPC adds times and places in its code.
std::string start_of(const std::string& text) {
  return text.substr(0, text.find(" {")).substr(0, 200);
}

}  // namespace

Neighbours::Neighbours(const Home& home, const Credentials& credentials, Conversation& conversation,
                       EventLoop& loop, const Log& log, std::function<void()> received)
    : home_(home),
      credentials_(credentials),
      conversation_(conversation),
      loop_(loop),
      of_neighbours_(log, lines_about(neighbours_of(home).size())),
      of_strangers_(log, lines_about(1)),
      received_(std::move(received)),
      mailbox_(std::make_shared<Mailbox>(loop)),
      guests_(std::make_shared<GuestList>(home.network.mode == Mode::living)) {
  const std::vector<RosterAgent> neighbours = neighbours_of(home);
  for (const RosterAgent& neighbour : neighbours) add(neighbour);
  guests_->replace(each(neighbours, &RosterAgent::name));
}

void Neighbours::add(const RosterAgent& neighbour) {
  Connection& connection = connections_.emplace_back();
  connection.shown.name = neighbour.name;
  connection.shown.address = neighbour.address;
  connection.shown.is_called = home_.network.position_of(neighbour.name) > home_.position;
  connection.shown.reason = connection.shown.is_called ? "not called yet" : "it has not called yet";
  connection.shown.since = Clock::now();
  connection.call_at = connection.shown.since;
  if (!connection.shown.is_called) connection.call_at += time_to_be_called;
  connection.pause = first_pause;
}

Neighbours::~Neighbours() {
  mailbox_->close();
  hear_grpc({});
}

void Neighbours::join(grpc::ServerBuilder& builder) {
  const auto admission = [guests = guests_](const std::vector<std::string>& names) {
    return guests->refusal_of(names);
  };
  const auto warn = [this](const std::string& kind) {
    return [this, kind, mailbox = mailbox_](const std::string& reason) {
      mailbox->post([this, kind, reason] { of_strangers_.warning(kind, kind + ": " + reason); });
    };
  };
  door_ = std::make_unique<Door>(largest_frame_of(home_.network), builder,
                                 credentials_.called(admission, warn("refused a caller")),
                                 warn("at the door"));
  door_->expect(each(neighbours_of(home_), &RosterAgent::address));
  door_->take(home_.listen);
  limit(builder);
  builder.RegisterAsyncGenericService(&service_);
}

// Limits on what callers may cost.
void Neighbours::limit(grpc::ServerBuilder& builder) const {
  const std::size_t frame = largest_frame_of(home_.network);
  builder.SetMaxReceiveMessageSize(static_cast<int>(frame));
  builder.SetResourceQuota(
      grpc::ResourceQuota("neighbours")
          .Resize(quota_bytes +
                  frames_of_a_neighbour * frame * std::max(connections_.size(), least_expected)));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 8);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 5'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, window_for(frame));
  // No compression: a small frame cannot expand.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
}

void Neighbours::listen() {
  // Limited before it reaches the loop: one frame of a member can make gRPC log a thousand lines.
  hear_grpc([this, mailbox = mailbox_, rate = Rate(20, 1)](const std::string& place,
                                                           const std::string& text) mutable {
    if (!rate.allows(Clock::now())) return;
    mailbox->post([this, place, text] { of_strangers_.warning(place, "gRPC: " + start_of(text)); });
  });
  accept_streams(loop_, service_, *this);
  door_->open();
}

void Neighbours::connected(Connection& connection) {
  connection.shown.is_connected = connection.shown.was_connected = true;
  connection.shown.since = Clock::now();
  connection.shown.reason.clear();
  connection.shown.is_refused = false;
  connection.logged.clear();
  of_neighbours_.info("connected " + connection.shown.name,
                      "connected to " + connection.shown.name);
  send();
}

void Neighbours::call(Connection& connection) {
  const std::string& name = connection.shown.name;
  if (connection.channel == nullptr) {
    const auto refused = [this, name, mailbox = mailbox_](const std::string& reason) {
      mailbox->post([this, name, reason] {
        if (Connection* const of = find(name); of != nullptr) of->refusal = reason;
      });
    };
    connection.channel =
        open_channel(home_.network, connection.shown.address, credentials_.calling(name, refused));
  }
  connection.stream = open_stream(loop_, connection.channel, *this);
  ++open_streams_;
  connection.stream->send(encode(conversation_.greeting(name)));
  connection.greeted_by = Clock::now() + time_to_answer;
}

void Neighbours::lost(Connection& connection, const std::string& reason) {
  Neighbour& shown = connection.shown;
  if (shown.is_connected) shown.since = Clock::now();
  const bool was_connected = shown.is_connected;
  shown.is_connected = false;
  shown.reason = reason;
  connection.stream = nullptr;
  connection.refusal.clear();
  connection.call_at =
      Clock::now() + (shown.is_called ? connection.pause : Clock::duration(time_to_be_called));
  connection.pause = std::min<Clock::duration>(2 * connection.pause, longest_pause);
  if (stopping_ || reason == connection.logged) return;
  connection.logged = reason;
  // A probe is always logged, however often the neighbour comes and goes.
  const std::uint64_t probes = conversation_.probes(shown.name);
  const std::string kind =
      probes > std::exchange(connection.probes, probes) ? "probed by " : "lost ";
  of_neighbours_.warning(kind + shown.name, (was_connected ? "lost " : "cannot reach ") +
                                                shown.name + " (" + shown.address + "): " + reason);
}

void Neighbours::hear_of_cuts() {
  const std::string what = "it sends too much besides messages";
  for (const std::string& peer : door_->connections().take_cut()) {
    const auto found = std::find_if(
        connections_.begin(), connections_.end(),
        [&](const Connection& c) { return c.stream != nullptr && c.stream->address() == peer; });
    if (found != connections_.end()) {
      found->refusal = what;
    } else {
      of_strangers_.warning("cut", fmt::format("cut the connection with {}: {}", peer, what));
    }
  }
}

void Neighbours::on_ended(const std::shared_ptr<FrameStream>& stream, const Ending& ending) {
  --open_streams_;
  callers_.erase(stream);
  hear_of_cuts();
  Connection* connection = connection_of(stream);
  if (connection == nullptr) return;
  connection->shown.is_refused = connection->shown.is_refused || ending.is_final;
  lost(*connection, !connection->refusal.empty() ? connection->refusal
                    : !ending.reason.empty()     ? ending.reason
                                                 : "it ended the connection");
}

void Neighbours::send() {
  for (Connection& connection : connections_) send(connection);
}

// One message at a time: a neighbour that does not read can queue no more.
void Neighbours::send(Connection& connection) {
  if (!connection.shown.is_connected || !connection.stream->is_idle()) return;
  const std::string bytes = conversation_.next(connection.shown.name);
  if (bytes.empty()) return;
  connection.shown.bytes_sent += bytes.size();
  connection.stream->send(bytes);
}

void Neighbours::on_sent(const std::shared_ptr<FrameStream>& stream) {
  Connection* connection = connection_of(stream);
  if (connection != nullptr) send(*connection);
}

Neighbours::Clock::time_point Neighbours::tend(Clock::time_point now) {
  auto next = now + 1h;
  bool is_calling = false;
  for (Connection& connection : connections_) {
    const bool calls = connection.shown.is_called || lives();
    if (!calls || connection.shown.is_connected) continue;
    if (connection.stream == nullptr && connection.call_at <= now) {
      call(connection);
    } else if (connection.stream != nullptr && connection.greeted_by <= now) {
      connection.stream->close({});
      lost(connection, "it did not greet in time");
    }
    is_calling = true;
    next =
        std::min(next, connection.stream == nullptr ? connection.call_at : connection.greeted_by);
  }
  door_->connections().expect_calls(is_calling);
  hear_of_cuts();
  for (auto& [stream, caller] : callers_) {
    if (caller.until <= now) {
      stream->close({"no greeting came in time"});
      caller.until = now + 1h;
    }
    next = std::min(next, caller.until);
  }
  return next;
}

void Neighbours::follow_roster() {
  const std::vector<RosterAgent> neighbours = neighbours_of(home_);
  guests_->replace(each(neighbours, &RosterAgent::name));
  door_->expect(each(neighbours, &RosterAgent::address));
  std::vector<Connection> before = std::move(connections_);
  connections_.clear();
  for (const RosterAgent& neighbour : neighbours) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const Connection& c) {
      return c.shown.name == neighbour.name;
    });
    if (known == before.end()) {
      add(neighbour);
      continue;
    }
    connections_.push_back(std::move(*known));
    before.erase(known);
    Neighbour& shown = connections_.back().shown;
    shown.is_called = home_.network.position_of(shown.name) > home_.position;
    if (shown.address == neighbour.address) continue;
    shown.address = neighbour.address;
    connections_.back().channel = nullptr;
    connections_.back().call_at = std::min(connections_.back().call_at, Clock::now());
  }
  for (const Connection& gone : before) {
    if (gone.stream != nullptr) gone.stream->close({"it is no longer a neighbour", true});
  }
  end_forbidden();
}

// Connections whose certificates are revoked by now. A channel would go on with the certificate
// that it has seen, and never look at a new one.
void Neighbours::end_forbidden() {
  for (Connection& connection : connections_) {
    if (!connection.shown.is_connected) {
      connection.channel = nullptr;
      continue;
    }
    try {
      credentials_.check_peer(*connection.stream->peer());
    } catch (const NetworkError& error) {
      connection.channel = nullptr;
      connection.stream->close({error.what()});
      lost(connection, error.what());
    }
  }
}

void Neighbours::reconnect() {
  for (Connection& connection : connections_) {
    if (!connection.shown.is_called) continue;
    connection.channel = nullptr;
    if (connection.stream == nullptr) continue;
    connection.stream->close({});
    lost(connection, "reconnecting with the new certificate");
  }
}

void Neighbours::tell(const std::string& neighbour, const std::string& reason) {
  Connection* const connection = find(neighbour);
  if (connection == nullptr || !connection->shown.is_connected) return;
  connection->stream->close({reason});
  lost(*connection, reason);
}

void Neighbours::stop() {
  stopping_ = true;
  if (door_ != nullptr) door_->close();
  for (Connection& connection : connections_) {
    if (connection.stream != nullptr) connection.stream->close({"it is stopping"});
  }
  for (const auto& [stream, caller] : callers_) stream->close({"it is stopping"});
}

}  // namespace colla
