// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "data/catalogue.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

namespace colla::cli {
namespace {

struct Description {
  long rows = 0;
  long tasks = 0;
  long revisits = 0;
  long fewest_rows = 0;
  long most_rows = 0;
  double mean = 0.0;  // of the targets
  double deviation = 0.0;
  long positive = 0;
  std::size_t steps = 0;
};

double deviation(const DataSet& data, double mean, long rows) {
  double squares = 0.0;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) squares += (batch.y.array() - mean).square().sum();
  }
  return std::sqrt(squares / static_cast<double>(rows));
}

Description describe(const DataSet& data) {
  Description result;
  for (const Stream& stream : data.agents) {
    std::set<std::string> names;
    result.steps = std::max(result.steps, stream.batches.size());
    for (const Batch& batch : stream.batches) {
      const long rows = batch.X.rows();
      if (!names.insert(batch.task).second) ++result.revisits;
      result.fewest_rows = result.rows == 0 ? rows : std::min(result.fewest_rows, rows);
      result.most_rows = std::max(result.most_rows, rows);
      result.rows += rows;
      result.mean += batch.y.sum();
      result.positive += (batch.y.array() > 0.0).count();
    }
    result.tasks += static_cast<long>(names.size());
  }
  result.mean /= static_cast<double>(result.rows);
  result.deviation = deviation(data, result.mean, result.rows);
  return result;
}

struct DescribeCommand {
  std::string data;
  ReadOptions reading;
  Problem problem = Problem::regression;
  bool json = false;
  CLI::App* app = nullptr;

  void add_options();
  void run();
  void print_text(const DataSet& loaded, const Description& d) const;
  void print_json(const DataSet& loaded, const Description& d) const;
};

void DescribeCommand::add_options() {
  app->add_option("DATA", data, "A CSV or MAT file or the name of a built-in set")
      ->required()
      ->type_name("");
  add_choice(*app, "--problem", problem, problem_names,
             "What the targets are (default: two labels make classes)");
  add_text(*app, "--task-column", reading.task_column, "The column that names a row's task");
  add_text(*app, "--agent-column", reading.agent_column, "The column that names a row's agent");
  add_text(*app, "--target-column", reading.target_column, "The column to predict");
  app->add_flag("--json", json, "Print one JSON object instead of text");
}

void DescribeCommand::run() {
  if (app->count("--problem") > 0) reading.problem = problem;
  reading.agent_column_required = app->count("--agent-column") > 0;
  const DataSet loaded = load_data(data, reading, 1);
  const Description description = describe(loaded);
  if (json) {
    print_json(loaded, description);
  } else {
    print_text(loaded, description);
  }
}

void DescribeCommand::print_text(const DataSet& loaded, const Description& d) const {
  fmt::print("{}\n", loaded.name);
  fmt::print("  problem    {}\n", name_of(problem_names, loaded.problem));
  fmt::print("  agents     {}\n", loaded.agents.size());
  fmt::print("  tasks      {}{}\n", d.tasks,
             d.revisits > 0 ? ", and " + counted(d.revisits, "revisit") : "");
  fmt::print("  steps      {}\n", d.steps);
  fmt::print("  rows       {} ({} to {} a task)\n", d.rows, d.fewest_rows, d.most_rows);
  fmt::print("  features   {}:", loaded.features.size());
  for (std::size_t k = 0; k < std::min<std::size_t>(8, loaded.features.size()); ++k) {
    fmt::print(" {}", loaded.features[k]);
  }
  fmt::print("{}\n", loaded.features.size() > 8 ? " ..." : "");
  if (loaded.problem == Problem::regression) {
    fmt::print("  target     mean {:.4g}, standard deviation {:.4g}\n", d.mean, d.deviation);
  } else {
    fmt::print("  target     {} of {} rows positive ({:.1f} %)\n", d.positive, d.rows,
               100.0 * static_cast<double>(d.positive) / static_cast<double>(d.rows));
  }
}

void DescribeCommand::print_json(const DataSet& loaded, const Description& d) const {
  nlohmann::ordered_json object = {{"name", loaded.name},
                                   {"problem", name_of(problem_names, loaded.problem)},
                                   {"agents", loaded.agents.size()},
                                   {"tasks", d.tasks},
                                   {"revisits", d.revisits},
                                   {"steps", d.steps},
                                   {"rows", d.rows},
                                   {"fewest_rows", d.fewest_rows},
                                   {"most_rows", d.most_rows},
                                   {"features", loaded.features}};
  if (loaded.problem == Problem::regression) {
    object["target_mean"] = d.mean;
    object["target_deviation"] = d.deviation;
  } else {
    object["positive_rows"] = d.positive;
  }
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void list() {
  for (const BuiltIn& built_in : built_in_data()) {
    fmt::print("{:<26} {}\n", built_in.name, built_in.summary);
  }
}

}  // namespace

void add_data(CLI::App& program) {
  CLI::App* data = program.add_subcommand("data", "List and describe data sets");
  data->require_subcommand(1);
  data->add_subcommand("list", "The built-in data sets")->callback(list);
  auto command = std::make_shared<DescribeCommand>();
  command->app = data->add_subcommand("describe", "What a data set holds, read as train reads it");
  command->add_options();
  command->app->callback([command] { command->run(); });
}

}  // namespace colla::cli
