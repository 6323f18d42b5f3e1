// SPDX-License-Identifier: Apache-2.0
// One end of a stream between two agents: frames as bytes, both ways, on the event loop's thread.
#pragma once

#include "agent/daemon/event_loop.hpp"

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

/// Why a stream ends.
struct Ending {
  std::string reason;
  bool is_final = false;  ///< the two ends' states do not match: calling again does not help
};

/// What the other end said before it ended the stream.
Ending ending_by_other(const std::string& words, bool is_final);

class StreamEvents {
 public:
  virtual ~StreamEvents() = default;
  /// An agent calls: a new stream before its first frame.
  virtual void on_called(const std::shared_ptr<FrameStream>& stream) = 0;
  /// A frame; the next one follows after `receive_next`.
  virtual void on_frame(const std::shared_ptr<FrameStream>& stream, const std::string& bytes) = 0;
  /// Everything was sent.
  virtual void on_sent(const std::shared_ptr<FrameStream>& stream) = 0;
  /// The last event: the stream has ended, by `close` or by itself, with the reason as far as this
  /// end knows it.
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
  /// True if everything was sent; otherwise `on_sent` will say so.
  virtual bool is_idle() const = 0;
  /// Call it once after each frame; the first frame is requested automatically.
  virtual void receive_next() = 0;
  /// Ends the stream; later calls have no effect. The other end learns the reason: a caller from
  /// the call's status, the called agent from a last frame, a `Farewell`.
  virtual void close(const Ending& ending) = 0;

  /// Which call it is: `exchange_method`, `greet_method` or, by a stranger, any other.
  virtual std::string method() const = 0;
  /// The other end's credentials; none before its first frame.
  virtual std::shared_ptr<const grpc::AuthContext> peer() const = 0;
  /// Where the other end is.
  virtual std::string address() const = 0;
};

/// Calls an agent.
std::shared_ptr<FrameStream> open_stream(EventLoop& loop,
                                         const std::shared_ptr<grpc::Channel>& channel,
                                         StreamEvents& events);
/// Accepts one call, then the next, until the server shuts down. Every call is a stream, whatever
/// its method, so that no unfinished call goes unseen.
void accept_streams(EventLoop& loop, grpc::AsyncGenericService& service, StreamEvents& events);

std::string text_of(const grpc::ByteBuffer& buffer);
grpc::ByteBuffer buffer_of(const std::string& text);
/// The names in a peer's certificate; none without TLS.
std::vector<std::string> certificate_names(const grpc::AuthContext& peer);

}  // namespace colla
