// SPDX-License-Identifier: Apache-2.0
// Questions with one answer each, on the event loop's thread.
#pragma once

#include "daemon/event_loop.hpp"

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_unary_call.h>

#include <memory>

namespace colla {

template <typename Request, typename Reply>
class Question : public std::enable_shared_from_this<Question<Request, Reply>> {
 public:
  Request request;
  Reply reply;
  grpc::ServerContext context;
  grpc::ServerAsyncResponseWriter<Reply> writer{&context};

  /// Once, at any time.
  void answer(const grpc::Status& status) {
    writer.Finish(reply, status, EventLoop::when_done([self = this->shared_from_this()](bool) {}));
  }
};

/// Calls `handle` with every question, until the server is shut down. `ask_for` is the service's
/// Request method.
template <typename Request, typename Reply, typename AskFor, typename Handle>
void serve(EventLoop& loop, const AskFor& ask_for, const Handle& handle) {
  auto question = std::make_shared<Question<Request, Reply>>();
  ask_for(&question->context, &question->request, &question->writer, loop.queue(), loop.queue(),
          EventLoop::when_done([&loop, ask_for, handle, question](bool ok) {
            if (!ok) return;
            serve<Request, Reply>(loop, ask_for, handle);
            handle(question);
          }));
}

}  // namespace colla
