// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/log.hpp"

#include "files/text.hpp"

#include <fmt/core.h>
#include <grpc/support/log.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <spdlog/pattern_formatter.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace colla {
namespace {

std::mutex listener_mutex;
GrpcListener grpc_listener;

constexpr std::size_t most_lines = 1000;
constexpr auto time_to_write = std::chrono::seconds(3);  // the last lines

// As long as it takes. An error, such as that of a reader who has gone, loses the line.
void write_out(const std::string& line) {
  std::size_t written = 0;
  while (written < line.size()) {
    const auto count = ::write(STDERR_FILENO, line.data() + written, line.size() - written);
    if (count > 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {  // whoever started the agent does not want to wait for writes
      pollfd ready = {STDERR_FILENO, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

// Its thread may be in a write for ever: nobody joins it, and it shares ownership.
class LineWriter : public std::enable_shared_from_this<LineWriter> {
 public:
  LineWriter(std::string agent, bool json)
      : agent_(std::move(agent)),
        json_(json),
        formatter_(json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                        : "%Y-%m-%d %H:%M:%SZ %-7l %v",
                   spdlog::pattern_time_type::utc) {}

  void start() {
    std::thread([self = shared_from_this()] { self->work(); }).detach();
  }

  void add(spdlog::level::level_enum level, const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= most_lines) {
      ++left_out_;
      return;
    }
    if (left_out_ > 0) lines_.push_back(count_of_missing());
    lines_.push_back(line_of(level, text));
    changed_.notify_all();
  }

  void end() {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
    if (changed_.wait_for(lock, time_to_write, [this] { return is_done_; })) return;
    lines_.clear();
    left_out_ = 0;
  }

 private:
  std::string line_of(spdlog::level::level_enum level, const std::string& text) {
    std::string shown = printable(text);
    if (json_) {
      const nlohmann::ordered_json fields = {{"agent", agent_}, {"message", shown}};
      shown = fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      shown = shown.substr(1, shown.size() - 2);
    }
    spdlog::memory_buf_t line;
    formatter_.format(spdlog::details::log_msg(agent_, level, shown), line);
    return {line.data(), line.size()};
  }

  std::string count_of_missing() {
    return line_of(spdlog::level::warn,
                   fmt::format("{} line(s) of the log are missing here: nobody read it",
                               std::exchange(left_out_, 0)));
  }

  // Empty: the end.
  std::string next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !lines_.empty() || left_out_ > 0 || is_ending_; });
    if (lines_.empty() && left_out_ > 0) return count_of_missing();
    if (!lines_.empty()) {
      std::string line = std::move(lines_.front());
      lines_.pop_front();
      return line;
    }
    is_done_ = true;
    changed_.notify_all();
    return "";
  }

  void work() {
    while (true) {
      const std::string line = next();
      if (line.empty()) return;
      write_out(line);
    }
  }

  std::string agent_;
  bool json_;
  spdlog::pattern_formatter formatter_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::uint64_t left_out_ = 0;
  bool is_ending_ = false;
  bool is_done_ = false;
};

Log::Log(const std::string& agent, bool json) : writer_(std::make_shared<LineWriter>(agent, json)) {
  writer_->start();
}

Log::~Log() { writer_->end(); }

void Log::info(const std::string& text) const { writer_->add(spdlog::level::info, text); }
void Log::warning(const std::string& text) const { writer_->add(spdlog::level::warn, text); }

void hear_grpc(GrpcListener listener) {
  {
    const std::lock_guard lock(listener_mutex);
    grpc_listener = std::move(listener);
  }
  gpr_set_log_function([](gpr_log_func_args* line) {
    const std::lock_guard lock(listener_mutex);
    if (!grpc_listener) return;
    grpc_listener(std::string(line->file) + ":" + std::to_string(line->line), line->message);
  });
}

}  // namespace colla
