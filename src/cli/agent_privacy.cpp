// SPDX-License-Identifier: Apache-2.0
// `colla agent privacy`: what the agent has told of its tasks' rows.
#include "agent/daemon/identity.hpp"
#include "cli/agent_commands.hpp"
#include "cli/options.hpp"
#include "files/text.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>

namespace colla::cli {
namespace {

using Json = nlohmann::ordered_json;

// Of somebody with rows in all releases of a task: the parts add up.
std::map<std::string, Spending> totals(const std::vector<Spending>& ledger) {
  std::map<std::string, Spending> by_task;
  for (const Spending& spending : ledger) {
    Spending& total = by_task[spending.task];
    total.epsilon += spending.epsilon;
    total.delta += spending.delta;
  }
  return by_task;
}

void print_ledger(const PrivacyOptions& privacy, const std::vector<Spending>& ledger) {
  fmt::print("{}\n{:<28} {:>8} {:>6} {:>10} {:>9} {:>9}\n", to_text(privacy), "task", "request",
             "rows", "shortened", "epsilon", "delta");
  for (const Spending& spending : ledger) {
    fmt::print("{:<28} {:>8} {:>6} {:>10} {:>9g} {:>9g}{}\n", printable(spending.task),
               spending.request, spending.rows, spending.shortened, spending.epsilon,
               spending.delta, spending.again ? "  again" : "");
  }
  for (const auto& [task, total] : totals(ledger)) {
    if (total.epsilon <= privacy.epsilon) continue;
    fmt::print("{}: epsilon {:g} and delta {:g} for somebody with rows in every release\n",
               printable(task), total.epsilon, total.delta);
  }
}

Json as_json(const PrivacyOptions& privacy, const std::vector<Spending>& ledger) {
  Json releases = Json::array();
  for (const Spending& spending : ledger) {
    releases.push_back({{"task", spending.task},
                        {"request", spending.request},
                        {"rows", spending.rows},
                        {"shortened", spending.shortened},
                        {"epsilon", spending.epsilon},
                        {"delta", spending.delta},
                        {"again", spending.again}});
  }
  Json tasks = Json::object();
  for (const auto& [task, total] : totals(ledger)) {
    tasks[task] = {{"epsilon", total.epsilon}, {"delta", total.delta}};
  }
  return {{"epsilon", privacy.epsilon}, {"delta", privacy.delta},
          {"bound", privacy.bound},     {"rows_per_person", privacy.rows_per_person},
          {"releases", releases},       {"tasks", tasks}};
}

void show(const AgentCommand& command) {
  const Home home = read_home(command.home);
  if (!home.network.privacy) {
    throw OptionError("the network has no privacy", home.folder.string(),
                      "`colla network init --privacy` makes one that has");
  }
  const PrivacyOptions& privacy = *home.network.privacy;
  const std::vector<Spending> ledger =
      LivingStore::ledger(home.folder.string(), living_identity_of(home));
  if (!command.json) return print_ledger(privacy, ledger);
  const Json object = as_json(privacy, ledger);
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void add_agent_privacy(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app = add_agent_command(agent, *options, "privacy",
                                    "List what the agent has told of its tasks' rows, and what "
                                    "privacy that has spent");
  app->add_flag("--json", options->json, "Print one JSON object");
  app->callback([options] { show(*options); });
}

}  // namespace colla::cli
