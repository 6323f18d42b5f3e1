// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent_state.hpp"
#include "turns.hpp"

#include <optional>
#include <utility>

namespace colla::python {

/// An agent that several threads may use in turn, without the interpreter's lock.
class Learner {
 public:
  Learner(const AgentOptions& options, std::optional<Matrix> dictionary)
      : agent_(dictionary ? LifelongAgent(options, std::move(*dictionary))
                          : LifelongAgent(options)) {}
  explicit Learner(const SavedAgent& saved) : agent_(saved.options, saved.state) {}

  /// work(agent), in the only thread that uses it at the time.
  template <typename Work>
  auto alone(const Work& work) {
    return turns_.take([&] { return work(agent_); });
  }

 private:
  Turns turns_;
  LifelongAgent agent_;
};

}  // namespace colla::python
