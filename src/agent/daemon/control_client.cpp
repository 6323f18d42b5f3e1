// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/control_client.hpp"

#include "agent/daemon/control_server.hpp"
#include "control.grpc.pb.h"

#include <colla/error.hpp>

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace colla {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_answer = 60s;
constexpr auto between_reasons = 10s;

}  // namespace

struct ControlClient::Stub {
  std::string home;
  std::unique_ptr<control::v1::Control::Stub> stub;

  void check(const grpc::Status& status) const {
    if (status.ok()) return;
    if (status.error_code() == grpc::StatusCode::INVALID_ARGUMENT) {
      throw DataError(status.error_message(), "", "");
    }
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
      throw NetworkError("the agent does not answer", home, "it may be computing");
    }
    if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
      throw DataError("more than 256 MiB of rows", "", "give them in parts, with --append");
    }
    if (status.error_code() != grpc::StatusCode::UNAVAILABLE) {
      throw NetworkError(status.error_message(), home, "");
    }
    throw NetworkError("no agent runs on this home", home,
                       "start it with `colla agent run --home " + home + "`");
  }
};

ControlClient::ControlClient(const std::filesystem::path& home) : stub_(std::make_unique<Stub>()) {
  const auto socket = std::filesystem::absolute(home) / "control.sock";
  stub_->home = home.string();
  stub_->stub = control::v1::Control::NewStub(
      grpc::CreateChannel(uri_of_socket(socket), grpc::experimental::LocalCredentials(UDS)));
  if (::access(socket.c_str(), W_OK) == 0) return;
  if (errno == EACCES) {
    throw DataError("its agent belongs to another user", stub_->home, "run this as that user");
  }
  stub_->check({grpc::StatusCode::UNAVAILABLE, ""});
}

ControlClient::~ControlClient() = default;

std::uint64_t ControlClient::learn(const TaskRows& rows, bool wait,
                                   const std::function<void()>& queued,
                                   const std::function<void()>& still_waiting) {
  control::v1::LearnRequest request;
  request.set_task(rows.task);
  request.set_rows(static_cast<std::uint32_t>(rows.X.rows()));
  request.set_cols(static_cast<std::uint32_t>(rows.X.cols()));
  request.set_samples(rows.X.data(), static_cast<std::size_t>(rows.X.size()) * sizeof(double));
  request.set_targets(rows.y.data(), static_cast<std::size_t>(rows.y.size()) * sizeof(double));
  request.set_append(rows.revisit == Revisit::append);
  control::v1::LearnReply reply;
  {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + longest_answer);
    stub_->check(stub_->stub->Learn(&context, request, &reply));
  }
  queued();
  if (!wait) return 0;
  control::v1::WaitRequest task;
  task.set_task(reply.task());
  control::v1::WaitReply learned;
  while (true) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + between_reasons);
    const grpc::Status status = stub_->stub->Wait(&context, task, &learned);
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
      throw NetworkError("the agent has ended; the task is safe", stub_->home,
                         "start it again with `colla agent run --home " + stub_->home + "`");
    }
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
      still_waiting();
      continue;
    }
    stub_->check(status);
    return learned.step();
  }
}

void ControlClient::close() {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + longest_answer);
  control::v1::CloseReply reply;
  stub_->check(stub_->stub->Close(&context, control::v1::CloseRequest(), &reply));
}

std::string ControlClient::status() {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + longest_answer);
  control::v1::StatusReply reply;
  stub_->check(stub_->stub->Status(&context, control::v1::StatusRequest(), &reply));
  return reply.json();
}

}  // namespace colla
