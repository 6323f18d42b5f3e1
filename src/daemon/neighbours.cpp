// SPDX-License-Identifier: Apache-2.0
#include "daemon/neighbours.hpp"

#include "daemon/greeting.hpp"
#include "daemon/unary.hpp"

#include <colla/error.hpp>

#include <algorithm>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr auto first_pause = 100ms;
constexpr auto longest_pause = 5s;
constexpr auto time_to_greet = 10s;
constexpr auto time_to_answer = 60s;  // over a slow link, by an agent that may be computing
constexpr auto same_warning_again = 60s;
constexpr std::size_t most_strangers = 64;
constexpr std::size_t most_warnings = 256;

}  // namespace

Neighbours::Neighbours(const Home& home, const Graph& graph, const Credentials& credentials,
                       NetworkedAgent& agent, EventLoop& loop, const Log& log,
                       std::function<void()> received)
    : home_(home),
      graph_(graph),
      credentials_(credentials),
      agent_(agent),
      loop_(loop),
      log_(log),
      received_(std::move(received)) {
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

Neighbours::~Neighbours() { hear_grpc({}); }

void Neighbours::join(grpc::ServerBuilder& builder) {
  hear_grpc({});  // whether it can listen, it says by what it returns
  const auto refused = [this](const std::string& reason) {
    loop_.post([this, reason] { warn_of_stranger("refused a caller", reason); });
  };
  builder.AddListeningPort(home_.listen, credentials_.called(refused));
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 8);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 10'000);
  // What is not packed is no larger than it looks.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.RegisterService(&service_);
}

void Neighbours::listen() {
  hear_grpc([this](const std::string& text) { loop_.post([this, text] { hear(text); }); });
  accept_streams(loop_, service_, *this);
  serve<grpc::ByteBuffer, grpc::ByteBuffer>(
      loop_, [this](auto*... arguments) { service_.RequestGreet(arguments...); },
      [this](const auto& question) {
        try {
          answer_greeting(question->context, text_of(question->request));
          question->reply = buffer_of(encode(own_hello(home_, {})));
          question->answer(grpc::Status::OK);
        } catch (const NetworkError& error) {
          question->answer({grpc::StatusCode::FAILED_PRECONDITION, error.what()});
        }
      });
}

// Of `colla doctor`: nothing changes here.
void Neighbours::answer_greeting(const grpc::ServerContext& context,
                                 const std::string& bytes) const {
  const Frame frame = decode(bytes);
  const auto* hello = std::get_if<Hello>(&frame);
  if (hello == nullptr) throw NetworkError("it did not greet", "", "");
  credentials_.check_peer(*context.auth_context());
  check_hello(home_, graph_, *hello, certificate_names(*context.auth_context()));
}

void Neighbours::on_called(const std::shared_ptr<FrameStream>& stream) {
  ++open_streams_;
  strangers_[stream] = Clock::now() + time_to_greet;
  if (stopping_) stream->close("it is stopping");
  if (strangers_.size() > most_strangers) stream->close("too many callers");
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
    const AgentOptions& options = home_.network.agent;
    if (bytes.size() > largest_frame(options.features, options.atoms)) {
      throw NetworkError(
          "a frame of " + std::to_string(bytes.size()) + " bytes, larger than any of this network",
          "", "");
    }
    Frame frame = decode(bytes);
    if (auto* hello = std::get_if<Hello>(&frame)) {
      if (is_greeted) throw NetworkError("it greeted twice", "", "");
      take_hello(stream, *hello);
    } else {
      if (!is_greeted) throw NetworkError("it did not greet first", "", "");
      connection->shown.bytes_received += bytes.size();
      const auto n = static_cast<std::size_t>(connection - connections_.data());
      agent_.receive(n, std::make_shared<const Message>(std::get<Message>(std::move(frame))));
      connection->pause = first_pause;  // it makes sense: if it gets lost, it is called again soon
      received_();
    }
    stream->receive_next();
  } catch (const NetworkError& error) {
    stream->close(error.what());
    // The greeting may have made it a neighbour's.
    connection = connection_of(stream);
    if (connection != nullptr) {
      lost(*connection, error.what());
    } else {
      warn_of_stranger("refused a caller at " + stream->address(), error.what());
    }
  }
}

// The called end answers with its own greeting; then both send.
void Neighbours::take_hello(const std::shared_ptr<FrameStream>& stream, const Hello& hello) {
  credentials_.check_peer(*stream->peer());
  const std::size_t n = check_hello(home_, graph_, hello, certificate_names(*stream->peer()));
  Connection& connection = connections_[n];
  if (connection.shown.is_called != (connection.stream == stream)) {
    throw NetworkError(hello.agent + (connection.shown.is_called ? " does not call, it is called"
                                                                 : " is not who was called"),
                       "", "");
  }
  try {
    agent_.greet(n, hello.received);
  } catch (const NetworkError& error) {
    if (!connection.shown.is_connected) connection.shown.reason = error.what();
    throw;
  }
  if (!connection.shown.is_called) {
    if (connection.stream != nullptr) connection.stream->close("a newer connection took its place");
    strangers_.erase(stream);
    connection.stream = stream;
    stream->send(encode(own_hello(home_, agent_.received(n))));
  }
  connection.next = agent_.plan().after(hello.received);
  connected(n);
}

void Neighbours::connected(std::size_t n) {
  Connection& connection = connections_[n];
  connection.shown.is_connected = true;
  connection.shown.since = Clock::now();
  connection.shown.reason.clear();
  connection.logged.clear();
  log_.info("connected to " + connection.shown.name);
  send();
}

void Neighbours::call(std::size_t n) {
  Connection& connection = connections_[n];
  if (connection.channel == nullptr) {
    const auto refused = [this, n](const std::string& reason) {
      loop_.post([this, n, reason] { connections_[n].refusal = reason; });
    };
    connection.channel = open_channel(home_.network, connection.shown.address,
                                      credentials_.calling(connection.shown.name, refused));
  }
  connection.refusal.clear();
  connection.stream = open_stream(loop_, connection.channel, *this);
  ++open_streams_;
  connection.stream->send(encode(own_hello(home_, agent_.received(n))));
  connection.greeted_by = Clock::now() + time_to_answer;
}

void Neighbours::lost(Connection& connection, const std::string& reason) {
  Neighbour& shown = connection.shown;
  if (shown.is_connected) shown.since = Clock::now();
  const bool was_connected = shown.is_connected;
  shown.is_connected = false;
  shown.reason = reason;
  connection.stream = nullptr;
  connection.call_at = Clock::now() + connection.pause;
  connection.pause = std::min<Clock::duration>(2 * connection.pause, longest_pause);
  if (stopping_ || reason == connection.logged) return;
  connection.logged = reason;
  log_.warning((was_connected ? "lost " : "cannot reach ") + shown.name + " (" + shown.address +
               "): " + reason);
}

void Neighbours::on_ended(const std::shared_ptr<FrameStream>& stream, const std::string& reason) {
  --open_streams_;
  strangers_.erase(stream);
  Connection* connection = connection_of(stream);
  if (connection == nullptr) return;
  lost(*connection, !connection->refusal.empty() ? connection->refusal
                    : !reason.empty()            ? reason
                                                 : "it ended the connection");
}

// After an error of accept gRPC never listens again.
void Neighbours::hear(const std::string& text) {
  if (text.find("Failed accept") != std::string::npos) {
    throw NetworkError("no more calls are taken (" + text + ")", home_.listen,
                       "start the agent again");
  }
  warn_of_stranger("gRPC", text.substr(0, text.find(" {")));  // times and places in its code follow
}

// Strangers may come as often as they like; the log says the same of them once a minute.
void Neighbours::warn_of_stranger(const std::string& what, const std::string& reason) {
  const auto now = Clock::now();
  if (warnings_.size() > most_warnings) warnings_.clear();
  auto& again = warnings_[reason];
  if (now < again) return;
  again = now + same_warning_again;
  log_.warning(what + ": " + reason);
}

void Neighbours::send() {
  for (Connection& connection : connections_) {
    if (!connection.shown.is_connected) continue;
    while (const auto message = agent_.sent(connection.next)) {
      const std::string bytes = encode(*message);
      connection.shown.bytes_sent += bytes.size();
      connection.stream->send(bytes);
      connection.next = agent_.plan().after(connection.next);
    }
  }
}

Neighbours::Clock::time_point Neighbours::tend(Clock::time_point now) {
  auto next = now + 1h;
  for (std::size_t n = 0; n < connections_.size(); ++n) {
    Connection& connection = connections_[n];
    if (!connection.shown.is_called || connection.shown.is_connected) continue;
    if (connection.stream == nullptr && connection.call_at <= now) {
      call(n);
    } else if (connection.stream != nullptr && connection.greeted_by <= now) {
      connection.stream->close("");
      lost(connection, "it did not greet in time");
    }
    next =
        std::min(next, connection.stream == nullptr ? connection.call_at : connection.greeted_by);
  }
  for (auto& [stream, deadline] : strangers_) {
    if (deadline <= now) {
      stream->close("no greeting came in time");
      deadline = now + 1h;
    }
    next = std::min(next, deadline);
  }
  return next;
}

void Neighbours::reconnect() {
  for (Connection& connection : connections_) {
    if (!connection.shown.is_called) continue;
    connection.channel = nullptr;
    if (connection.stream == nullptr) continue;
    connection.stream->close("");
    lost(connection, "to be called with the new certificate");
  }
}

void Neighbours::stop() {
  stopping_ = true;
  for (Connection& connection : connections_) {
    if (connection.stream != nullptr) connection.stream->close("it is stopping");
  }
  for (const auto& [stream, deadline] : strangers_) stream->close("it is stopping");
}

}  // namespace colla
