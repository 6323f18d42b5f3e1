// SPDX-License-Identifier: Apache-2.0
// `colla agent tasks` and `show`: what an agent was given, and what it made of a task.
#include "agent/daemon/identity.hpp"
#include "cli/agent_commands.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "experiment/effect_units.hpp"
#include "files/text.hpp"
#include "report/learned.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace colla::cli {
namespace {

using Json = nlohmann::ordered_json;

void print_json(const Json& object) {
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

// Agents that live learn at once; their requests have numbers.
std::string what_became_of(const QueuedTask& task, bool is_living) {
  const std::string prefix = task.forgets() ? "forget, " : "";
  if (is_living) return prefix + fmt::format("request {}", task.id);
  return prefix + (task.step == 0 ? "queued" : fmt::format("step {}", task.step));
}

void list_tasks(const AgentCommand& command) {
  const Home home = read_home(command.home);
  const AgentStoreSummary summary = inspect_store(home.folder.string());
  if (!command.json) {
    fmt::print("{:<28} {:>6} {:>14}\n", "task", "rows", "learned in");
    for (const QueuedTask& task : summary.tasks) {
      fmt::print("{:<28} {:>6} {:>14}\n", printable(task.task),
                 task.forgets() ? "-" : std::to_string(task.rows),
                 what_became_of(task, home.network.mode == Mode::living));
    }
    return;
  }
  Json list = Json::array();
  for (const QueuedTask& task : summary.tasks) {
    list.push_back({{"task", task.task},
                    {"rows", task.rows},
                    {"step", task.step},
                    {"forget", task.forgets()}});
  }
  print_json({{"closed", summary.closed}, {"steps", summary.steps}, {"tasks", list}});
}

struct ShowCommand : AgentCommand {
  std::string task;
};

// What the agent knows of one task, as effects.
struct KnownTask {
  std::string name;
  Index rows = 0;          // seen
  std::uint64_t step = 0;  // in which it was last learned
  std::optional<Vector> code;
  std::vector<std::string> features;
  EffectUnits units;
  struct Column {
    std::string name;
    Vector values;  // per feature
  };
  std::vector<Column> columns;
};

// L s, and the single-task model.
void add_models(const LifelongAgent& agent, const TaskRecord& record, KnownTask& task) {
  task.rows = record.model.rows;
  task.code = agent.code(record);
  task.columns = {{"model", task.units.effects(agent.model(record.name))},
                  {"alone", task.units.effects(record.model.alpha)}};
}

// The deviations between tasks, in the prior's D = F F'.
Vector spread(const Prior& prior) { return prior.root.rowwise().norm(); }

// Alone means under a prior that no task has shaped.
void add_models(const PriorAgent& agent, const TaskRecord& record, KnownTask& task) {
  task.rows = record.statistics->rows;
  const Prior common = agent.prior(agent.chosen());
  const Vector alone = PriorAgent(agent.options()).predictor(record).theta();
  task.columns = {{"model", task.units.effects(agent.predictor(record).theta())},
                  {"alone", task.units.effects(alone)},
                  {"network", task.units.effects(common.mean)},
                  {"spread", task.units.spreads(spread(common))}};
}

KnownTask known_task(const Home& home, const std::string& name) {
  const AgentState state = look_at_state(home);
  const Learner agent(home.network.agent, state);
  const TaskRecord& record = agent.record(name);
  KnownTask task;
  task.name = name;
  task.features = feature_names_of(home);
  task.units = effect_units(model_of(home, state));
  if (agent.has_prior()) {
    add_models(agent.prior_agent(), record, task);
  } else {
    add_models(agent.agent(), record, task);
  }
  for (const QueuedTask& each : inspect_store(home.folder.string()).tasks) {
    if (each.task == name && each.step != 0) task.step = each.step;
  }
  return task;
}

void print_as_json(const KnownTask& task) {
  Json features = Json::array();
  for (std::size_t k = 0; k < task.features.size(); ++k) {
    Json feature = {{"feature", task.features[k]},
                    {"step", task.units.step_text(static_cast<Index>(k))}};
    for (const auto& [name, values] : task.columns) feature[name] = values[static_cast<Index>(k)];
    features.push_back(std::move(feature));
  }
  Json object = {{"task", task.name}, {"rows", task.rows}, {"step", task.step}};
  if (task.code) object["code"] = std::vector<double>(task.code->begin(), task.code->end());
  object["features"] = std::move(features);
  print_json(object);
}

void print_as_table(const KnownTask& task, bool has_recipe, bool is_living) {
  fmt::print("{}: {}, learned in {} {}\n", printable(task.name),
             counted(static_cast<long>(task.rows), "row"), is_living ? "request" : "step",
             task.step);
  if (task.code) {
    fmt::print("code:");
    for (const double entry : *task.code) fmt::print(" {}", readable(entry));
    fmt::print("\n");
  }
  fmt::print("effects on {} of one step: {}\n\n{:<28} {:>9}", printable(task.units.target),
             step_words(has_recipe), "feature", "step");
  for (const auto& column : task.columns) fmt::print(" {:>12}", column.name);
  for (std::size_t k = 0; k < task.features.size(); ++k) {
    const auto feature = static_cast<Index>(k);
    const bool is_average = has_recipe && feature == task.units.intercept;
    fmt::print("\n{:<28} {:>9}", is_average ? "average row" : printable(task.features[k]),
               task.units.step_text(feature));
    for (const auto& column : task.columns) {
      fmt::print(" {:>12}", readable(column.values[feature]));
    }
  }
  fmt::print("\n");
}

void show(const ShowCommand& command) {
  const Home home = read_home(command.home);
  const KnownTask task = known_task(home, command.task);
  if (command.json) {
    print_as_json(task);
  } else {
    print_as_table(task, home.recipe.has_value(), home.network.mode == Mode::living);
  }
}

}  // namespace

void add_agent_tasks(CLI::App& agent) {
  auto options = std::make_shared<AgentCommand>();
  CLI::App* app = add_agent_command(agent, *options, "tasks",
                                    "List the agent's tasks and when it learned or forgot them");
  app->add_flag("--json", options->json, "Print one JSON object");
  app->callback([options] { list_tasks(*options); });
}

void add_agent_show(CLI::App& agent) {
  auto options = std::make_shared<ShowCommand>();
  CLI::App* app =
      add_agent_command(agent, *options, "show", "Show what the agent has learned of a task");
  add_text(*app, "TASK", options->task, "The task's name")->required()->type_name("");
  app->add_flag("--json", options->json, "Print one JSON object, with all digits");
  app->footer(
      "An effect is what one step of a feature adds to a prediction, in the target's unit or the\n"
      "log-odds of a label; that of an average row is its prediction. The model is that of the\n"
      "last finished step or, of a living agent, what it kept last; `alone` is the task's own,\n"
      "learned without others. A network of bayes has `network`, the mean over all its tasks, and\n"
      "`spread`, how much they differ. Rows are all that were learned: appended ones are counted\n"
      "with the old ones.");
  app->callback([options] { show(*options); });
}

}  // namespace colla::cli
