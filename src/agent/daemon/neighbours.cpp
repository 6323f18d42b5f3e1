// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/neighbours.hpp"

#include "agent/daemon/greeting.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr auto first_pause = 100ms;
constexpr auto longest_pause = 5s;
constexpr auto time_to_greet = 10s;
constexpr auto time_to_answer = 60s;  // over a slow link, by an agent that may be computing
// Per certificate; without TLS callers cannot be told apart.
constexpr std::size_t most_callers_of_a_name = 4;
// For connections and their buffers, besides the frames themselves.
constexpr std::size_t quota_bytes = std::size_t{48} << 20;
constexpr std::size_t frames_of_a_neighbour = 8;

// Log lines: for this many neighbours, or for all strangers together.
Rate lines_about(std::size_t count) {
  const auto n = static_cast<double>(count);
  return {6 * n, 3 * n / 60};
}

std::vector<std::string> of_neighbours(const Home& home, const Graph& graph,
                                       std::string RosterAgent::*what) {
  std::vector<std::string> found;
  for (const ::colla::Link& link : graph.links(home.position)) {
    found.push_back(home.network.agents[static_cast<std::size_t>(link.neighbour)].*what);
  }
  return found;
}

// Lines for people: gRPC adds times and places in its code.
std::string start_of(const std::string& text) {
  return text.substr(0, text.find(" {")).substr(0, 200);
}

}  // namespace

Neighbours::Neighbours(const Home& home, const Graph& graph, const Credentials& credentials,
                       NetworkedAgent& agent, EventLoop& loop, const Log& log,
                       std::function<void()> received)
    : home_(home),
      graph_(graph),
      credentials_(credentials),
      agent_(agent),
      loop_(loop),
      of_neighbours_(log, lines_about(graph.links(home.position).size())),
      of_strangers_(log, lines_about(1)),
      received_(std::move(received)),
      mailbox_(std::make_shared<Mailbox>(loop)),
      guests_(std::make_shared<GuestList>(of_neighbours(home, graph, &RosterAgent::name))) {
  const auto now = Clock::now();
  for (const ::colla::Link& link : graph.links(home.position)) {
    const RosterAgent& roster = home.network.agents[static_cast<std::size_t>(link.neighbour)];
    Connection& connection = connections_.emplace_back();
    connection.shown.name = roster.name;
    connection.shown.address = roster.address;
    connection.shown.is_called = link.neighbour > home.position;
    connection.shown.reason =
        connection.shown.is_called ? "not called yet" : "it has not called yet";
    connection.shown.since = connection.call_at = now;
    connection.pause = first_pause;
  }
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
  door_ = std::make_unique<Door>(
      of_neighbours(home_, graph_, &RosterAgent::address), largest_message(), builder,
      credentials_.called(admission, warn("refused a caller")), warn("at the door"));
  door_->take(home_.listen);
  limit(builder);
  builder.RegisterAsyncGenericService(&service_);
}

std::size_t Neighbours::largest_message() const {
  return largest_frame(home_.network.agent.features, home_.network.agent.atoms);
}

// Limits on what callers may cost.
void Neighbours::limit(grpc::ServerBuilder& builder) const {
  const std::size_t frame = largest_message();
  builder.SetMaxReceiveMessageSize(static_cast<int>(frame));
  builder.SetResourceQuota(
      grpc::ResourceQuota("neighbours")
          .Resize(quota_bytes + frames_of_a_neighbour * frame * connections_.size()));
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

void Neighbours::on_called(const std::shared_ptr<FrameStream>& stream) {
  ++open_streams_;
  const std::vector<std::string> names = certificate_names(*stream->peer());
  const std::string name = names.empty() ? "" : names.front();
  callers_[stream] = {name, Clock::now() + time_to_greet};
  const auto waiting = static_cast<std::size_t>(
      std::count_if(callers_.begin(), callers_.end(),
                    [&](const auto& entry) { return entry.second.name == name; }));
  const std::size_t most = most_callers_of_a_name * (name.empty() ? connections_.size() : 1);
  if (stopping_) stream->close({"it is stopping"});
  if (waiting > most) stream->close({"too many calls at once"});
  // gRPC enforces its own limit only on callers that have acknowledged it.
  if (waiting > 4 * most) door_->connections().drop(stream->address());
  if (stream->method() != exchange_method && stream->method() != greet_method) {
    stream->close({"unknown method"});
  }
}

Neighbours::Connection* Neighbours::connection_of(const std::shared_ptr<FrameStream>& stream) {
  const auto found = std::find_if(connections_.begin(), connections_.end(),
                                  [&](const Connection& c) { return c.stream == stream; });
  return found == connections_.end() ? nullptr : &*found;
}

void Neighbours::on_frame(const std::shared_ptr<FrameStream>& stream, const std::string& bytes) {
  Connection* connection = connection_of(stream);
  const bool is_greeted = connection != nullptr && connection->shown.is_connected;
  try {
    if (bytes.size() > largest_message()) {
      throw NetworkError(
          "a frame of " + std::to_string(bytes.size()) + " bytes, larger than any of this network",
          "", "");
    }
    Frame frame = decode(bytes);
    if (auto* hello = std::get_if<Hello>(&frame)) {
      if (is_greeted) throw NetworkError("it greeted twice", "", "");
      if (stream->method() == greet_method) return answer_greeting(stream, *hello);
      take_hello(stream, *hello);
    } else {
      if (!is_greeted) throw NetworkError("it did not greet first", "", "");
      connection->shown.bytes_received += bytes.size();
      door_->connections().received(connection->peer, bytes.size());
      const auto n = static_cast<std::size_t>(connection - connections_.data());
      agent_.receive(n, std::make_shared<const Message>(std::get<Message>(std::move(frame))));
      connection->pause = first_pause;  // it is valid: if it is lost, call again soon
    }
    received_();
    stream->receive_next();
  } catch (const NetworkError& error) {
    stream->close({error.what()});
    // The greeting may have made it a neighbour's stream.
    connection = connection_of(stream);
    if (connection != nullptr) {
      lost(*connection, error.what());
    } else {
      of_strangers_.warning("refused a call",
                            "refused a call from " + stream->address() + ": " + error.what());
    }
  }
}

std::size_t Neighbours::check_greeting(const FrameStream& stream, const Hello& hello) {
  credentials_.check_peer(*stream.peer());
  const std::size_t n = check_hello(home_, graph_, hello, certificate_names(*stream.peer()));
  if (!connections_[n].greetings.allows(Clock::now())) {
    throw NetworkError(hello.agent + " greets too often", "", "");
  }
  return n;
}

// A call of `colla doctor`: nothing changes here.
void Neighbours::answer_greeting(const std::shared_ptr<FrameStream>& stream, const Hello& hello) {
  check_greeting(*stream, hello);
  stream->send(encode(own_hello(home_)));
  stream->receive_next();
}

// The called end answers with its own greeting; then both send.
void Neighbours::take_hello(const std::shared_ptr<FrameStream>& stream, const Hello& hello) {
  const std::size_t n = check_greeting(*stream, hello);
  Connection& connection = connections_[n];
  if (connection.shown.is_called != (connection.stream == stream)) {
    throw NetworkError(
        hello.agent + (connection.shown.is_called ? " must not call: this agent calls it"
                                                  : " is not the agent that was called"),
        "", "");
  }
  try {
    agent_.greet(n, hello.received, hello.received_checksum);
  } catch (const NetworkError& error) {
    if (!connection.shown.is_connected) connection.shown.reason = error.what();
    connection.shown.is_refused = true;
    stream->close({error.what(), true});
    throw;
  }
  connection.peer = stream->address();
  door_->welcome(hello.agent, connection.peer);
  if (!connection.shown.is_called) {
    if (connection.stream != nullptr)
      connection.stream->close({"a newer connection took its place"});
    callers_.erase(stream);
    connection.stream = stream;
    stream->send(encode(own_hello(home_, agent_.received(n), agent_.received_checksum(n))));
  }
  connection.next = agent_.plan().after(hello.received);
  connected(n);
}

void Neighbours::connected(std::size_t n) {
  Connection& connection = connections_[n];
  connection.shown.is_connected = true;
  connection.shown.since = Clock::now();
  connection.shown.reason.clear();
  connection.shown.is_refused = false;
  connection.logged.clear();
  of_neighbours_.info("connected " + connection.shown.name,
                      "connected to " + connection.shown.name);
  send();
}

void Neighbours::call(std::size_t n) {
  Connection& connection = connections_[n];
  if (connection.channel == nullptr) {
    const auto refused = [this, n, mailbox = mailbox_](const std::string& reason) {
      mailbox->post([this, n, reason] { connections_[n].refusal = reason; });
    };
    connection.channel = open_channel(home_.network, connection.shown.address,
                                      credentials_.calling(connection.shown.name, refused));
  }
  connection.stream = open_stream(loop_, connection.channel, *this);
  ++open_streams_;
  connection.stream->send(
      encode(own_hello(home_, agent_.received(n), agent_.received_checksum(n))));
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
  connection.call_at = Clock::now() + connection.pause;
  connection.pause = std::min<Clock::duration>(2 * connection.pause, longest_pause);
  if (stopping_ || reason == connection.logged) return;
  connection.logged = reason;
  // A probe is always logged, however often the neighbour comes and goes.
  const std::uint64_t probes =
      agent_.probes(static_cast<std::size_t>(&connection - connections_.data()));
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
  const auto message = agent_.sent(connection.next);
  if (message == nullptr) return;
  const std::string& bytes = encoded(message);
  connection.shown.bytes_sent += bytes.size();
  connection.stream->send(bytes);
  connection.next = agent_.plan().after(connection.next);
}

// Once for all neighbours.
const std::string& Neighbours::encoded(const std::shared_ptr<const Message>& message) {
  if (message != encoded_message_) {
    encoded_bytes_ = encode(*message);
    encoded_message_ = message;
  }
  return encoded_bytes_;
}

void Neighbours::on_sent(const std::shared_ptr<FrameStream>& stream) {
  Connection* connection = connection_of(stream);
  if (connection != nullptr) send(*connection);
}

Neighbours::Clock::time_point Neighbours::tend(Clock::time_point now) {
  auto next = now + 1h;
  bool is_calling = false;
  for (std::size_t n = 0; n < connections_.size(); ++n) {
    Connection& connection = connections_[n];
    if (!connection.shown.is_called || connection.shown.is_connected) continue;
    if (connection.stream == nullptr && connection.call_at <= now) {
      call(n);
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

void Neighbours::reconnect() {
  for (Connection& connection : connections_) {
    if (!connection.shown.is_called) continue;
    connection.channel = nullptr;
    if (connection.stream == nullptr) continue;
    connection.stream->close({});
    lost(connection, "reconnecting with the new certificate");
  }
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
