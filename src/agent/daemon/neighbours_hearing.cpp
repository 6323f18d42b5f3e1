// SPDX-License-Identifier: Apache-2.0
// Who calls, how they greet, and what they say then.
#include "agent/daemon/neighbours.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <utility>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr auto time_to_greet = 10s;
// Per certificate; without TLS callers cannot be told apart.
constexpr std::size_t most_callers_of_a_name = 4;

}  // namespace

void Neighbours::on_called(const std::shared_ptr<FrameStream>& stream) {
  ++open_streams_;
  const std::vector<std::string> names = certificate_names(*stream->peer());
  const std::string name = names.empty() ? "" : names.front();
  callers_[stream] = {name, Clock::now() + time_to_greet, {}};
  const auto waiting = static_cast<std::size_t>(
      std::count_if(callers_.begin(), callers_.end(),
                    [&](const auto& entry) { return entry.second.name == name; }));
  const std::size_t most =
      most_callers_of_a_name * (name.empty() ? connections_.size() + 1 : std::size_t{1});
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

Neighbours::Connection* Neighbours::find(const std::string& name) {
  const auto found = std::find_if(connections_.begin(), connections_.end(),
                                  [&](const Connection& c) { return c.shown.name == name; });
  return found == connections_.end() ? nullptr : &*found;
}

bool Neighbours::is_connected(const std::string& name) const {
  return std::any_of(connections_.begin(), connections_.end(), [&](const Connection& c) {
    return c.shown.name == name && c.shown.is_connected;
  });
}

void Neighbours::on_frame(const std::shared_ptr<FrameStream>& stream, const std::string& bytes) {
  try {
    if (bytes.size() > largest_frame_of(home_.network)) {
      throw NetworkError(
          "a frame of " + std::to_string(bytes.size()) + " bytes, larger than any of this network",
          "", "");
    }
    Frame frame = decode(bytes);
    if (const auto* farewell = std::get_if<Farewell>(&frame)) {
      return hear_farewell(stream, *farewell);
    }
    if (auto* hello = std::get_if<Hello>(&frame)) {
      const Connection* connection = connection_of(stream);
      if (connection != nullptr && connection->shown.is_connected) {
        throw NetworkError("it greeted twice", "", "");
      }
      if (stream->method() == greet_method) return answer_greeting(stream, *hello);
      take_hello(stream, *hello);
    } else {
      on_word(stream, std::move(frame), bytes.size());
    }
    received_();
    stream->receive_next();
  } catch (const NetworkError& error) {
    stream->close({error.what()});
    // The greeting may have made it a neighbour's stream.
    Connection* connection = connection_of(stream);
    if (connection != nullptr) {
      lost(*connection, error.what());
    } else {
      of_strangers_.warning("refused a call",
                            "refused a call from " + stream->address() + ": " + error.what());
    }
  }
}

// The neighbour that called ends the stream, and says why.
void Neighbours::hear_farewell(const std::shared_ptr<FrameStream>& stream,
                               const Farewell& farewell) {
  stream->close({});
  Connection* connection = connection_of(stream);
  if (connection == nullptr) return;
  const Ending ending = ending_by_other(farewell.reason, farewell.is_final);
  connection->shown.is_refused = connection->shown.is_refused || ending.is_final;
  lost(*connection, ending.reason);
}

// A frame after the greeting.
void Neighbours::on_word(const std::shared_ptr<FrameStream>& stream, Frame frame,
                         std::size_t bytes) {
  Connection* connection = connection_of(stream);
  const auto guest = callers_.find(stream);
  if (connection != nullptr && connection->shown.is_connected) {
    connection->shown.bytes_received += bytes;
    door_->connections().received(connection->peer, bytes);
    conversation_.take(connection->shown.name, std::move(frame));
    connection->pause = first_pause;  // it is valid: if it is lost, call again soon
  } else if (guest != callers_.end() && !guest->second.member.empty() &&
             std::holds_alternative<RosterText>(frame)) {
    conversation_.take_roster(guest->second.member, std::get<RosterText>(frame));
    stream->close({"it has the roster now: call again"});
  } else {
    throw NetworkError("it did not greet first", "", "");
  }
}

Caller Neighbours::check_greeting(const FrameStream& stream, const Hello& hello) {
  credentials_.check_peer(*stream.peer());
  const Caller caller = check_hello(home_, hello, certificate_names(*stream.peer()));
  Rate& rate = caller == Caller::neighbour ? find(hello.agent)->greetings : members_;
  if (!rate.allows(Clock::now())) throw NetworkError(hello.agent + " greets too often", "", "");
  return caller;
}

// A call of `colla doctor`: nothing changes here.
void Neighbours::answer_greeting(const std::shared_ptr<FrameStream>& stream, const Hello& hello) {
  check_greeting(*stream, hello);
  stream->send(encode(own_hello(home_)));
  stream->receive_next();
}

// The called end answers with its own greeting; then both send.
void Neighbours::take_hello(const std::shared_ptr<FrameStream>& stream, const Hello& hello) {
  if (check_greeting(*stream, hello) == Caller::member) {
    const auto guest = callers_.find(stream);
    if (guest == callers_.end()) throw NetworkError(hello.agent + " is not a neighbour", "", "");
    guest->second.member = hello.agent;
    stream->send(encode(own_hello(home_)));
    return;
  }
  Connection& connection = *find(hello.agent);
  check_direction(connection, stream);
  try {
    conversation_.greeted(hello.agent, hello);
  } catch (const NetworkError& error) {
    if (!connection.shown.is_connected) connection.shown.reason = error.what();
    connection.shown.is_refused = true;
    stream->close({error.what(), true});
    throw;
  }
  connection.peer = stream->address();
  door_->welcome(hello.agent, connection.peer);
  if (connection.stream != stream) take_over(connection, stream);
  connected(connection);
}

// Who may call whom. In a living network either may.
void Neighbours::check_direction(const Connection& connection,
                                 const std::shared_ptr<FrameStream>& stream) const {
  const bool is_own_call = connection.stream == stream;
  const bool is_others_call = callers_.contains(stream);
  if (is_own_call || (is_others_call && (lives() || !connection.shown.is_called))) return;
  throw NetworkError(connection.shown.name + (is_others_call ? " must not call: this agent calls it"
                                                             : " is not the agent that was called"),
                     "", "");
}

// A call of the neighbour's takes the place of whatever there was.
void Neighbours::take_over(Connection& connection, const std::shared_ptr<FrameStream>& stream) {
  if (connection.stream != nullptr) {
    connection.stream->close({"a newer connection took its place"});
  }
  callers_.erase(stream);
  connection.stream = stream;
  stream->send(encode(conversation_.greeting(connection.shown.name)));
}

}  // namespace colla
