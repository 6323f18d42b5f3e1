// SPDX-License-Identifier: Apache-2.0
#include "engine/simulator/storm.hpp"

#include <algorithm>

namespace colla {
namespace {

constexpr double period = 20.0;  // of partitions
constexpr double copies = 0.1;   // for each time that knowledge is kept
constexpr std::size_t least_members = 3;

}  // namespace

Storm::Storm(SimulatedNetwork& network, const StormOptions& options, std::uint64_t seed)
    : network_(network), options_(options), random_(seed, {2}), next_parts_(network.now()) {
  network_.set_links(options_.links);
  for (const Index i : network_.members()) {
    const AgentState state = network_.agent(i).state();
    disks_[i] = {state.dictionary, state};
  }
}

void Storm::run_until(double time) {
  while (network_.now() < time) {
    bring_back(false);
    hit_agents();
    change_members();
    divide();
    network_.run_until(std::min(network_.now() + 1.0, time));
  }
}

void Storm::calm() {
  network_.unite();
  network_.set_links({0.0, 0.0, options_.links.delay});
  bring_back(true);
}

// In the time until the next look, which is a unit.
void Storm::hit_agents() {
  for (const Index i : network_.members()) {
    if (!network_.is_up(i)) continue;
    if (chance(1.0 / options_.keeping)) keep(i);
    if (chance(options_.pauses)) {
      send_away(i, Return::as_it_was, counts_.pauses);
    } else if (chance(options_.restarts)) {
      send_away(i, Return::kept, counts_.restarts);
    } else if (chance(options_.restores)) {
      send_away(i, Return::copy, counts_.restores);
    }
  }
}

void Storm::keep(Index agent) {
  Disk& disk = disks_[agent];
  disk.kept = network_.agent(agent).dictionary();
  if (chance(copies)) disk.copy = network_.agent(agent).state();
}

void Storm::send_away(Index agent, Return form, std::uint64_t& count) {
  network_.pause(agent);
  away_[agent] = {network_.now() + 2.0 * options_.absence * random_.uniform(), form};
  ++count;
}

void Storm::bring_back(bool all) {
  for (auto next = away_.begin(); next != away_.end();) {
    const auto [agent, absence] = *next;
    if (!all && network_.now() < absence.until) {
      ++next;
      continue;
    }
    next = away_.erase(next);
    come_back(agent, absence.form);
  }
}

void Storm::come_back(Index agent, Return form) {
  if (form == Return::as_it_was) return network_.resume(agent);
  const Disk& disk = disks_[agent];
  if (form == Return::copy) return network_.restart(agent, disk.copy);
  AgentState state = network_.agent(agent).state();  // tasks are durable
  state.dictionary = disk.kept;
  network_.restart(agent, std::move(state));
}

Index Storm::any_member() {
  const std::vector<Index>& members = network_.members();
  return members[random_.below(members.size())];
}

void Storm::change_members() {
  if (chance(options_.joins)) {
    std::vector<Index> neighbours = {any_member()};
    const Index another = any_member();
    if (another != neighbours.front()) neighbours.push_back(another);
    const Index newest = network_.join(neighbours);
    const AgentState state = network_.agent(newest).state();
    disks_[newest] = {state.dictionary, state};
    ++counts_.joins;
  }
  if (chance(options_.leaves) && network_.members().size() > least_members) {
    const Index gone = any_member();
    away_.erase(gone);
    network_.leave(gone);
    ++counts_.leaves;
  }
}

void Storm::divide() {
  if (options_.partitions == 0.0) return;
  if (network_.now() >= united_at_) network_.unite();
  if (network_.now() < next_parts_) return;
  std::vector<int> parts(static_cast<std::size_t>(network_.members().back()) + 1);
  for (int& part : parts) part = chance(0.5) ? 1 : 0;
  network_.split(std::move(parts));
  united_at_ = network_.now() + options_.partitions * period;
  next_parts_ += period;
  ++counts_.partitions;
}

}  // namespace colla
