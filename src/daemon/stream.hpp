// SPDX-License-Identifier: Apache-2.0
// One end of a stream between two agents: frames as bytes, both ways, on the event loop's thread.
#pragma once

#include "daemon/event_loop.hpp"

#include <grpcpp/channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <string>
#include <vector>

namespace colla {

/// The calls of proto/agents.proto.
inline constexpr char exchange_method[] = "/colla.agents.v1.Agents/Exchange";
inline constexpr char greet_method[] = "/colla.agents.v1.Agents/Greet";

class FrameStream;

/// Why a stream is ended.
struct Ending {
  std::string reason;
  bool is_final = false;  ///< the two ends' states do not fit: calling again does not help
};

class StreamEvents {
 public:
  virtual ~StreamEvents() = default;
  /// An agent calls: a new stream, before its first frame.
  virtual void on_called(const std::shared_ptr<FrameStream>& stream) = 0;
  /// A frame; the next one follows after `receive_next`.
  virtual void on_frame(const std::shared_ptr<FrameStream>& stream, const std::string& bytes) = 0;
  /// Everything was sent.
  virtual void on_sent(const std::shared_ptr<FrameStream>& stream) = 0;
  /// The last event: the stream has ended, by `close` or by itself. Why, as far as this end can
  /// know.
  virtual void on_ended(const std::shared_ptr<FrameStream>& stream, const Ending& ending) = 0;
};

class FrameStream : public std::enable_shared_from_this<FrameStream> {
 public:
  virtual ~FrameStream() = default;
  FrameStream() = default;
  FrameStream(const FrameStream&) = delete;
  FrameStream& operator=(const FrameStream&) = delete;

  /// Frames are sent in the order of the calls.
  virtual void send(const std::string& bytes) = 0;
  /// Everything was sent; `on_sent` says when it is so again.
  virtual bool is_idle() const = 0;
  /// To be called once after each frame. The first is asked for already.
  virtual void receive_next() = 0;
  /// Ends the stream; more than once has no effect. The other end is told the reason where the
  /// protocol allows it: by the agent that was called to the caller.
  virtual void close(const Ending& ending) = 0;

  /// Which call it is: `exchange_method`, `greet_method` or, by a stranger, any other.
  virtual std::string method() const = 0;
  /// The other end's; none before its first frame.
  virtual std::shared_ptr<const grpc::AuthContext> peer() const = 0;
  /// Where the other end is.
  virtual std::string address() const = 0;
};

/// Calls an agent.
std::shared_ptr<FrameStream> open_stream(EventLoop& loop,
                                         const std::shared_ptr<grpc::Channel>& channel,
                                         StreamEvents& events);
/// Lets one agent call; after it has, the next one, until the server is shut down. Every call is a
/// stream, whatever its method, so that none can stay unfinished without being seen.
void accept_streams(EventLoop& loop, grpc::AsyncGenericService& service, StreamEvents& events);

std::string text_of(const grpc::ByteBuffer& buffer);
grpc::ByteBuffer buffer_of(const std::string& text);
/// The names in a peer's certificate; none without TLS.
std::vector<std::string> certificate_names(const grpc::AuthContext& peer);

}  // namespace colla
