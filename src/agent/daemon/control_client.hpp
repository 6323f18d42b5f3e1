// SPDX-License-Identifier: Apache-2.0
// Talks to the agent that runs on a home. Every failure is an Error with the agent's own words.
#pragma once

#include "agent/protocol/networked_agent.hpp"

#include <filesystem>
#include <functional>
#include <memory>

namespace colla {

class ControlClient {
 public:
  /// Throws NetworkError if no agent runs there.
  explicit ControlClient(const std::filesystem::path& home);
  ~ControlClient();

  /// Returns once the agent has saved the task: 0, or, if told to wait, the step in which it was
  /// learned. `queued` is called between the two, and then `still_waiting` every ten seconds.
  std::uint64_t learn(const TaskRows& rows, bool wait, const std::function<void()>& queued,
                      const std::function<void()>& still_waiting);
  void close();
  std::string status();

 private:
  struct Stub;
  std::unique_ptr<Stub> stub_;
};

}  // namespace colla
