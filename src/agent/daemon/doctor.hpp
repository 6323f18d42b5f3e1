// SPDX-License-Identifier: Apache-2.0
// What keeps an agent from taking part in its network, found before or while it runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace colla {

enum class Severity { ok, warning, failure };

struct Finding {
  Severity severity = Severity::ok;
  std::string subject;   ///< "certificate", or a neighbour and its address
  std::string text;      ///< on one line; unless all is well, with what to do
  bool is_grave = true;  ///< whoever else can be reached
};

/// Looks at the home's configuration, certificate, clock, disk and store, at the port, and at each
/// neighbour: whether its name resolves, whether it answers, speaks TLS and belongs to the same
/// network; and, if the agent runs, whether it is connected. Waits some seconds for a neighbour's
/// answer, a minute for the agent's own. In a living network a neighbour that cannot be reached, or
/// that refuses this agent, is a failure only where there is no other: then nothing that is learned
/// here spreads. `insecure` is for an agent that runs without TLS. Throws DataError if there is no
/// such folder, OptionError if `insecure` is given for a network beyond loopback.
std::vector<Finding> examine(const std::filesystem::path& home, bool insecure);

}  // namespace colla
