// SPDX-License-Identifier: Apache-2.0
// The log of a running agent: lines on standard error, for people or as JSON.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace spdlog {
class logger;  // NOLINT(readability-identifier-naming)
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

/// Called with gRPC's errors: where in its code, and a text that strangers may influence.
using GrpcListener = std::function<void(const std::string& place, const std::string& text)>;

/// Called on gRPC's threads, instead of writing to standard error. One listener at a time; an empty
/// one ends it.
void hear_grpc(GrpcListener listener);

}  // namespace colla
