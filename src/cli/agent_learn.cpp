// SPDX-License-Identifier: Apache-2.0
// `colla agent learn`: a site's table becomes tasks of its agent.
#include "agent/daemon/control_client.hpp"
#include "agent/daemon/control_server.hpp"
#include "cli/agent_commands.hpp"
#include "cli/options.hpp"
#include "cli/privacy_choice.hpp"
#include "cli/terminal.hpp"
#include "data/line_count.hpp"
#include "data/rows.hpp"
#include "files/text.hpp"
#include "recipe/tasks.hpp"
#include "row_privacy/row_release.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace colla::cli {
namespace {

constexpr std::string_view settled = "settled";

struct LearnCommand : AgentCommand {
  std::string rows_file;
  std::string task;
  std::string task_column;
  std::string target_column;
  bool append = false;
  bool release_again = false;
  bool wait = false;
  std::string wait_for;  // "settled", or nothing
};

const std::string& or_else(const std::string& given, const std::string& otherwise) {
  return given.empty() ? otherwise : given;
}

[[noreturn]] void refuse_without_task(const std::string& file, const std::string& task_column) {
  throw DataError("there is no column " + in_quotes(task_column) + " that names the tasks", file,
                  "name the task with --task, or the column with --task-column");
}

// Both name the tasks: they must agree.
void check_task_option(const std::vector<TaskRows>& tasks, const LearnCommand& command,
                       const std::string& task_column) {
  if (command.task.empty() || (tasks.size() == 1 && tasks[0].task == command.task)) return;
  std::vector<std::string> names;
  for (const TaskRows& task : tasks) names.push_back(task.task);
  throw DataError("column " + in_quotes(task_column) + " names " + listed(names) +
                      ", and --task names " + in_quotes(command.task),
                  command.rows_file, "leave --task out");
}

// --- with a recipe

DataSet grouped_by_task(const Recipe& recipe, const Table& table, const Prepared& prepared) {
  DataSet data = tasks_of(recipe, table, prepared, 0);
  if (data.agents.size() > 1) {
    std::vector<std::string> names;
    for (const Stream& stream : data.agents) names.push_back(stream.agent);
    throw DataError(
        "column " + in_quotes(recipe.agent_column) + " names several agents: " + listed(names),
        table.place(), "give each agent its own rows");
  }
  return data;
}

std::vector<TaskRows> prepared_tasks(const Home& home, const LearnCommand& command) {
  Recipe recipe = *home.recipe;
  recipe.task_column = or_else(command.task_column, recipe.task_column);
  recipe.target_column = or_else(command.target_column, recipe.target_column);
  const Table table = read_table(command.rows_file, table_options(recipe));
  const Prepared prepared = apply(recipe, table, Targets::wanted);
  const bool has_tasks = table.find(recipe.task_column) != nullptr;
  if (!has_tasks && command.task.empty()) refuse_without_task(table.place(), recipe.task_column);
  DataSet data;
  if (has_tasks) {
    data = grouped_by_task(recipe, table, prepared);
  } else {
    data.agents = {{"", {{{command.task, prepared.X, prepared.Y.col(0)}, table.place()}}}};
  }
  if (home.network.intercept) add_intercept(data);
  std::vector<TaskRows> tasks;
  for (Batch& batch : data.agents[0].batches) tasks.push_back(std::move(batch));
  if (has_tasks) check_task_option(tasks, command, recipe.task_column);
  for (const std::string& warning : prepared.warnings) {
    warn(command.rows_file + ": " + warning);
  }
  return tasks;
}

// --- without one

std::vector<TaskRows> grouped_by_task(const Rows& rows) {
  std::map<std::string, std::vector<Index>> by_name;
  for (std::size_t k = 0; k < rows.tasks.size(); ++k) {
    by_name[rows.tasks[k]].push_back(static_cast<Index>(k));
  }
  std::vector<TaskRows> tasks;
  for (const auto& [name, members] : by_name) {
    tasks.push_back({name, rows.X(members, Eigen::all), rows.y(members)});
  }
  std::sort(tasks.begin(), tasks.end(),
            [](const TaskRows& a, const TaskRows& b) { return comes_before(a.task, b.task); });
  return tasks;
}

std::vector<TaskRows> plain_tasks(const Home& home, const LearnCommand& command) {
  const Network& network = home.network;
  const std::string target = or_else(command.target_column, network.target_column);
  check_feature_names(network.feature_names, target, "--target-column");
  const std::string task_column = or_else(command.task_column, default_task_column);
  const bool has_tasks = names_tasks(network, command.rows_file, task_column);
  if (!has_tasks && command.task.empty()) refuse_without_task(command.rows_file, task_column);
  std::vector<std::string> other_than = {target};
  if (has_tasks) other_than.push_back(task_column);
  RowColumns columns;
  columns.features = features_in(network, command.rows_file, other_than);
  columns.problem = network.agent.problem;
  columns.agent = "";
  columns.target_column = target;
  columns.task_column = task_column;
  if (!has_tasks) columns.task = command.task;
  std::vector<TaskRows> tasks = grouped_by_task(read_rows(command.rows_file, columns));
  if (has_tasks) check_task_option(tasks, command, task_column);
  return tasks;
}

// --wait ROWS: the word after --wait is the file.
void read_words_after_wait(LearnCommand& command, const CLI::Option& wait) {
  command.wait = wait.count() > 0;
  const bool is_file = !command.wait_for.empty() && command.wait_for != settled;
  if (is_file && command.rows_file.empty()) {
    command.rows_file = std::exchange(command.wait_for, "");
  } else if (is_file) {
    throw OptionError("invalid value " + in_quotes(command.wait_for), "--wait",
                      "give `--wait`, or `--wait settled` in a living network");
  }
  if (command.rows_file.empty()) throw OptionError("no file with rows is given", "ROWS", "");
}

// Every agent of a living network learns at once; until its neighbours agree takes longer.
void wait_until_learned(const std::vector<TaskRows>& tasks, std::int64_t number,
                        ControlClient& client) {
  for (const TaskRows& task : tasks) {
    const std::uint64_t step = client.wait(number++, [&client] { tell_why_it_waits(client); });
    fmt::print("learned: {} in step {}\n", printable(task.task), step);
    std::fflush(stdout);
  }
}

void wait_until_settled(std::int64_t last, ControlClient& client) {
  client.wait(last, [&client] { tell_why_it_waits(client); });
  fmt::print("settled: the neighbours agree\n");
}

void tell_of_privacy(const PrivacyOptions& privacy, const std::vector<TaskRows>& tasks) {
  Index all = 0;
  Index shortened = 0;
  for (const TaskRows& task : tasks) {
    all += task.X.rows();
    shortened += bounded_rows(task.X, task.y, privacy.bound).shortened;
  }
  fmt::print("privacy: epsilon {:g} and delta {:g} are spent; {}\n", privacy.epsilon, privacy.delta,
             shortened_text(shortened, all, privacy.bound));
}

// Before the file is read: it may need far more memory than there is. Only an upper bound, as rows
// without a target are left out.
void check_size(const Home& home, const std::string& file) {
  const std::size_t lines = lines_in_file(file);
  const std::size_t rows = lines == 0 ? 0 : lines - 1;
  const auto numbers = static_cast<std::size_t>(home.network.agent.features) + 1;
  if (rows <= most_bytes_of_rows / sizeof(double) / numbers) return;
  const double bytes = static_cast<double>(rows) * static_cast<double>(numbers * sizeof(double));
  throw DataError(fmt::format("its {} rows are {:.0f} MiB of numbers, and an agent takes {} MiB at "
                              "a time",
                              rows, bytes / (1 << 20U), most_bytes_of_rows >> 20U),
                  file, "give them in parts: tasks one by one, or their rows with --append");
}

void learn(const LearnCommand& command) {
  const Home home = read_home(command.home);
  const bool is_living = home.network.mode == Mode::living;
  if (!is_living && command.wait_for == settled) {
    throw OptionError("agents that take steps agree as far as their steps go", "--wait settled",
                      "give --wait");
  }
  if (command.release_again && !home.network.privacy) {
    throw OptionError("is for networks with privacy", "--release-again", "leave it out");
  }
  if (!command.task.empty()) check_name(command.task, "--task");
  check_size(home, command.rows_file);
  std::vector<TaskRows> tasks =
      home.recipe ? prepared_tasks(home, command) : plain_tasks(home, command);
  for (TaskRows& task : tasks) {
    if (command.append) task.revisit = Revisit::append;
  }
  ControlClient client(home.folder);
  const std::int64_t number = client.learn(tasks, command.release_again);
  for (const TaskRows& task : tasks) {
    fmt::print("{}: {} ({})\n", is_living ? "learned" : "queued", printable(task.task),
               counted(task.X.rows(), "row"));
  }
  if (home.network.privacy) tell_of_privacy(*home.network.privacy, tasks);
  std::fflush(stdout);
  if (!is_living && command.wait) wait_until_learned(tasks, number, client);
  if (command.wait_for == settled) {
    wait_until_settled(number + std::ssize(tasks) - 1, client);
  }
}

}  // namespace

void add_agent_learn(CLI::App& agent) {
  auto options = std::make_shared<LearnCommand>();
  CLI::App* app =
      add_agent_command(agent, *options, "learn", "Give the running agent a table of tasks");
  app->add_option("ROWS", options->rows_file,
                  "A CSV file with a header, one row per sample: the columns of the network's "
                  "recipe or its features, and the target")
      ->type_name("");
  add_text(*app, "--task", options->task,
           "The task of all rows, if no column names it; a known task is learned again");
  add_text(*app, "--task-column", options->task_column,
           "The column that names a row's task (default: the recipe's, or task)");
  add_text(*app, "--target-column", options->target_column,
           "The column to predict (default: the network's)");
  app->add_flag("--append", options->append,
                "Add the rows to the tasks' old ones instead of replacing them");
  app->add_flag("--release-again", options->release_again,
                "In a network with privacy: learn rows in place of others that were released, or "
                "rows that may have been released from a newer copy of this home; it spends more");
  CLI::Option* const wait =
      app->add_option("--wait", options->wait_for,
                      "Return when the tasks are learned, not when they are safely queued; a "
                      "living agent learns at once. `--wait settled`: when its neighbours agree")
          ->expected(0, 1)
          ->type_name("[settled]");
  app->footer(
      "A living agent learns the tasks at once, whoever else is away. In lockstep each task takes\n"
      "a step of its own, in the order of their names. If one of them is refused, none is "
      "learned.\n"
      "The rows are not sent to anyone. But from what is sent, a neighbour can compute the task's\n"
      "model and, where neighbours are trusted and rows are few, the rows (docs/privacy.md). The\n"
      "home keeps of a learned task what estimating it again needs, with bayes sometimes the\n"
      "rows: keep it as secret as rows.");
  app->callback([options, wait] {
    read_words_after_wait(*options, *wait);
    learn(*options);
  });
}

}  // namespace colla::cli
