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

/// Hears each line that a program prints, and under the name "colla" what happens to them.
using LineListener = std::function<void(const std::string& name, const std::string& line)>;

/// Starts all programs, and returns when all have ended: of their own, or because this process was
/// asked to (SIGINT, SIGTERM, SIGHUP), which sends each a SIGTERM, and a second time a SIGKILL.
/// They end with this process, however it ends. The names of those that failed: with another exit
/// code than 0, or by a signal that was not the SIGTERM sent. Throws std::system_error if none can
/// be started.
std::vector<std::string> run_together(const std::vector<Program>& programs,
                                      const LineListener& listener);

}  // namespace colla
