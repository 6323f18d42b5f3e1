// SPDX-License-Identifier: Apache-2.0
#include <colla/error.hpp>
#include <colla/network_options.hpp>

#include <utility>

namespace colla {
namespace {

using Options = NetworkOptions;
constexpr unsigned agreed = on_command_line | in_network_file | in_agent_store | with_prior;
// Correlations of more coefficients take too long, and too many tasks to learn.
constexpr Index most_correlated = 64;

Setting<Options> exchange_plan_setting() {
  return {"exchanges",
          agreed,
          Notation{"K|K1+K2/t|K,K,..."},
          "Exchanges at each time step t",
          [](const Options& options) -> SettingValue { return to_string(options.exchanges); },
          [](Options& options, const SettingValue& value) {
            options.exchanges = parse_exchange_plan(std::get<std::string>(value));
          },
          "iterations"};
}

Settings<Options> all_settings() {
  Settings<Options> settings;
  for (const auto& setting : agent_settings()) settings.push_back(lifted(setting, &Options::agent));
  settings.push_back(word_setting(
      "rule", on_command_line | with_prior, &Options::rule,
      "How neighbours come to agree: as in the paper, or by a rule that needs no rho"));
  settings.push_back(word_setting("metric", on_command_line | in_network_file, &Options::metric,
                                  "By the rule that heals, what neighbours tell of their "
                                  "statistics: kronecker takes the fewest "
                                  "exchanges, scale tells least"));
  settings.push_back(
      number_setting("rho", agreed, &Options::rho, RealNumbers::not_negative,
                     "Penalty on disagreement between neighbours, by the paper's rule"));
  settings.push_back(exchange_plan_setting());
  settings.push_back(
      whole_number_setting("refresh", agreed, &Options::refresh, {0, 1000},
                           "After a step, estimate old tasks again and exchange again, N times; "
                           "bayes does so 5 times unless this is given"));
  settings.push_back(
      number_setting("tolerance", on_command_line, &Options::tolerance, RealNumbers::not_negative,
                     "Stop a step's exchanges once the agents agree this closely; 0: never"));
  settings.push_back(
      whole_number_setting("threads", on_command_line, &Options::threads, {0, 1024},
                           "Threads for the agents; 0: all cores; the result is the same"));
  return settings;
}

}  // namespace

const Settings<NetworkOptions>& network_settings() {
  static const Settings<NetworkOptions> settings = all_settings();
  return settings;
}

std::span<const Setting<NetworkOptions>> exchange_settings() {
  return std::span(network_settings()).subspan(agent_settings().size());
}

bool is_used(const Setting<NetworkOptions>& setting, const AgentOptions& agent) {
  return !agent.prior || setting.stands(with_prior);
}

PriorOptions prior_of_network(const Graph& graph, Index features, std::vector<Index> linear) {
  PriorOptions prior;
  prior.agents = graph.edges().empty() ? 1 : graph.agents();
  prior.linear = std::move(linear);
  const Index without_splines = prior.linear.empty() ? features : std::ssize(prior.linear);
  for (const Index coefficients : {without_splines, features}) {
    if (coefficients <= most_correlated) ++prior.correlated;
  }
  return prior;
}

void check(const NetworkOptions& options, const Graph& graph) {
  for (const Setting<NetworkOptions>& setting : network_settings()) setting.check(options);
  check_rho(options, !graph.edges().empty());
}

void check_rho(const NetworkOptions& options, bool has_edges) {
  if (!has_edges || options.rule == Rule::healing || options.rho > 0.0) return;
  throw SettingError("rho", "must be above 0 where agents exchange", "try 1");
}

}  // namespace colla
