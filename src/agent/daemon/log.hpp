// SPDX-License-Identifier: Apache-2.0
// The log of a running agent: lines on standard error, for people or as JSON. A thread of its own
// writes them: whoever logs never waits for a full pipe or a terminal that is held. Then lines are
// left out and counted.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace colla {

class LineWriter;

class Log {
 public:
  Log(const std::string& agent, bool json);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  /// Waits for the last lines a moment.
  ~Log();

  void info(const std::string& text) const;
  void warning(const std::string& text) const;

 private:
  std::shared_ptr<LineWriter> writer_;
};

/// Called with gRPC's errors: where in its code, and a text that strangers may influence.
using GrpcListener = std::function<void(const std::string& place, const std::string& text)>;

/// Called on gRPC's threads, instead of writing to standard error. One listener at a time; an empty
/// one ends it.
void hear_grpc(GrpcListener listener);

}  // namespace colla
