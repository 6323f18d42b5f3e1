// SPDX-License-Identifier: Apache-2.0
// One end of a stream between two agents: frames as bytes, both ways. The owner calls it from one
// thread; what the network does arrives as events on gRPC's threads.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <string>

namespace colla {

class FrameStream;

class StreamEvents {
 public:
  virtual ~StreamEvents() = default;
  /// The frame that `receive_next` asked for.
  virtual void on_frame(const std::shared_ptr<FrameStream>& stream, std::string bytes) = 0;
  /// The other end is gone; the owner closes this one.
  virtual void on_broken(const std::shared_ptr<FrameStream>& stream) = 0;
  /// After `close`, the last event: why the stream ended, as far as this end can know.
  virtual void on_ended(const std::shared_ptr<FrameStream>& stream, const std::string& reason) = 0;
};

class FrameStream {
 public:
  virtual ~FrameStream() = default;
  FrameStream() = default;
  FrameStream(const FrameStream&) = delete;
  FrameStream& operator=(const FrameStream&) = delete;

  /// Frames are sent in the order of the calls.
  virtual void send(const std::string& bytes) = 0;
  /// One event will follow for each call. A new stream has asked for its first frame already.
  virtual void receive_next() = 0;
  /// Ends the stream, once or more often. The other end is told the reason where the protocol
  /// allows it: from the agent that was called to the caller.
  virtual void close(const std::string& reason) = 0;

  /// The names in the other end's certificate; none without TLS.
  virtual std::vector<std::string> certificate_names() const = 0;
  /// Where the other end is.
  virtual std::string address() const = 0;
};

std::string text_of(const grpc::ByteBuffer& buffer);
grpc::ByteBuffer buffer_of(const std::string& text);
/// The names in the other end's certificate; none without TLS.
std::vector<std::string> certificate_names(const grpc::AuthContext& context);

/// Calls an agent; the stream is open when its first frame arrives.
std::shared_ptr<FrameStream> open_stream(const std::shared_ptr<grpc::Channel>& channel,
                                         StreamEvents& events);

using ServerReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

/// The end of an agent that is called; `accepted` gets the stream before any event.
ServerReactor* accept_stream(grpc::CallbackServerContext* context, StreamEvents& events,
                             std::shared_ptr<FrameStream>& accepted);

}  // namespace colla
