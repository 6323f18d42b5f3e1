// SPDX-License-Identifier: Apache-2.0
// Programs that run side by side on this machine and stop together.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace colla {

struct Program {
  std::string name;
  std::vector<std::string> command;  ///< the path of the program and its arguments
};

/// Called with each line that a program prints and, under the name "colla", with what happens to
/// the programs.
using LineListener = std::function<void(const std::string& name, const std::string& line)>;

/// Starts all programs, and returns when all have ended: by themselves, or because this process
/// received SIGINT, SIGTERM or SIGHUP, upon which it sends each a SIGTERM, and a SIGKILL the second
/// time. They end with this process, however it ends. Returns the names of those that failed: with
/// a nonzero exit code, or by a signal other than the SIGTERM sent. Throws std::system_error if
/// none can be started.
std::vector<std::string> run_together(const std::vector<Program>& programs,
                                      const LineListener& listener);

}  // namespace colla
