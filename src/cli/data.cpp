// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/data_commands.hpp"
#include "cli/terminal.hpp"
#include "data/load_data.hpp"
#include "data/registry.hpp"
#include "files/text.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

namespace colla::cli {
namespace {

double deviation(const DataSet& data, double mean, long rows) {
  double squares = 0.0;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) squares += (batch.y.array() - mean).square().sum();
  }
  return std::sqrt(squares / static_cast<double>(rows));
}

}  // namespace

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

void ReadingOptions::add_to(CLI::App& app) {
  app_ = &app;
  add_choice<Problem>(app, "--problem", reading_.problem,
                      "Kind of targets (default: classification if they are labels)");
  add_text(app, "--task-column", reading_.task_column, "The column that names a row's task");
  add_text(app, "--agent-column", reading_.agent_column, "The column that names a row's agent");
  add_text(app, "--target-column", reading_.target_column, "The column to predict");
  add_data_folder(app, reading_.data_folder);
}

ReadOptions ReadingOptions::given() const {
  ReadOptions reading = reading_;
  reading.agent_column_required = app_->count("--agent-column") > 0;
  return reading;
}

namespace {

struct DescribeCommand {
  std::string data;
  ReadingOptions reading;
  bool json = false;
  CLI::App* app = nullptr;

  void add_options();
  void run();
  void print_text(const DataSet& loaded, const Description& d) const;
  void print_json(const DataSet& loaded, const Description& d) const;
};

void DescribeCommand::add_options() {
  app->add_option("DATA", data, "A CSV or MAT file or the name of a registered set")
      ->required()
      ->type_name("");
  reading.add_to(*app);
  app->add_flag("--json", json, "Print one JSON object instead of text");
}

void DescribeCommand::run() {
  const DataSet loaded = load_data(data, reading.given(), 1);
  const Description description = describe(loaded);
  if (json) {
    print_json(loaded, description);
  } else {
    print_text(loaded, description);
  }
}

void DescribeCommand::print_text(const DataSet& loaded, const Description& d) const {
  fmt::print("{}\n", printable(loaded.name));
  fmt::print("  problem    {}\n", name_of(loaded.problem));
  fmt::print("  agents     {}\n", loaded.agents.size());
  fmt::print("  tasks      {}{}\n", d.tasks,
             d.revisits > 0 ? ", and " + counted(d.revisits, "revisit") : "");
  fmt::print("  steps      {}\n", d.steps);
  fmt::print("  rows       {} ({} to {} a task)\n", d.rows, d.fewest_rows, d.most_rows);
  fmt::print("  features   {}:", loaded.features.size());
  for (std::size_t k = 0; k < std::min<std::size_t>(8, loaded.features.size()); ++k) {
    fmt::print(" {}", printable(loaded.features[k]));
  }
  fmt::print("{}\n", loaded.features.size() > 8 ? " ..." : "");
  if (has_labels(loaded.problem)) {
    fmt::print("  target     {} of {} rows positive ({:.1f} %)\n", d.positive, d.rows,
               100.0 * static_cast<double>(d.positive) / static_cast<double>(d.rows));
  } else {
    fmt::print("  target     mean {:.4g}, standard deviation {:.4g}\n", d.mean, d.deviation);
  }
  if (const RegisteredSet* set = find_registered(data)) {
    fmt::print("  prepared   {}\n", set->preparation);
    if (!set->is_synthetic) fmt::print("  published  by {}\n", set->published);
  }
}

void DescribeCommand::print_json(const DataSet& loaded, const Description& d) const {
  nlohmann::ordered_json object = {{"name", loaded.name},
                                   {"problem", name_of(loaded.problem)},
                                   {"agents", loaded.agents.size()},
                                   {"tasks", d.tasks},
                                   {"revisits", d.revisits},
                                   {"steps", d.steps},
                                   {"rows", d.rows},
                                   {"fewest_rows", d.fewest_rows},
                                   {"most_rows", d.most_rows},
                                   {"features", loaded.features}};
  if (has_labels(loaded.problem)) {
    object["positive_rows"] = d.positive;
  } else {
    object["target_mean"] = d.mean;
    object["target_deviation"] = d.deviation;
  }
  if (const RegisteredSet* set = find_registered(data)) {
    object["synthetic"] = set->is_synthetic;
    object["preparation"] = set->preparation;
    if (!set->is_synthetic) object["published"] = set->published;
  }
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

struct ListCommand {
  std::string folder;
  bool json = false;

  void run() const;
  // Of the set's file, without verifying it; empty if the set needs none.
  std::string state_of(const RegisteredSet& set) const;
  void print_json() const;
};

std::string ListCommand::state_of(const RegisteredSet& set) const {
  if (set.is_synthetic) return "";
  if (data_folder_or_default(folder).empty()) return "no data folder";
  std::error_code ignored;
  return std::filesystem::is_regular_file(file_of(set, folder), ignored) ? "found" : "missing";
}

void ListCommand::run() const {
  if (json) return print_json();
  for (const RegisteredSet& set : registered_sets()) {
    fmt::print("{:<28} {}\n", set.name, set.summary);
    if (!set.is_synthetic) fmt::print("{:<28} {} ({})\n", "", set.file, state_of(set));
  }
}

void ListCommand::print_json() const {
  nlohmann::ordered_json sets = nlohmann::ordered_json::array();
  for (const RegisteredSet& set : registered_sets()) {
    nlohmann::ordered_json object = {{"name", set.name},
                                     {"title", set.title},
                                     {"summary", set.summary},
                                     {"preparation", set.preparation},
                                     {"synthetic", set.is_synthetic}};
    if (!set.is_synthetic) {
      object["file"] = set.file;
      object["state"] = state_of(set);
      object["bytes"] = set.bytes;
      object["sha256"] = set.sha256;
      object["published"] = set.published;
      object["address"] = nullptr;
      if (!set.address.empty()) object["address"] = set.address;
    }
    sets.push_back(object);
  }
  fmt::print("{}\n", sets.dump(2));
}

void add_list(CLI::App& data) {
  auto command = std::make_shared<ListCommand>();
  CLI::App* app =
      data.add_subcommand("list", "List the registered data sets and which files are present");
  add_data_folder(*app, command->folder);
  app->add_flag("--json", command->json, "Print JSON instead of text");
  app->callback([command] { command->run(); });
}

void add_describe(CLI::App& data) {
  auto command = std::make_shared<DescribeCommand>();
  command->app = data.add_subcommand("describe", "Show what a data set holds, as train reads it");
  command->add_options();
  command->app->callback([command] { command->run(); });
}

}  // namespace

void add_data(CLI::App& program) {
  CLI::App* data =
      program.add_subcommand("data", "List, describe, check, convert and get data sets");
  data->require_subcommand(1);
  add_list(*data);
  add_describe(*data);
  add_check(*data);
  add_convert(*data);
  add_get(*data);
}

}  // namespace colla::cli
