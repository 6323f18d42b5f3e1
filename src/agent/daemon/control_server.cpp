// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/control_server.hpp"

#include "agent/daemon/steady_waits.hpp"
#include "files/uri.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <grpcpp/alarm.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/un.h>

#include <chrono>
#include <cstring>
#include <functional>

namespace colla {
namespace {

using namespace std::chrono_literals;
using namespace control::v1;

constexpr auto patience_for_status = 200ms;  // with an agent that may be computing
constexpr auto time_to_end = 1s;

Samples samples_of(const Task& request) {
  const auto count = std::size_t{request.rows()} * request.cols();
  if (count == 0 || request.samples().size() != count * sizeof(double) ||
      request.targets().size() != std::size_t{request.rows()} * sizeof(double)) {
    throw DataError("the request's rows do not have the size it states", "", "");
  }
  Samples X(request.rows(), request.cols());
  std::memcpy(X.data(), request.samples().data(), request.samples().size());
  return X;
}

Vector targets_of(const Task& request) {
  Vector y(request.rows());
  std::memcpy(y.data(), request.targets().data(), request.targets().size());
  return y;
}

std::vector<TaskRows> tasks_of(const LearnRequest& request) {
  if (request.tasks().empty()) throw DataError("the request has no task", "", "");
  std::vector<TaskRows> tasks;
  for (const Task& task : request.tasks()) {
    const auto revisit = task.append() ? Revisit::append : Revisit::replace;
    tasks.push_back({task.name(), samples_of(task), targets_of(task), revisit});
  }
  return tasks;
}

grpc::Status refusal(const std::string& reason) {
  return {grpc::StatusCode::INVALID_ARGUMENT, reason};
}

}  // namespace

std::string uri_of_socket(const std::filesystem::path& socket) {
  const std::string path = std::filesystem::absolute(socket).string();
  constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  if (path.size() > longest) {
    throw OptionError(
        "the path is too long for a socket (at most " + std::to_string(longest) + " bytes)", path,
        "move the home to a shorter path");
  }
  return "unix:" + uri_path(path);
}

// A call that is answered once, by whichever thread comes first: the agent's, the alarm's, or
// gRPC's when the client has gone. It lives until gRPC is done with it.
class ControlServer::Question : public grpc::ServerUnaryReactor,
                                public std::enable_shared_from_this<Question> {
 public:
  static std::shared_ptr<Question> make(ControlServer& server) {
    auto question = std::make_shared<Question>(server);
    question->self_ = question;
    return question;
  }

  explicit Question(ControlServer& server) : server_(server) {}

  /// `fill` writes the reply, which must not change afterwards.
  void answer(
      const grpc::Status& status, const std::function<void()>& fill = [] {}) {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
    answered_ = true;
    fill();
    alarm_.Cancel();
    Finish(status);
  }

  /// On the agent's thread, unless the call has been answered by then.
  void ask_agent(std::function<void()> command) {
    server_.loop_.post([self = shared_from_this(), command = std::move(command)] {
      if (self->is_answered()) return;
      try {
        command();
      } catch (const Error& error) {
        self->answer(refusal(error.what()));
      }
    });
  }

  /// Unless the call is gone by then. The call owns the alarm, which must not keep it alive.
  void after(std::chrono::milliseconds time, std::function<void(Question&)> action) {
    alarm_.Set(deadline_in(time),
               [question = weak_from_this(), action = std::move(action)](bool is_time) {
                 const auto self = question.lock();
                 if (is_time && self != nullptr) action(*self);
               });
  }

  bool is_answered() {
    const std::lock_guard lock(mutex_);
    return answered_;
  }

  void OnCancel() override {
    const auto self = shared_from_this();
    answer(grpc::Status::CANCELLED);
    server_.forget(this);
  }
  void OnDone() override { self_.reset(); }

 private:
  ControlServer& server_;
  std::shared_ptr<Question> self_;
  std::mutex mutex_;
  bool answered_ = false;
  grpc::Alarm alarm_;
};

class ControlServer::Service final : public Control::CallbackService {
 public:
  explicit Service(ControlServer& server) : server_(server) {}

  grpc::ServerUnaryReactor* Learn(grpc::CallbackServerContext* /*context*/,
                                  const LearnRequest* request, LearnReply* reply) override {
    const auto question = Question::make(server_);
    try {
      question->ask_agent(
          [this, question, tasks = tasks_of(*request), again = request->release_again(), reply] {
            const std::int64_t first = server_.commands_.learn(tasks, again);
            question->answer(grpc::Status::OK, [&] { reply->set_first(first); });
          });
    } catch (const Error& error) {
      question->answer(refusal(error.what()));
    }
    return question.get();
  }

  grpc::ServerUnaryReactor* Wait(grpc::CallbackServerContext* /*context*/,
                                 const WaitRequest* request, WaitReply* reply) override {
    const auto question = Question::make(server_);
    question->ask_agent(
        [this, question, task = request->task(), reply] { server_.wait(task, question, reply); });
    return question.get();
  }

  grpc::ServerUnaryReactor* Forget(grpc::CallbackServerContext* /*context*/,
                                   const ForgetRequest* request, ForgetReply* reply) override {
    const auto question = Question::make(server_);
    question->ask_agent([this, question, task = request->task(), reply] {
      const std::int64_t number = server_.commands_.forget(task);
      question->answer(grpc::Status::OK, [&] { reply->set_request(number); });
    });
    return question.get();
  }

  grpc::ServerUnaryReactor* Close(grpc::CallbackServerContext* /*context*/,
                                  const CloseRequest* /*request*/, CloseReply* /*reply*/) override {
    return tell_agent(&ControlCommands::close);
  }

  grpc::ServerUnaryReactor* Reopen(grpc::CallbackServerContext* /*context*/,
                                   const ReopenRequest* /*request*/,
                                   ReopenReply* /*reply*/) override {
    return tell_agent(&ControlCommands::reopen);
  }

  grpc::ServerUnaryReactor* Update(grpc::CallbackServerContext* /*context*/,
                                   const UpdateRequest* request, UpdateReply* reply) override {
    const auto question = Question::make(server_);
    question->ask_agent([this, question, roster = request->roster(), reply] {
      const std::string said = server_.commands_.update(roster);
      question->answer(grpc::Status::OK, [&] { reply->set_said(said); });
    });
    return question.get();
  }

  grpc::ServerUnaryReactor* Status(grpc::CallbackServerContext* /*context*/,
                                   const StatusRequest* /*request*/, StatusReply* reply) override {
    const auto question = Question::make(server_);
    question->after(patience_for_status, [this, reply](Question& late) {
      late.answer(grpc::Status::OK, [&] { reply->set_json(server_.published()); });
    });
    question->ask_agent([this, question, reply] {
      question->answer(grpc::Status::OK, [&] { reply->set_json(server_.commands_.status()); });
    });
    return question.get();
  }

 private:
  grpc::ServerUnaryReactor* tell_agent(void (ControlCommands::*command)()) {
    const auto question = Question::make(server_);
    question->ask_agent([this, question, command] {
      (server_.commands_.*command)();
      question->answer(grpc::Status::OK);
    });
    return question.get();
  }

  ControlServer& server_;
};

ControlServer::ControlServer(const std::filesystem::path& socket, EventLoop& loop,
                             ControlCommands& commands)
    : socket_(std::filesystem::absolute(socket)),
      loop_(loop),
      commands_(commands),
      service_(std::make_unique<Service>(*this)) {}

ControlServer::~ControlServer() = default;

void ControlServer::listen() {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(uri_of_socket(socket_), grpc::experimental::LocalServerCredentials(UDS));
  builder.SetMaxReceiveMessageSize(static_cast<int>(most_bytes_of_rows));
  builder.RegisterService(service_.get());
  // The store's lock shows that no other agent runs here: an old socket may be removed.
  std::error_code ignored;
  std::filesystem::remove(socket_, ignored);
  const NetworkError obstacle("cannot be created", socket_.string(), "remove what is in its place");
  if (std::filesystem::exists(socket_, ignored)) throw obstacle;
  const mode_t before = ::umask(0177);  // the socket is the owner's
  server_ = builder.BuildAndStart();
  ::umask(before);
  if (server_ == nullptr) throw obstacle;
}

void ControlServer::publish(std::string status) {
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
}

std::string ControlServer::published() const {
  const auto now = EventLoop::Clock::now();
  const std::lock_guard lock(mutex_);
  auto status = nlohmann::ordered_json::parse(status_);
  status["current"] = false;
  // It may be idle, on a machine that is busy with something else.
  if (const auto since = loop_.busy_since()) {
    const double seconds = std::chrono::duration<double>(now - *since).count();
    status["computing_seconds"] = seconds;
    status["waiting"] = {fmt::format("computing for {:.1f} s", seconds)};
  }
  return status.dump(2);
}

void ControlServer::wait(std::int64_t task, const std::shared_ptr<Question>& question,
                         WaitReply* reply) {
  Waiting waiting = {question, [question, reply](std::uint64_t step) {
                       question->answer(step > 0
                                            ? grpc::Status::OK
                                            : refusal("the agent is stopping; the task is safe"),
                                        [&] { reply->set_step(step); });
                     }};
  const std::uint64_t step = commands_.learned_in(task);
  if (step > 0) return waiting.answer(step);
  const std::lock_guard lock(mutex_);
  if (!question->is_answered()) waiting_.emplace(task, std::move(waiting));
}

std::size_t ControlServer::clients_waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

// The client has gone.
void ControlServer::forget(const Question* question) {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_,
                [question](const auto& entry) { return entry.second.question.get() == question; });
}

// Tasks are learned in the order of their numbers.
void ControlServer::answer_waiting() {
  while (const auto task = first_awaited()) {
    const std::uint64_t step = commands_.learned_in(*task);
    if (step == 0) return;
    answer_first(step);
  }
}

void ControlServer::stop_waiting() {
  while (first_awaited()) answer_first(0);
}

std::optional<std::int64_t> ControlServer::first_awaited() const {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return {};
  return waiting_.begin()->first;
}

void ControlServer::answer_first(std::uint64_t step) {
  std::unique_lock lock(mutex_);
  if (waiting_.empty()) return;  // cancelled meanwhile
  const auto first = waiting_.extract(waiting_.begin());
  lock.unlock();
  first.mapped().answer(step);
}

void ControlServer::shut_down() {
  if (server_ == nullptr) return;
  server_->Shutdown(deadline_in(time_to_end));
  std::error_code ignored;
  std::filesystem::remove(socket_, ignored);
}

}  // namespace colla
