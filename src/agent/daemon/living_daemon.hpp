// SPDX-License-Identifier: Apache-2.0
// An agent that waits for nobody (living_agent.hpp). A task is learned and safe when `learn`
// returns; then the network improves what was learned. Agents come and go as the roster says, which
// neighbours pass on to each other.
//
//     wakes      as soon as it has handled what there is, if anything has changed
//     keeps      its knowledge on the disk now and then, in at most a twentieth of the time
//     rests      otherwise: connections are kept alive, and nothing else is sent
#pragma once

#include "agent/daemon/daemon.hpp"
#include "agent/store/living_store.hpp"
#include "roster/accept.hpp"

#include <map>
#include <set>

namespace colla {

class LivingDaemon final : public Daemon {
 public:
  LivingDaemon(Home home, bool insecure);

 private:
  // What is known of a neighbour besides its edge.
  struct Acquaintance {
    std::uint64_t version = 0;   // of its roster
    std::uint64_t instance = 0;  // of its process; another one has taken the place of `former`
    std::set<std::uint64_t> former;
    std::set<std::uint64_t> copies_told;  // of them, those that came back
    bool is_new = false;                  // since it greeted: it must be told everything once more
    std::uint64_t refused = 0;            // frames that no honest agent sends
    std::uint64_t set_aside = 0;          // of another metric
    Clock::time_point told_at;
  };

  // ControlCommands
  std::int64_t learn(const std::vector<TaskRows>& tasks, bool release_again) override;
  std::int64_t forget(const std::string& task) override;
  std::uint64_t learned_in(std::int64_t request) override;
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
  void before_end() override;
  std::string description() const override;
  std::string what_is_saved() const override;
  void add_status(nlohmann::ordered_json& object) override;
  void add_status(nlohmann::ordered_json& object, const std::string& neighbour) const override;

  LivingAgent make_agent(AgentState state) const;
  void meet_neighbours();
  void check_copies(const std::string& neighbour, const LivingHello& living);
  void check_same_roster(const std::string& neighbour, const Hello& hello);
  void hear_of_own_requests(const std::string& neighbour, std::uint64_t requests);
  std::uint64_t saved(const std::function<void()>& save);
  Clock::time_point tend_waking(Clock::time_point now);
  void wake();
  void keep();
  void repeat_what_is_not_heard(Clock::time_point now);

  void read_roster_file();
  RosterCheck take_roster(const std::string& text, const std::string& from);
  RosterCheck judge(const std::string& text, const std::string& from);
  void note_refused_roster(const std::string& reason);
  void save_roster(const std::string& text);
  void follow(const Network& network, Index position);
  std::vector<std::string> waits();
  std::string agreement() const;

  LivingStore store_;
  LivingAgent agent_;
  std::string roster_;  // network.toml
  std::filesystem::file_time_type roster_time_;
  std::uint64_t instance_;
  std::map<std::string, Acquaintance> acquaintances_;

  bool is_waking_ = false;                    // soon
  std::optional<Clock::time_point> wake_at_;  // until that is posted
  std::uint64_t settled_ = 0;                 // requests before the last moment of agreement
  bool has_moved_ = false;                    // since it was kept
  Clock::time_point kept_at_ = Clock::now();
  Clock::duration keeping_ = {};  // took this long
  Clock::time_point looked_at_ = Clock::now();
  std::string lost_;  // requests, before this home was restored
  std::uint64_t rosters_refused_ = 0;
  std::string roster_refusal_;
};

}  // namespace colla
