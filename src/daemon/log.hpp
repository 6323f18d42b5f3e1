// SPDX-License-Identifier: Apache-2.0
// What an agent says about itself while it runs: lines on standard error, for people or as JSON.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace spdlog {
class logger;
}

namespace colla {

class Log {
 public:
  Log(const std::string& agent, bool json);
  ~Log();

  void info(const std::string& text) const;
  void warning(const std::string& text) const;

 private:
  std::string agent_;
  bool json_;
  std::shared_ptr<spdlog::logger> logger_;
};

/// What gRPC complains of is told to the listener, on gRPC's threads, instead of standard error.
/// There is one at a time; an empty one ends it.
void hear_grpc(std::function<void(const std::string& text)> listener);

}  // namespace colla
