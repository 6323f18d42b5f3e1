// SPDX-License-Identifier: Apache-2.0
#include "daemon/stream.hpp"

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

namespace colla {
namespace {

constexpr char method[] = "/colla.agents.v1.Agents/Exchange";

// What both ends share: a queue of frames to write, one write and one read at a time.
template <typename Reactor>
class StreamEnd : public Reactor, public FrameStream {
 public:
  explicit StreamEnd(StreamEvents& events) : events_(events) {}

  void send(const std::string& bytes) override {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      outgoing_.push_back(buffer_of(bytes));
      if (writing_) return;
      writing_ = true;
    }
    this->StartWrite(&outgoing_.front());
  }

  void receive_next() override { this->StartRead(&incoming_); }

  void OnReadDone(bool ok) override {
    if (!ok) {
      broken();
      return;
    }
    events_.on_frame(self_, text_of(incoming_));
  }

  void OnWriteDone(bool ok) override {
    const grpc::ByteBuffer* next = nullptr;
    bool was_closed = false;
    {
      const std::lock_guard lock(mutex_);
      outgoing_.pop_front();
      was_closed = closed_;
      writing_ = ok && !closed_ && !outgoing_.empty();
      if (writing_) next = &outgoing_.front();
    }
    if (next != nullptr) this->StartWrite(next);
    if (was_closed) drained();
  }

 protected:
  void broken() {
    if (!reported_.exchange(true)) events_.on_broken(self_);
  }

  // No more writes. True if one is under way: `drained` will follow.
  bool mark_closed() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    return writing_;
  }

  // The write that was under way when the stream was closed has ended.
  virtual void drained() {}

  // The last call: nothing of gRPC refers to this object any more.
  void finish(const std::string& reason) {
    const std::shared_ptr<FrameStream> self = std::move(self_);
    events_.on_ended(self, reason);
  }

  std::shared_ptr<FrameStream> self_;  // as long as gRPC refers to this object

 private:
  StreamEvents& events_;
  std::mutex mutex_;
  std::deque<grpc::ByteBuffer> outgoing_;
  grpc::ByteBuffer incoming_;
  bool writing_ = false;
  bool closed_ = false;
  std::atomic<bool> reported_ = false;
};

using ClientReactor = grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

class CallingEnd final : public StreamEnd<ClientReactor> {
 public:
  CallingEnd(const std::shared_ptr<grpc::Channel>& channel, StreamEvents& events)
      : StreamEnd(events), stub_(channel) {}

  void start(const std::shared_ptr<CallingEnd>& self) {
    self_ = self;
    stub_.PrepareBidiStreamingCall(&context_, method, grpc::StubOptions(), this);
    AddHold();  // the owner starts operations until `close`
    receive_next();
    StartCall();
  }

  void close(const std::string& /*reason*/) override {
    if (closing_) return;
    closing_ = true;
    mark_closed();
    context_.TryCancel();
    RemoveHold();
  }

  void OnDone(const grpc::Status& status) override { finish(status.error_message()); }

  std::vector<std::string> certificate_names() const override {
    return colla::certificate_names(*context_.auth_context());
  }
  std::string address() const override { return context_.peer(); }

 private:
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  bool closing_ = false;
};

class CalledEnd final : public StreamEnd<ServerReactor> {
 public:
  CalledEnd(grpc::CallbackServerContext* context, StreamEvents& events)
      : StreamEnd(events),
        names_(colla::certificate_names(*context->auth_context())),
        address_(context->peer()) {}

  void start(const std::shared_ptr<CalledEnd>& self) {
    self_ = self;
    receive_next();
  }

  void close(const std::string& reason) override {
    if (closing_) return;
    closing_ = true;
    reason_ = reason;
    if (!mark_closed()) end();
  }

  void OnCancel() override { broken(); }
  void OnDone() override { finish("the connection was lost"); }

  std::vector<std::string> certificate_names() const override { return names_; }
  std::string address() const override { return address_; }

 private:
  void drained() override { end(); }
  void end() {
    Finish(reason_.empty() ? grpc::Status::OK
                           : grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, reason_));
  }

  std::vector<std::string> names_;
  std::string address_;
  bool closing_ = false;
  std::string reason_;
};

}  // namespace

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

std::vector<std::string> certificate_names(const grpc::AuthContext& context) {
  std::vector<std::string> names;
  for (const grpc::string_ref& name : context.FindPropertyValues("x509_subject_alternative_name")) {
    names.emplace_back(name.data(), name.size());
  }
  return names;
}

std::shared_ptr<FrameStream> open_stream(const std::shared_ptr<grpc::Channel>& channel,
                                         StreamEvents& events) {
  auto stream = std::make_shared<CallingEnd>(channel, events);
  stream->start(stream);
  return stream;
}

ServerReactor* accept_stream(grpc::CallbackServerContext* context, StreamEvents& events,
                             std::shared_ptr<FrameStream>& accepted) {
  auto stream = std::make_shared<CalledEnd>(context, events);
  accepted = stream;
  CalledEnd* reactor = stream.get();
  reactor->start(stream);
  return reactor;
}

}  // namespace colla
