// SPDX-License-Identifier: Apache-2.0
// A whole network in one process.
#pragma once

#include <colla/engine.hpp>

#include <memory>

namespace colla {

/// An agent starts an exchange as soon as the dictionaries that it takes are there
/// (`exchange_taken`): on several threads in wave fronts, on one thread in an order that reuses the
/// cache. Every agent computes the same numbers as in the paper's order, agent after agent, bit for
/// bit.
class InProcessEngine final : public Engine {
 public:
  /// Every agent starts from `dictionary` (d x u), or from a random one drawn from the seed.
  InProcessEngine(const Graph& graph, const NetworkOptions& options,
                  const std::optional<Matrix>& dictionary = {});
  /// Continues from the participants of an earlier engine, between two steps.
  InProcessEngine(Graph graph, const NetworkOptions& options,
                  std::vector<Participant> participants);
  ~InProcessEngine() override;

  void begin_step(std::span<const Arrival> arrivals) override;
  void exchange(Index count) override;
  void refresh_codes() override;
  std::vector<Numbers> collect(const std::function<Numbers(const Participant&)>& of) const override;
  std::vector<AgentState> states() const override;
  bool is_local(Index /*agent*/) const override { return true; }
  const Participant& participant(Index agent) const override;

 private:
  class Schedule;

  void share();
  void send(Index agent);
  void for_each_agent(const std::function<void(Index)>& work) const;

  std::vector<Participant> participants_;
  std::vector<std::vector<Index>> slots_;  // slots_[i][n]: which neighbour agent i is to its n-th
  std::unique_ptr<Schedule> schedule_;
};

}  // namespace colla
