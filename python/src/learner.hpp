// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent_state.hpp"
#include "turns.hpp"

#include <colla/participant.hpp>

#include <optional>

namespace colla::python {

/// An agent without neighbours that several threads may use in turn, without the interpreter's
/// lock.
class Learner {
 public:
  Learner(const NetworkOptions& options, const std::optional<Matrix>& dictionary)
      : agent_(options, Graph(1, {}), 0, dictionary), refresh_(options.refresh) {}
  explicit Learner(const SavedAgent& saved)
      : agent_(NetworkOptions{saved.options}, saved.state, 0),
        refresh_(saved.options.prior ? refresh_of_prior : 0) {}

  /// work(agent), in the only thread that uses it at the time.
  template <typename Work>
  auto alone(const Work& work) {
    return turns_.take([&] { return work(agent_); });
  }

  bool has_prior() const { return agent_.has_prior(); }

  /// After a change of the tasks: what an agent on its own does in a step. The agent must be alone.
  void settle() {
    agent_.exchange();
    for (Index k = 0; k < refresh_; ++k) {
      agent_.refresh_codes();
      agent_.exchange();
    }
  }

 private:
  Turns turns_;
  Participant agent_;
  Index refresh_;
};

}  // namespace colla::python
