// SPDX-License-Identifier: Apache-2.0
// One end of a stream between two agents: frames as bytes, both ways, on the event loop's thread.
#pragma once

#include "agents.grpc.pb.h"
#include "daemon/event_loop.hpp"

#include <grpcpp/channel.h>
#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <string>
#include <vector>

namespace colla {

class FrameStream;

class StreamEvents {
 public:
  virtual ~StreamEvents() = default;
  /// An agent calls: a new stream, before its first frame.
  virtual void on_called(const std::shared_ptr<FrameStream>& stream) = 0;
  /// A frame; the next one follows after `receive_next`.
  virtual void on_frame(const std::shared_ptr<FrameStream>& stream, const std::string& bytes) = 0;
  /// The last event: the stream has ended, by `close` or by itself. Why, as far as this end can
  /// know.
  virtual void on_ended(const std::shared_ptr<FrameStream>& stream, const std::string& reason) = 0;
};

class FrameStream : public std::enable_shared_from_this<FrameStream> {
 public:
  virtual ~FrameStream() = default;
  FrameStream() = default;
  FrameStream(const FrameStream&) = delete;
  FrameStream& operator=(const FrameStream&) = delete;

  /// Frames are sent in the order of the calls.
  virtual void send(const std::string& bytes) = 0;
  /// To be called once after each frame. The first is asked for already.
  virtual void receive_next() = 0;
  /// Ends the stream; more than once has no effect. The other end is told the reason where the
  /// protocol allows it: by the agent that was called to the caller.
  virtual void close(const std::string& reason) = 0;

  /// The other end's; none before its first frame.
  virtual std::shared_ptr<const grpc::AuthContext> peer() const = 0;
  /// Where the other end is.
  virtual std::string address() const = 0;
};

/// What callers reach, as bytes.
using AgentsService = agents::v1::Agents::WithRawMethod_Exchange<
    agents::v1::Agents::WithRawMethod_Greet<agents::v1::Agents::Service>>;

/// Calls an agent.
std::shared_ptr<FrameStream> open_stream(EventLoop& loop,
                                         const std::shared_ptr<grpc::Channel>& channel,
                                         StreamEvents& events);
/// Lets one agent call; after it has, the next one, until the server is shut down.
void accept_streams(EventLoop& loop, AgentsService& service, StreamEvents& events);

std::string text_of(const grpc::ByteBuffer& buffer);
grpc::ByteBuffer buffer_of(const std::string& text);
/// The names in a peer's certificate; none without TLS.
std::vector<std::string> certificate_names(const grpc::AuthContext& peer);

}  // namespace colla
