// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/stream.hpp"

#include "agent/daemon/steady_waits.hpp"
#include "agent/wire/wire.hpp"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/server_context.h>

#include <deque>
#include <optional>
#include <utility>

namespace colla {
namespace {

constexpr auto time_to_read = std::chrono::seconds(10);  // on a busy machine too
constexpr auto not_now = grpc::StatusCode::FAILED_PRECONDITION;
constexpr auto never = grpc::StatusCode::ABORTED;

grpc::Status status_of(const Ending& ending) {
  if (ending.reason.empty()) return grpc::Status::OK;
  return {ending.is_final ? never : not_now, ending.reason};
}

// The other end's reason, or gRPC's without its internal details.
Ending ending_of(const grpc::Status& status) {
  const std::string words = status.error_message().substr(0, longest_reason);
  if (status.error_code() == not_now || status.error_code() == never) {
    return ending_by_other(words, status.error_code() == never);
  }
  if (words == "keepalive watchdog timeout") return {"it does not answer any more"};
  if (words.ends_with("Socket closed")) {
    const bool was_refused = words.starts_with("failed to connect");  // in TLS
    return {was_refused ? "it ends connections; its log says why" : "the connection was lost"};
  }
  for (const std::string_view before :
       {"Failed to connect to remote host: ", "UNAUTHENTICATED: "}) {
    const std::size_t found = words.rfind(before);
    if (found != std::string::npos) return {words.substr(found + before.size())};
  }
  return {words};
}

// Shared by both ends: one write and one read at a time, and an end after both.
template <typename Derived>
class StreamEnd : public FrameStream {
 public:
  explicit StreamEnd(StreamEvents& events) : events_(events) {}

  void send(const std::string& bytes) override {
    if (closing_) return;
    outgoing_.push_back(buffer_of(bytes));
    write();
  }

  bool is_idle() const override { return outgoing_.empty(); }

  void receive_next() override {
    if (!closing_) read();
  }

  void close(const Ending& ending) override {
    if (closing_) return;
    closing_ = true;
    if (outgoing_.size() > 1) outgoing_.erase(outgoing_.begin() + 1, outgoing_.end());
    derived().begin_closing(ending);
  }

 protected:
  // The other end has gone or said why it ends.
  void broken() {
    if (closing_) return;
    closing_ = true;
    derived().wait_for_reason();
    derived().go_on_closing();
  }

  // What still comes while the stream is being closed: the call's status is behind it.
  void discard() {
    discards_ = true;
    if (!reading_) read();
  }

  // The stream lives until its last operation is done, and ends then if it is being closed.
  void* when_done(EventLoop::Done done) {
    return EventLoop::when_done([self = shared_from_this(), this, done = std::move(done)](bool ok) {
      --pending_;
      done(ok);
      if (closing_ && !ended_) derived().go_on_closing();
    });
  }

  // The stream is open.
  void opened() {
    is_open_ = true;
    write();
    receive_next();
  }

  void end(const Ending& ending) {
    ended_ = true;
    events_.on_ended(shared_from_this(), ending);
  }

  StreamEvents& events_;
  int pending_ = 0;  // operations
  bool is_open_ = false;
  bool writing_ = false;
  bool reading_ = false;
  bool discards_ = false;
  bool closing_ = false;
  bool ended_ = false;

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }

  void read() {
    reading_ = true;
    ++pending_;
    derived().rpc().Read(&incoming_, when_done([this](bool ok) {
      reading_ = false;
      if (!ok) return broken();
      if (!closing_) return events_.on_frame(shared_from_this(), text_of(incoming_));
      if (discards_) read();
    }));
  }

  void write() {
    if (!is_open_ || writing_ || closing_ || outgoing_.empty()) return;
    writing_ = true;
    ++pending_;
    derived().rpc().Write(outgoing_.front(), when_done([this](bool ok) {
                            writing_ = false;
                            outgoing_.pop_front();
                            if (!ok) return broken();
                            write();
                            if (is_idle() && !closing_) events_.on_sent(shared_from_this());
                          }));
  }

  std::deque<grpc::ByteBuffer> outgoing_;
  grpc::ByteBuffer incoming_;
};

class CallingEnd final : public StreamEnd<CallingEnd> {
 public:
  CallingEnd(EventLoop& loop, const std::shared_ptr<grpc::Channel>& channel, StreamEvents& events)
      : StreamEnd(events),
        loop_(loop),
        stub_(channel),
        rpc_(stub_.PrepareCall(&context_, exchange_method, loop.queue())) {}

  void start() {
    ++pending_;
    rpc_->StartCall(when_done([this](bool ok) {
      if (!ok) return broken();
      opened();
    }));
  }

  grpc::GenericClientAsyncReaderWriter& rpc() { return *rpc_; }

  // The other end is told why, and then ends the call. If it does not, this end does.
  void begin_closing(const Ending& ending) {
    if (is_open_ && !ending.reason.empty()) {
      farewell_ = buffer_of(encode(Farewell{ending.reason, ending.is_final}));
      discard();
      wait_for_reason();
    } else {
      context_.TryCancel();
    }
    go_on_closing();
  }

  // The other end's reason is on its way, or gRPC has lost the call.
  void wait_for_reason() {
    alarm_.Set(loop_.queue(), deadline_in(time_to_read),
               EventLoop::when_done([self = shared_from_this(), this](bool is_time) {
                 if (is_time && !ended_) context_.TryCancel();
               }));
  }

  // The status is requested when nothing else is pending.
  void go_on_closing() {
    if (farewell_ && !writing_) write_farewell();
    if (pending_ > 0) return;
    ++pending_;
    rpc_->Finish(&status_, when_done([this](bool /*ok*/) {
      alarm_.Cancel();
      end(ending_of(status_));
    }));
  }

  void write_farewell() {
    writing_ = true;
    ++pending_;
    rpc_->WriteLast(*farewell_, grpc::WriteOptions(),
                    when_done([this](bool /*ok*/) { writing_ = false; }));
    farewell_.reset();
  }

  std::string method() const override { return exchange_method; }
  std::shared_ptr<const grpc::AuthContext> peer() const override { return context_.auth_context(); }
  std::string address() const override { return context_.peer(); }

 private:
  EventLoop& loop_;
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> rpc_;
  grpc::Status status_;
  grpc::Alarm alarm_;
  std::optional<grpc::ByteBuffer> farewell_;
};

class CalledEnd final : public StreamEnd<CalledEnd> {
 public:
  CalledEnd(EventLoop& loop, grpc::AsyncGenericService& service, StreamEvents& events)
      : StreamEnd(events), loop_(loop), service_(service), rpc_(&context_) {}

  void start() {
    ++pending_;
    service_.RequestCall(&context_, &rpc_, loop_.queue(), loop_.queue(), when_done([this](bool ok) {
      if (!ok) return;  // the server is shut down
      accept_streams(loop_, service_, events_);
      events_.on_called(shared_from_this());
      opened();
    }));
  }

  grpc::GenericServerAsyncReaderWriter& rpc() { return rpc_; }

  void begin_closing(const Ending& ending) {
    status_ = status_of(ending);
    if (writing_) cancel_later();
    go_on_closing();
  }

  // No reason comes this way: the caller would have said it in its last frame.
  void wait_for_reason() {
    if (writing_) cancel_later();
  }

  // The other end may never read the pending write; then it never gets the reason.
  void cancel_later() {
    ++pending_;
    alarm_.Set(loop_.queue(), deadline_in(time_to_read), when_done([this](bool is_time) {
                 if (is_time && writing_) context_.TryCancel();
               }));
  }

  // A read may be pending, but no write.
  void go_on_closing() {
    if (writing_ || finishing_) return;
    finishing_ = true;
    alarm_.Cancel();
    ++pending_;
    rpc_.Finish(status_, when_done([this](bool /*ok*/) { end({"the connection was lost"}); }));
  }

  std::string method() const override { return context_.method(); }
  std::shared_ptr<const grpc::AuthContext> peer() const override { return context_.auth_context(); }
  std::string address() const override { return context_.peer(); }

 private:
  EventLoop& loop_;
  grpc::AsyncGenericService& service_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter rpc_;
  grpc::Status status_;
  bool finishing_ = false;
  grpc::Alarm alarm_;
};

}  // namespace

Ending ending_by_other(const std::string& words, bool is_final) {
  return {"it ended the connection, saying \"" + words + "\"", is_final};
}

std::shared_ptr<FrameStream> open_stream(EventLoop& loop,
                                         const std::shared_ptr<grpc::Channel>& channel,
                                         StreamEvents& events) {
  const auto stream = std::make_shared<CallingEnd>(loop, channel, events);
  stream->start();
  return stream;
}

void accept_streams(EventLoop& loop, grpc::AsyncGenericService& service, StreamEvents& events) {
  std::make_shared<CalledEnd>(loop, service, events)->start();
}

std::string text_of(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  text.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

grpc::ByteBuffer buffer_of(const std::string& text) {
  const grpc::Slice slice(text);
  return {&slice, 1};
}

std::vector<std::string> certificate_names(const grpc::AuthContext& peer) {
  std::vector<std::string> names;
  for (const grpc::string_ref& name : peer.FindPropertyValues(GRPC_X509_SAN_PROPERTY_NAME)) {
    names.emplace_back(name.data(), name.size());
  }
  return names;
}

}  // namespace colla
