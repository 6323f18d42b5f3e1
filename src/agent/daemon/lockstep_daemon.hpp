// SPDX-License-Identifier: Apache-2.0
// An agent that takes steps with all others of its network (networked_agent.hpp): it computes what
// `colla train` computes, bit for bit, and waits for whoever is away.
#pragma once

#include "agent/daemon/daemon.hpp"
#include "agent/store/agent_store.hpp"

#include <map>

namespace colla {

class LockstepDaemon final : public Daemon {
 public:
  LockstepDaemon(Home home, bool insecure);

 private:
  // ControlCommands
  std::int64_t learn(const std::vector<TaskRows>& tasks, bool release_again) override;
  std::int64_t forget(const std::string& task) override;
  std::uint64_t learned_in(std::int64_t task) override;
  void close() override;
  void reopen() override;
  std::string update(const std::string& roster) override;

  // Conversation
  Hello greeting(const std::string& neighbour) const override;
  void greeted(const std::string& neighbour, const Hello& hello) override;
  void take(const std::string& neighbour, Frame frame) override;
  std::string next(const std::string& neighbour) override;
  std::uint64_t probes(const std::string& neighbour) const override;
  void take_roster(const std::string& member, const RosterText& roster) override;

  // Daemon
  void proceed() override;
  Clock::time_point tend_agent(Clock::time_point now) override;
  void before_end() override {}
  std::string description() const override;
  std::string what_is_saved() const override;
  void add_status(nlohmann::ordered_json& object) override;
  void add_status(nlohmann::ordered_json& object, const std::string& neighbour) const override;

  bool wants_step() const;
  void begin_step();
  void end_step();
  void log_step();
  std::vector<std::string> waits() const;
  const std::string& encoded(const std::shared_ptr<const Message>& message);

  AgentStore store_;
  NetworkedAgent agent_;
  std::map<std::string, std::size_t> place_;  // of a neighbour among the agent's
  std::vector<Position> next_;                // to send to each
  std::shared_ptr<const Message> encoded_message_;
  std::string encoded_bytes_;

  Clock::time_point moved_at_ = Clock::now();  // the last message or step
  Clock::time_point began_at_ = Clock::now();  // the step
  std::string own_part_;                       // in the step; empty: none
  std::size_t tasks_ = 0;                      // learned in finished steps
  double last_step_seconds_ = 0.0;
};

}  // namespace colla
