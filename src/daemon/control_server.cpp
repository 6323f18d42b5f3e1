// SPDX-License-Identifier: Apache-2.0
#include "daemon/control_server.hpp"

#include "control.grpc.pb.h"

#include <colla/error.hpp>

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 20ms;
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

// An Error is the asker's to read; anything else is not, but must not leave this thread either.
grpc::Status answered(const std::function<void()>& command) {
  try {
    command();
    return grpc::Status::OK;
  } catch (const std::exception& error) {
    return {grpc::StatusCode::INVALID_ARGUMENT, error.what()};
  }
}

}  // namespace

class ControlServer::Service final : public control::v1::Control::Service {
 public:
  explicit Service(ControlCommands& commands) : commands_(commands) {}

  grpc::Status Learn(grpc::ServerContext* context, const control::v1::LearnRequest* request,
                     grpc::ServerWriter<control::v1::LearnReply>* replies) override {
    return answered([&] {
      const auto revisit = request->append() ? Revisit::append : Revisit::replace;
      const std::int64_t task =
          commands_.learn({request->task(), samples_of(*request), targets_of(*request), revisit});
      control::v1::LearnReply reply;
      if (!replies->Write(reply) || !request->wait()) return;
      while (reply.step() == 0 && !context->IsCancelled() && !stopping_) {
        std::this_thread::sleep_for(between_looks);
        reply.set_step(commands_.learned_in(task));
      }
      if (stopping_) throw NetworkError("the agent is stopping; the task is safe", "", "");
      replies->Write(reply);
    });
  }

  grpc::Status Close(grpc::ServerContext*, const control::v1::CloseRequest*,
                     control::v1::CloseReply*) override {
    return answered([&] { commands_.close(); });
  }

  grpc::Status Status(grpc::ServerContext*, const control::v1::StatusRequest*,
                      control::v1::StatusReply* reply) override {
    return answered([&] { reply->set_json(commands_.status()); });
  }

  void stop() { stopping_ = true; }

 private:
  ControlCommands& commands_;
  std::atomic<bool> stopping_ = false;
};

ControlServer::ControlServer(const std::filesystem::path& socket, ControlCommands& commands)
    : socket_(std::filesystem::absolute(socket)), service_(std::make_unique<Service>(commands)) {}

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
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 2);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  ::umask(before);
  if (server_ == nullptr || !std::filesystem::exists(socket_, ignored)) {
    throw StoreError("the socket cannot be made", socket_.string(), "check the home's permissions");
  }
}

void ControlServer::stop() {
  if (server_ == nullptr) return;
  service_->stop();
  server_->Shutdown(std::chrono::system_clock::now() + 2s);
  std::error_code ignored;
  std::filesystem::remove(socket_, ignored);
}

}  // namespace colla
