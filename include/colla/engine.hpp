// SPDX-License-Identifier: Apache-2.0
// Who runs the agents of a network, in one process, over MPI or as daemons: one small interface,
// the same participants behind it, the same bits.
#pragma once

#include <colla/participant.hpp>

#include <span>
#include <string>

namespace colla {

/// A task that arrives at an agent; the rows must live until the step is over.
struct Arrival {
  Index agent = 0;
  std::string task;
  SamplesView X;
  VectorView y;
  Revisit revisit = Revisit::replace;
};

class Engine {
 public:
  virtual ~Engine() = default;
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Every agent counts the step and redraws dead atoms; those with an arrival learn it. Throws
  /// DataError, with nothing changed, if an arrival's rows cannot be learned.
  virtual void begin_step(std::span<const Arrival> arrivals) = 0;
  /// `count` exchanges of every agent, in the order of the paper or any with the same result.
  virtual void exchange(Index count) = 0;
  /// Every agent encodes its own tasks anew.
  virtual void refresh_codes() = 0;

  virtual const Graph& graph() const = 0;
  virtual const Participant& participant(Index agent) const = 0;
};

}  // namespace colla
