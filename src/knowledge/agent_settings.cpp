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
      word_setting("problem", in_network_file | in_model_file | in_agent_store | with_prior,
                   &Options::problem, "What the targets are"),
      whole_number_setting("features", in_agent_store | with_prior, &Options::features,
                           {1, std::numeric_limits<Index>::max()},
                           "d, number of features, with the intercept"),
      whole_number_setting("atoms", everywhere, &Options::atoms, {1, many},
                           "u, number of atoms in the dictionary"),
      number_setting("lambda", everywhere, &Options::lambda, RealNumbers::positive,
                     "Penalty on the dictionary"),
      number_setting("mu", everywhere, &Options::mu, RealNumbers::not_negative,
                     "Penalty on codes; larger gives sparser codes"),
      number_setting("gamma", everywhere, &Options::gamma, RealNumbers::positive,
                     "Ridge penalty of the single-task learner"),
      word_setting("codes", everywhere, &Options::codes,
                   "Predict with codes on the newest dictionary, or those from the task's arrival"),
      word_setting("solver", on_command_line | in_agent_store, &Options::solver,
                   "How to solve the dictionary's linear system"),
      whole_number_setting("seed", everywhere | with_prior, &Options::seed,
                           {0, std::numeric_limits<std::uint64_t>::max()},
                           "Seed of all random numbers"),
  };
  return settings;
}

void check(const AgentOptions& options) {
  for (const Setting<AgentOptions>& setting : agent_settings()) setting.check(options);
}

}  // namespace colla
