// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/data_commands.hpp"
#include "cli/terminal.hpp"
#include "data/registry.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace colla::cli {

void ReadingOptions::add_to(CLI::App& app) {
  app_ = &app;
  add_choice<Problem>(app, "--problem", reading_.problem,
                      "Kind of targets (default: as they look)");
  add_text(app, "--task-column", reading_.task_column, "The column that names a row's task");
  add_text(app, "--agent-column", reading_.agent_column, "The column that names a row's agent");
  add_text(app, "--target-column", reading_.target_column, "The column to predict");
  add_data_folder(app, reading_.data_folder);
}

void ReadingOptions::add_to(CLI::App& app, RecipeOption option) {
  add_to(app);
  recipe_.add_to(app, "Preparation of CSV files", option);
}

ReadOptions ReadingOptions::given() const {
  ReadOptions reading = reading_;
  reading.agent_column_required = app_->count("--agent-column") > 0;
  reading.classes = TaskClasses::any;
  return reading;
}

namespace {

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

}  // namespace

void add_data(CLI::App& program) {
  CLI::App* data =
      program.add_subcommand("data", "List, describe, prepare, check, convert and get data sets");
  data->require_subcommand(1);
  add_list(*data);
  add_describe(*data);
  add_prepare(*data);
  add_check(*data);
  add_convert(*data);
  add_get(*data);
}

}  // namespace colla::cli
