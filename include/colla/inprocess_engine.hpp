// SPDX-License-Identifier: Apache-2.0
// A whole network in one process.
#pragma once

#include <colla/engine.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace colla {

struct NetworkOptions {
  AgentOptions agent;
  /// Penalty rho/2 |L_i - L_j|^2 on disagreement; > 0 if there are edges.
  double rho = 0.1;
  /// Threads that run the agents; 0: all cores. The result does not depend on it.
  int threads = 1;
};

/// Throws OptionError unless rho fits the graph.
void check(const NetworkOptions& options, const Graph& graph);

/// With one thread, exchanges run agent after agent, as the paper has them. With more they run as
/// wave fronts: agent i starts exchange k as soon as its smaller neighbours have finished k and its
/// larger ones k - 1. Every agent computes the same numbers either way, bit for bit.
class InProcessEngine final : public Engine {
 public:
  /// Every agent starts from `dictionary` (d x u), or from a random one drawn from the seed.
  InProcessEngine(Graph graph, const NetworkOptions& options,
                  const std::optional<Matrix>& dictionary = {});
  ~InProcessEngine() override;

  void begin_step(std::span<const Arrival> arrivals) override;
  void exchange(Index count) override;
  void refresh_codes() override;
  const Graph& graph() const override { return graph_; }
  const Participant& participant(Index agent) const override;

 private:
  class WaveFront;

  void exchange_in_order(Index count);
  void send(Index agent);
  void for_each_agent(const std::function<void(Index)>& work);

  Graph graph_;
  std::vector<Participant> participants_;
  std::vector<std::vector<Index>> slots_;  // slots_[i][n]: which neighbour agent i is to its n-th
  std::unique_ptr<WaveFront> wave_front_;  // none with one thread
};

}  // namespace colla
