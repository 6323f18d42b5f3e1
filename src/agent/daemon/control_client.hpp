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

  /// Returns the number of the first task once the agent has saved all; the others follow.
  std::int64_t learn(const std::vector<TaskRows>& tasks, bool release_again = false);
  /// Returns the number of the request once the agent has saved it.
  std::int64_t forget(const std::string& task);
  /// Returns the step in which the task with this number was learned or forgotten, once it is.
  /// `still_waiting` is called every ten seconds.
  std::uint64_t wait(std::int64_t number, const std::function<void()>& still_waiting);
  void close();
  void reopen();
  /// Hands it a newer network.toml; what became of it.
  std::string update(const std::string& roster);
  std::string status();

 private:
  struct Stub;
  std::unique_ptr<Stub> stub_;
};

}  // namespace colla
