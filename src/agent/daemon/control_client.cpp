// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/control_client.hpp"

#include "agent/daemon/control_server.hpp"
#include "agent/daemon/steady_waits.hpp"
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

using ControlStub = control::v1::Control::Stub;

}  // namespace

struct ControlClient::Stub {
  std::string home;
  std::unique_ptr<ControlStub> stub;

  template <typename Reply, typename Request>
  Reply ask(grpc::Status (ControlStub::*method)(grpc::ClientContext*, const Request&, Reply*),
            const Request& request) const {
    grpc::ClientContext context;
    context.set_deadline(deadline_in(longest_answer));
    Reply reply;
    check((stub.get()->*method)(&context, request, &reply));
    return reply;
  }

  void check(const grpc::Status& status) const {
    if (status.ok()) return;
    if (status.error_code() == grpc::StatusCode::INVALID_ARGUMENT) {
      throw DataError(status.error_message(), "", "");
    }
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
      throw NetworkError("the agent does not answer", home, "it may be computing");
    }
    if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
      throw DataError("more than 256 MiB of rows", "",
                      "give them in parts: tasks one by one, or their rows with --append");
    }
    if (status.error_code() != grpc::StatusCode::UNAVAILABLE) {
      throw NetworkError(status.error_message(), home, "");
    }
    throw NetworkError("no agent runs on this home", home,
                       "start it with `colla agent run --home " + home + "`");
  }
};

ControlClient::ControlClient(const std::filesystem::path& home) : stub_(std::make_unique<Stub>()) {
  sleep_by_the_steady_clock();
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

std::int64_t ControlClient::learn(const std::vector<TaskRows>& tasks, bool release_again) {
  control::v1::LearnRequest request;
  for (const TaskRows& rows : tasks) {
    control::v1::Task& task = *request.add_tasks();
    task.set_name(rows.task);
    task.set_rows(static_cast<std::uint32_t>(rows.X.rows()));
    task.set_cols(static_cast<std::uint32_t>(rows.X.cols()));
    task.set_samples(rows.X.data(), static_cast<std::size_t>(rows.X.size()) * sizeof(double));
    task.set_targets(rows.y.data(), static_cast<std::size_t>(rows.y.size()) * sizeof(double));
    task.set_append(rows.revisit == Revisit::append);
  }
  request.set_release_again(release_again);
  return stub_->ask<control::v1::LearnReply>(&ControlStub::Learn, request).first();
}

std::int64_t ControlClient::forget(const std::string& task) {
  control::v1::ForgetRequest request;
  request.set_task(task);
  return stub_->ask<control::v1::ForgetReply>(&ControlStub::Forget, request).request();
}

std::uint64_t ControlClient::wait(std::int64_t number, const std::function<void()>& still_waiting) {
  control::v1::WaitRequest task;
  task.set_task(number);
  control::v1::WaitReply learned;
  while (true) {
    grpc::ClientContext context;
    context.set_deadline(deadline_in(between_reasons));
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
  stub_->ask<control::v1::CloseReply>(&ControlStub::Close, control::v1::CloseRequest());
}

void ControlClient::reopen() {
  stub_->ask<control::v1::ReopenReply>(&ControlStub::Reopen, control::v1::ReopenRequest());
}

std::string ControlClient::update(const std::string& roster) {
  control::v1::UpdateRequest request;
  request.set_roster(roster);
  return stub_->ask<control::v1::UpdateReply>(&ControlStub::Update, request).said();
}

std::string ControlClient::status() {
  return stub_->ask<control::v1::StatusReply>(&ControlStub::Status, control::v1::StatusRequest())
      .json();
}

}  // namespace colla
