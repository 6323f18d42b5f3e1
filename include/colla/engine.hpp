// SPDX-License-Identifier: Apache-2.0
// Runs the agents of a network in one process, over MPI or as daemons: one small interface, the
// same participants behind it, the same bits.
#pragma once

#include <colla/network_options.hpp>
#include <colla/participant.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace colla {

/// A task that arrives at an agent: a view of its rows, which must live until the step is over.
struct Arrival {
  Index agent = 0;
  std::string task;
  SamplesView X;
  VectorView y;
  Revisit revisit = Revisit::replace;
};

inline Arrival arrival_of(Index agent, const TaskRows& rows) {
  return {agent, rows.task, rows.X, rows.y, rows.revisit};
}

using Numbers = std::vector<double>;

/// The agents may be spread over several processes: each has its own participants, and all make the
/// same calls in the same order.
class Engine {
 public:
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Every agent counts the step and redraws dead atoms; those with an arrival learn it. Throws
  /// DataError, with nothing changed, if an arrival's rows cannot be learned.
  virtual void begin_step(std::span<const Arrival> arrivals) = 0;
  /// `count` exchanges of every agent, in the paper's order or any other with the same result.
  virtual void exchange(Index count) = 0;
  /// Every agent re-encodes its own tasks.
  virtual void refresh_codes() = 0;

  /// The result of `of` for every agent, in the order of the agents: the same in every process.
  /// `of` may run on several threads.
  virtual std::vector<Numbers> collect(
      const std::function<Numbers(const Participant&)>& of) const = 0;
  /// Every agent's state between two steps, in the first process; nothing in the others. It lacks
  /// the sums of the knowledge base and, of an agent in another process, the single-task models.
  virtual std::vector<AgentState> states() const = 0;

  const Graph& graph() const { return graph_; }
  const NetworkOptions& options() const { return options_; }
  /// Whether this process runs the agent.
  virtual bool is_local(Index agent) const = 0;
  /// The agent must be local.
  virtual const Participant& participant(Index agent) const = 0;

 protected:
  Engine(Graph graph, const NetworkOptions& options)
      : graph_(std::move(graph)), options_(options) {}

  Graph graph_;
  NetworkOptions options_;
};

/// Makes an engine whose agents start from `dictionary` (d x u), or from a random one drawn from
/// the seed.
using EngineMaker = std::function<std::unique_ptr<Engine>(
    Graph graph, const NetworkOptions& options, const std::optional<Matrix>& dictionary)>;

}  // namespace colla
