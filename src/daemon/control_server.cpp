// SPDX-License-Identifier: Apache-2.0
#include "daemon/control_server.hpp"

#include "daemon/unary.hpp"

#include <colla/error.hpp>

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/server_credentials.h>
#include <sys/un.h>

#include <cstring>

namespace colla {
namespace {

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

grpc::Status refusal(const std::string& reason) {
  return {grpc::StatusCode::INVALID_ARGUMENT, reason};
}

// The server has a door to the network too: behind it nobody may ask.
void check_is_local(const grpc::AuthContext& peer) {
  const auto types = peer.FindPropertyValues(GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME);
  if (types.size() != 1 || types.front() != "local") {
    throw NetworkError("questions are answered in the agent's home only", "", "");
  }
}

}  // namespace

void check_socket_path(const std::filesystem::path& socket) {
  constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  if (socket.string().size() <= longest) return;
  throw OptionError("the path is longer than a socket's may be (" + std::to_string(longest) + ")",
                    socket.string(), "move the home to a shorter path");
}

ControlServer::ControlServer(const std::filesystem::path& socket, EventLoop& loop,
                             ControlCommands& commands)
    : socket_(std::filesystem::absolute(socket)), loop_(loop), commands_(commands) {}

void ControlServer::join(grpc::ServerBuilder& builder) {
  check_socket_path(socket_);
  // The store's lock says that no other agent runs here: what is left of one may go.
  std::error_code ignored;
  std::filesystem::remove(socket_, ignored);
  builder.AddListeningPort("unix:" + socket_.string(),
                           grpc::experimental::LocalServerCredentials(UDS));
  builder.RegisterService(&service_);
}

template <typename Request, typename Reply, typename AskFor, typename Command>
void ControlServer::answer(const AskFor& ask_for, const Command& command) {
  serve<Request, Reply>(loop_, ask_for, [command](const auto& question) {
    try {
      check_is_local(*question->context.auth_context());
      command(question);
    } catch (const Error& error) {
      question->answer(refusal(error.what()));
    }
  });
}

void ControlServer::listen() {
  using namespace control::v1;
  answer<LearnRequest, LearnReply>(
      [this](auto*... arguments) { service_.RequestLearn(arguments...); },
      [this](const auto& question) {
        const LearnRequest& request = question->request;
        const auto revisit = request.append() ? Revisit::append : Revisit::replace;
        question->reply.set_task(
            commands_.learn({request.task(), samples_of(request), targets_of(request), revisit}));
        question->answer(grpc::Status::OK);
      });
  answer<WaitRequest, WaitReply>(
      [this](auto*... arguments) { service_.RequestWait(arguments...); },
      [this](const auto& question) {
        commands_.wait(question->request.task(), [question](std::uint64_t step) {
          question->reply.set_step(step);
          question->answer(step > 0 ? grpc::Status::OK
                                    : refusal("the agent is stopping; the task is safe"));
        });
      });
  answer<CloseRequest, CloseReply>(
      [this](auto*... arguments) { service_.RequestClose(arguments...); },
      [this](const auto& question) {
        commands_.close();
        question->answer(grpc::Status::OK);
      });
  answer<StatusRequest, StatusReply>(
      [this](auto*... arguments) { service_.RequestStatus(arguments...); },
      [this](const auto& question) {
        question->reply.set_json(commands_.status());
        question->answer(grpc::Status::OK);
      });
}

void ControlServer::stop() {
  std::error_code ignored;
  std::filesystem::remove(socket_, ignored);
}

}  // namespace colla
