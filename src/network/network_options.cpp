// SPDX-License-Identifier: Apache-2.0
#include <colla/error.hpp>
#include <colla/network_options.hpp>

namespace colla {
namespace {

using Options = NetworkOptions;
constexpr unsigned agreed = on_command_line | in_network_file | in_agent_store;

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
  settings.push_back(number_setting("rho", agreed, &Options::rho, RealNumbers::not_negative,
                                    "Penalty on disagreement between neighbours"));
  settings.push_back(exchange_plan_setting());
  settings.push_back(
      whole_number_setting("refresh", agreed, &Options::refresh, {0, 1000},
                           "After a step, re-encode old tasks and exchange again, N times"));
  settings.push_back(
      number_setting("tolerance", on_command_line, &Options::tolerance, RealNumbers::not_negative,
                     "End a step's exchanges once the agents agree this closely; 0: never"));
  settings.push_back(
      whole_number_setting("threads", on_command_line, &Options::threads, {0, 1024},
                           "Threads that run the agents; 0: all cores; the result is the same"));
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

void check(const NetworkOptions& options, const Graph& graph) {
  for (const Setting<NetworkOptions>& setting : network_settings()) setting.check(options);
  check_rho(options.rho, !graph.edges().empty());
}

void check_rho(double rho, bool has_edges) {
  if (!has_edges || rho > 0.0) return;
  throw SettingError("rho", "must be above 0 where agents exchange", "try 1");
}

}  // namespace colla
