// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/log.hpp"

#include "files/text.hpp"

#include <grpc/support/log.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <mutex>
#include <utility>

namespace colla {
namespace {

std::mutex listener_mutex;
GrpcListener grpc_listener;

}  // namespace

Log::Log(const std::string& agent, bool json)
    : agent_(agent),
      json_(json),
      logger_(std::make_shared<spdlog::logger>(agent,
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(
      json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})" : "%Y-%m-%d %H:%M:%SZ %-7l %v",
      spdlog::pattern_time_type::utc);
  logger_->set_formatter(std::move(formatter));
  logger_->flush_on(spdlog::level::info);
}

Log::~Log() = default;

namespace {

std::string shown(const std::string& agent, const std::string& text, bool json) {
  if (!json) return printable(text);
  const nlohmann::ordered_json fields = {{"agent", agent}, {"message", printable(text)}};
  const std::string object = fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return object.substr(1, object.size() - 2);
}

}  // namespace

void Log::info(const std::string& text) const { logger_->info("{}", shown(agent_, text, json_)); }
void Log::warning(const std::string& text) const {
  logger_->warn("{}", shown(agent_, text, json_));
}

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
