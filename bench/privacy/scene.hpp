// SPDX-License-Identifier: Apache-2.0
// Real agents in a line, and a spy at one end that sees what crosses its edge.
#pragma once

#include "privacy/listening.hpp"

#include <colla/participant.hpp>

namespace colla::privacy {

class Scene {
 public:
  /// The spy is the first or the last of the line; its neighbour is the agent it is interested in.
  Scene(const NetworkOptions& options, Index agents, bool spy_comes_first = true);

  void begin_step();
  /// The first exchange of all, for a spy that comes first. All agents have one dictionary then, so
  /// that the other neighbour's part of the coupling is known, and the residual lacks nothing.
  Answer first_exchange();
  /// One exchange of all agents; the spy takes part honestly, or sends `probe`.
  Answer exchange(const Matrix* probe = nullptr);

  Participant& spy() { return agents_[index(spy_)]; }
  Participant& victim() { return agents_[index(victim_)]; }
  Participant& far_end() { return agents_[spy_ == 0 ? agents_.size() - 1 : 0]; }

 private:
  static std::size_t index(Index agent) { return static_cast<std::size_t>(agent); }
  void deliver(Index from, const Matrix& dictionary);

  std::vector<Participant> agents_;
  Index spy_;
  Index victim_;
  Listener listener_;
};

}  // namespace colla::privacy
