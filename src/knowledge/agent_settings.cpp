// SPDX-License-Identifier: Apache-2.0
#include <colla/lifelong_agent.hpp>

#include <limits>

namespace colla {

const Settings<AgentOptions>& agent_settings() {
  using Options = AgentOptions;
  constexpr unsigned everywhere =
      on_command_line | in_network_file | in_model_file | in_agent_store;
  constexpr std::uint64_t many = 1'000'000;
  static const Settings<AgentOptions> settings = {
      word_setting("problem", in_network_file | in_model_file | in_agent_store, &Options::problem,
                   "What the targets are"),
      whole_number_setting("features", in_agent_store, &Options::features,
                           {1, std::numeric_limits<Index>::max()},
                           "d, columns of the rows and of the intercept"),
      whole_number_setting("atoms", everywhere, &Options::atoms, {1, many},
                           "u, atoms of the dictionary"),
      number_setting("lambda", everywhere, &Options::lambda, RealNumbers::positive,
                     "Penalty on the dictionary's size"),
      number_setting("mu", everywhere, &Options::mu, RealNumbers::not_negative,
                     "Penalty on a code's size; larger gives sparser codes"),
      number_setting("gamma", everywhere, &Options::gamma, RealNumbers::positive,
                     "Ridge penalty of the single-task learner"),
      word_setting("codes", everywhere, &Options::codes,
                   "Models use the code on the newest dictionary, or the one from the task's "
                   "arrival"),
      word_setting("solver", on_command_line | in_agent_store, &Options::solver,
                   "How the dictionary's linear system is solved"),
      whole_number_setting("seed", everywhere, &Options::seed,
                           {0, std::numeric_limits<std::uint64_t>::max()},
                           "Everything random follows from it"),
  };
  return settings;
}

void check(const AgentOptions& options) {
  for (const Setting<AgentOptions>& setting : agent_settings()) setting.check(options);
}

}  // namespace colla
