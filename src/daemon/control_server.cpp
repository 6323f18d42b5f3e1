// SPDX-License-Identifier: Apache-2.0
#include "daemon/control_server.hpp"

#include "control.grpc.pb.h"

#include <colla/error.hpp>

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <chrono>
#include <cstring>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr int most_bytes = 1 << 30;

Samples samples_of(const control::v1::LearnRequest& request) {
  const auto count = std::size_t{request.rows()} * request.cols();
  if (count == 0 || request.samples().size() != count * sizeof(double) ||
      request.targets().size() != std::size_t{request.rows()} * sizeof(double)) {
    throw DataError("the request's rows have another size than it says", "", "");
  }
  Samples X(request.rows(), request.cols());
  std::memcpy(X.data(), request.samples().data(), request.samples().size());
  return X;
}

Vector targets_of(const control::v1::LearnRequest& request) {
  Vector y(request.rows());
  std::memcpy(y.data(), request.targets().data(), request.targets().size());
  return y;
}

}  // namespace

class ControlServer::Service final : public control::v1::Control::CallbackService {
 public:
  using Reactor = grpc::ServerUnaryReactor;
  using Context = grpc::CallbackServerContext;

  Service(Mailbox& mailbox, ControlCommands& commands) : mailbox_(mailbox), commands_(commands) {}

  Reactor* Learn(Context* context, const control::v1::LearnRequest* request,
                 control::v1::LearnReply* reply) override {
    return answer(context, [this, request, reply] {
      const auto revisit = request->append() ? Revisit::append : Revisit::replace;
      reply->set_task(
          commands_.learn({request->task(), samples_of(*request), targets_of(*request), revisit}));
    });
  }

  Reactor* Wait(Context* context, const control::v1::WaitRequest* request,
                control::v1::WaitReply* reply) override {
    Reactor* reactor = context->DefaultReactor();
    mailbox_.post([this, request, reply, reactor] {
      commands_.wait(request->task(), [reply, reactor](std::uint64_t step) {
        reply->set_step(step);
        reactor->Finish(step > 0 ? grpc::Status::OK
                                 : refusal("the agent is stopping; the task is safe"));
      });
    });
    return reactor;
  }

  Reactor* Close(Context* context, const control::v1::CloseRequest*,
                 control::v1::CloseReply*) override {
    return answer(context, [this] { commands_.close(); });
  }

  Reactor* Status(Context* context, const control::v1::StatusRequest*,
                  control::v1::StatusReply* reply) override {
    return answer(context, [this, reply] { reply->set_json(commands_.status()); });
  }

 private:
  static grpc::Status refusal(const std::string& reason) {
    return {grpc::StatusCode::INVALID_ARGUMENT, reason};
  }

  Reactor* answer(Context* context, std::function<void()> command) {
    Reactor* reactor = context->DefaultReactor();
    mailbox_.post([reactor, command = std::move(command)] {
      try {
        command();
        reactor->Finish(grpc::Status::OK);
      } catch (const Error& error) {
        reactor->Finish(refusal(error.what()));
      }
    });
    return reactor;
  }

  Mailbox& mailbox_;
  ControlCommands& commands_;
};

ControlServer::ControlServer(const std::filesystem::path& socket, Mailbox& mailbox,
                             ControlCommands& commands)
    : socket_(std::filesystem::absolute(socket)),
      service_(std::make_unique<Service>(mailbox, commands)) {}

ControlServer::~ControlServer() = default;

void ControlServer::listen() {
  constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  if (socket_.string().size() > longest) {
    throw OptionError("the path is longer than a socket's may be (" + std::to_string(longest) + ")",
                      socket_.string(), "move the home to a shorter path");
  }
  // The store's lock says that no other agent runs here: what is left of one may go.
  std::error_code ignored;
  std::filesystem::remove(socket_, ignored);
  const mode_t before = ::umask(0177);
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + socket_.string(), grpc::InsecureServerCredentials());
  builder.SetMaxReceiveMessageSize(most_bytes);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  ::umask(before);
  if (server_ == nullptr || !std::filesystem::exists(socket_, ignored)) {
    throw StoreError("the socket cannot be made", socket_.string(), "check the home's permissions");
  }
}

void ControlServer::stop() {
  if (server_ == nullptr) return;
  server_->Shutdown(std::chrono::system_clock::now() + 2s);
  std::error_code ignored;
  std::filesystem::remove(socket_, ignored);
}

}  // namespace colla
