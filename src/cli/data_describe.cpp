// SPDX-License-Identifier: Apache-2.0
// `colla data describe` and `prepare`: what a data set holds, and the recipe of a table.
#include "cli/data_commands.hpp"
#include "cli/terminal.hpp"
#include "data/load_data.hpp"
#include "data/registry.hpp"
#include "files/text.hpp"
#include "files/unfinished_file.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace colla::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A data set as train reads it.
struct Described {
  DataSet data;  ///< targets of a regression in their own units
  TaskCounts counts;
  std::optional<Recipe> recipe = {};
  std::string form = {};
};

Described described_table(const TableTasks& table) {
  PreparedTable prepared = table.prepared(0.0, 1);
  Described result{prepared.tasks(0, false).train, table.counts(), prepared.recipe,
                   table.table().form};
  if (has_labels(result.data.problem)) return result;
  for (Stream& stream : result.data.agents) {
    for (Batch& batch : stream.batches) {
      for (double& y : batch.y) y = in_units(prepared.recipe.target, y);
    }
  }
  return result;
}

std::size_t steps_of(const DataSet& data) {
  std::size_t steps = 0;
  for (const Stream& stream : data.agents) steps = std::max(steps, stream.batches.size());
  return steps;
}

struct Moments {
  double mean = 0.0;
  double deviation = 0.0;
};

Moments target_moments(const DataSet& data) {
  double rows = 0.0;
  Moments moments;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) {
      rows += static_cast<double>(batch.y.size());
      moments.mean += batch.y.sum();
    }
  }
  moments.mean /= rows;
  double squares = 0.0;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) {
      squares += (batch.y.array() - moments.mean).square().sum();
    }
  }
  moments.deviation = std::sqrt(squares / rows);
  return moments;
}

struct DescribeCommand {
  std::string data;
  ReadingOptions reading;
  bool json = false;

  void run() const;
  void print_text(const Described& d) const;
  void print_json(const Described& d) const;
};

void DescribeCommand::run() const {
  Described described;
  if (reading.prepares(data)) {
    described = described_table(reading.read_table(data));
  } else {
    described.data = load_data(data, reading.given(), 1);
    described.counts = counts_of(described.data);
  }
  if (json) {
    print_json(described);
  } else {
    print_text(described);
  }
}

void print_target(const Described& d) {
  if (!has_labels(d.data.problem)) {
    const Moments target = target_moments(d.data);
    fmt::print("  target     mean {:.4g}, standard deviation {:.4g}\n", target.mean,
               target.deviation);
    return;
  }
  fmt::print("  classes    {}\n", printable(classes_in(d.counts)));
}

void DescribeCommand::print_text(const Described& d) const {
  const TaskCounts& counts = d.counts;
  fmt::print("{}\n", printable(d.data.name));
  if (!d.form.empty()) fmt::print("  file       {}\n", d.form);
  fmt::print("  problem    {}\n", name_of(d.data.problem));
  fmt::print("  agents     {}\n", counts.agents);
  const auto revisits = static_cast<long>(counts.arrivals - counts.tasks);
  fmt::print("  tasks      {}{}\n", counts.tasks,
             revisits > 0 ? ", and " + counted(revisits, "revisit") : "");
  fmt::print("  steps      {}\n", steps_of(d.data));
  fmt::print("  rows       {} ({})\n", counts.rows, rows_per_task(counts));
  fmt::print("  features   {}:", d.data.features.size());
  for (std::size_t k = 0; k < std::min<std::size_t>(8, d.data.features.size()); ++k) {
    fmt::print(" {}", printable(d.data.features[k]));
  }
  fmt::print("{}\n", d.data.features.size() > 8 ? " ..." : "");
  print_target(d);
  if (d.recipe) {
    fmt::print("  recipe\n");
    print_recipe(*d.recipe, "    ");
  }
  if (const RegisteredSet* set = find_registered(data)) {
    fmt::print("  prepared   {}\n", set->preparation);
    if (!set->is_synthetic) fmt::print("  published  by {}\n", set->published);
  }
}

void DescribeCommand::print_json(const Described& d) const {
  const TaskCounts& counts = d.counts;
  Json object = {{"name", d.data.name},
                 {"problem", name_of(d.data.problem)},
                 {"agents", counts.agents},
                 {"tasks", counts.tasks},
                 {"revisits", counts.arrivals - counts.tasks},
                 {"steps", steps_of(d.data)},
                 {"rows", counts.rows},
                 {"fewest_rows", counts.least},
                 {"median_rows", counts.median},
                 {"most_rows", counts.most},
                 {"features", d.data.features}};
  if (has_labels(d.data.problem)) {
    object["classes"] = classes_json<Json>(counts);
    if (counts.classes.size() == 2) object["positive_rows"] = counts.classes[1].second;
  } else {
    const Moments target = target_moments(d.data);
    object["target_mean"] = target.mean;
    object["target_deviation"] = target.deviation;
  }
  if (d.recipe) object["recipe"] = description(*d.recipe);
  if (const RegisteredSet* set = find_registered(data)) {
    object["synthetic"] = set->is_synthetic;
    object["preparation"] = set->preparation;
    if (!set->is_synthetic) object["published"] = set->published;
  }
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

struct PrepareCommand {
  std::string data;
  std::string recipe_file;
  ReadingOptions reading;
  bool force = false;

  void run() const;
};

void PrepareCommand::run() const {
  if (!reading.prepares(data)) {
    throw OptionError("is no CSV file", data, "only CSV files have a recipe");
  }
  if (!recipe_file.empty()) check_place(recipe_file, force);
  const Recipe recipe = reading.read_table(data).prepared(0.0, 1).recipe;
  print_recipe(recipe, "");
  if (recipe_file.empty()) return;
  const UnfinishedFile file(recipe_file);
  file.write(to_toml(recipe));
  if (force) {
    file.replace_target();
  } else {
    file.take_free_place();
  }
  fmt::print("recipe: {}\n", printable(recipe_file));
}

}  // namespace

void add_describe(CLI::App& data) {
  auto command = std::make_shared<DescribeCommand>();
  CLI::App* app = data.add_subcommand("describe", "Show what a data set holds, as train reads it");
  app->add_option("DATA", command->data, "A CSV or MAT file or the name of a registered set")
      ->required()
      ->type_name("");
  command->reading.add_to(*app, RecipeOption::taken);
  app->add_flag("--json", command->json, "Print one JSON object instead of text");
  app->callback([command] { command->run(); });
}

void add_prepare(CLI::App& data) {
  auto command = std::make_shared<PrepareCommand>();
  CLI::App* app = data.add_subcommand(
      "prepare", "Learn how a table becomes features, and write it to look at and edit");
  app->add_option("DATA", command->data, "A CSV file")->required()->type_name("");
  add_text(*app, "--recipe", command->recipe_file,
           "Write the recipe, for `colla train --recipe` (default: only show it)")
      ->type_name("OUT.toml");
  app->add_flag("--force", command->force, "Replace the file if it exists");
  command->reading.add_to(*app, RecipeOption::learned);
  app->callback([command] { command->run(); });
}

}  // namespace colla::cli
