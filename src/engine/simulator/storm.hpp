// SPDX-License-Identifier: Apache-2.0
// Random faults of a simulated network, all from one seed. When the storm is over, everybody who is
// a member is back, links are sound, and the network is in one piece.
#pragma once

#include "engine/simulator/simulated_network.hpp"

#include <map>

namespace colla {

struct StormOptions {
  SimulatedLinks links;
  // How often each agent, in a unit of time:
  double pauses = 0.0;    ///< is away, and comes back with all that it knew
  double restarts = 0.0;  ///< is away, and comes back with its tasks and what it kept of the rest
  double restores = 0.0;  ///< comes back from a copy, without the tasks learned since
  double absence = 10.0;  ///< how long it is away, on average
  /// How often an agent keeps what it knows beside its tasks, on average. Copies are made ten times
  /// less often.
  double keeping = 10.0;
  // How often the network, in a unit of time:
  double joins = 0.0;
  double leaves = 0.0;  ///< never below three members
  /// The share of the time in which it is in two parts, new ones every time.
  double partitions = 0.0;
};

/// What has happened.
struct StormCounts {
  std::uint64_t pauses = 0;
  std::uint64_t restarts = 0;
  std::uint64_t restores = 0;
  std::uint64_t joins = 0;
  std::uint64_t leaves = 0;
  std::uint64_t partitions = 0;
};

class Storm {
 public:
  /// The network must outlive it.
  Storm(SimulatedNetwork& network, const StormOptions& options, std::uint64_t seed);

  void run_until(double time);
  void calm();
  const StormCounts& counts() const { return counts_; }

 private:
  enum class Return { as_it_was, kept, copy };
  struct Absence {
    double until = 0.0;
    Return form = Return::as_it_was;
  };
  // What is on an agent's disk, and in its backup.
  struct Disk {
    Matrix kept;
    AgentState copy;
  };

  void hit_agents();
  void send_away(Index agent, Return form, std::uint64_t& count);
  void bring_back(bool all);
  void come_back(Index agent, Return form);
  void keep(Index agent);
  void change_members();
  void divide();
  bool chance(double p) { return random_.uniform() < p; }
  Index any_member();

  SimulatedNetwork& network_;
  StormOptions options_;
  Random random_;
  std::map<Index, Absence> away_;
  std::map<Index, Disk> disks_;
  double next_parts_ = 0.0;
  double united_at_ = 0.0;
  StormCounts counts_;
};

}  // namespace colla
