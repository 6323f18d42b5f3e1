// SPDX-License-Identifier: Apache-2.0
// The commands of `colla data` that handle files: check, convert, get.
#include "cli/data_commands.hpp"
#include "cli/terminal.hpp"
#include "data/conversion.hpp"
#include "data/load_data.hpp"
#include "data/registry.hpp"
#include "download/download.hpp"
#include "files/sha256.hpp"
#include "files/text.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <memory>

namespace colla::cli {
namespace {

namespace fs = std::filesystem;

struct CheckCommand {
  std::vector<std::string> names;
  ReadingOptions reading;

  void run() const;
  // The line for a set or file that is fine. Throws Error if it is not.
  std::string verdict(const std::string& name) const;
};

// The registered set that this file belongs to, or null.
const RegisteredSet* set_of_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return nullptr;
  const std::uintmax_t size = fs::file_size(path, error);
  for (const RegisteredSet& set : registered_sets()) {
    if (!set.is_synthetic && size == set.bytes && sha256_of(path) == set.sha256) return &set;
  }
  return nullptr;
}

std::string shape_of(const TaskCounts& counts, std::size_t features) {
  return fmt::format("{}, {}, {} features", counted(static_cast<long>(counts.tasks), "task"),
                     counted(static_cast<long>(counts.rows), "row"), features);
}

std::string shape_of(const DataSet& data) {
  return shape_of(counts_of(data), data.features.size() - (data.has_intercept ? 1 : 0));
}

// As train would prepare it.
std::string shape_of(const TableTasks& table) {
  const PreparedTable prepared = table.prepared(0.0, 1);
  return shape_of(table.counts(), feature_names(prepared.recipe).size());
}

std::string CheckCommand::verdict(const std::string& name) const {
  const ReadOptions options = reading.given();
  if (const RegisteredSet* set = find_registered(name)) {
    std::string shape = shape_of(load_data(name, options, 1));
    if (set->is_synthetic) return shape;
    return fmt::format("{}; {}, {} bytes, SHA-256 as published", shape,
                       file_of(*set, options.data_folder), set->bytes);
  }
  if (const RegisteredSet* set = set_of_file(name)) {
    return fmt::format("the file of {}, {} bytes, SHA-256 as published", set->name, set->bytes);
  }
  if (reading.prepares(name)) return shape_of(reading.read_table(name));
  return shape_of(load_data(name, options, 1));
}

void CheckCommand::run() const {
  std::vector<std::string> all = names;
  if (all.empty()) {
    for (const RegisteredSet& set : registered_sets()) all.push_back(set.name);
  }
  long wrong = 0;
  for (const std::string& name : all) {
    try {
      fmt::print("{}: fine: {}\n", printable(name), printable(verdict(name)));
    } catch (const Error& error) {
      ++wrong;
      fmt::print("{}: wrong: {}\n", printable(name), printable(error.what()));
    }
  }
  flush_output();
  if (wrong > 0) {
    throw DataError(
        fmt::format("{} of {} wrong", wrong, counted(static_cast<long>(all.size()), "data set")),
        "", "see above");
  }
}

struct ConvertCommand {
  std::string input;
  std::string output;
  ReadingOptions reading;
  std::uint64_t seed = 1;
  bool force = false;

  void run() const;
};

void ConvertCommand::run() const {
  const bool to_mat = has_ending(output, ".mat");
  if (!to_mat && !has_ending(output, ".csv")) {
    throw OptionError("the ending does not say what to write", output, "end it with .csv or .mat");
  }
  const ReadOptions options = reading.given();
  const DataSet data = load_data(input, options, seed);
  if (to_mat) {
    write_mat(data, output, force);
  } else {
    write_csv(data, output, options, force);
  }
  fmt::print("{}: {}\n", printable(output), shape_of(data));
}

struct GetCommand {
  std::string name;
  std::string folder;
  std::string address;
  bool force = false;

  void run() const;
  std::string target(const RegisteredSet& set) const;
  bool is_there(const RegisteredSet& set, const std::string& path) const;
};

std::string GetCommand::target(const RegisteredSet& set) const {
  if (set.is_synthetic) {
    throw OptionError("is made by the program and needs no file", set.name,
                      "use it by its name: colla train " + set.name);
  }
  std::string path = file_of(set, folder);
  if (address.empty() && set.address.empty()) {
    throw DataError("has no reliable address", set.name,
                    "place the file as " + path +
                        " by hand, or give --address; it was published "
                        "by " +
                        set.published);
  }
  const fs::path parent = fs::path(path).parent_path();
  std::error_code error;
  if (!fs::is_directory(parent, error)) {
    throw StoreError("no such folder", parent.string(), "make it first");
  }
  return path;
}

// Throws DataError if another file is there.
bool GetCommand::is_there(const RegisteredSet& set, const std::string& path) const {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return false;
  try {
    verify_file(set, path);
    return true;
  } catch (const DataError&) {
    if (force) return false;
    throw DataError("exists and is not the published file", path,
                    "move it away, or replace it with --force");
  }
}

void GetCommand::run() const {
  const RegisteredSet& set = registered_set(name);
  Download wanted;
  wanted.target = target(set);
  if (is_there(set, wanted.target)) {
    fmt::print("{}: already there, {} bytes, SHA-256 as published\n", printable(wanted.target),
               set.bytes);
    return;
  }
  wanted.address = address.empty() ? set.address : address;
  wanted.may_be_plain_http = !address.empty();
  wanted.sha256 = set.sha256;
  wanted.bytes = set.bytes;
  {
    ProgressBar bar(set.file);
    wanted.progress = [&bar, &set](std::uint64_t done) {
      bar.show(static_cast<long>(done), static_cast<long>(set.bytes));
    };
    download(wanted);
  }
  fmt::print("{}: {} bytes, SHA-256 as published\n", printable(wanted.target), set.bytes);
}

}  // namespace

void add_check(CLI::App& data) {
  auto command = std::make_shared<CheckCommand>();
  CLI::App* app = data.add_subcommand(
      "check", "Check that files are present, as published and readable; exit code 2 if not");
  app->add_option("DATA", command->names,
                  "Names of registered sets, CSV or MAT files (default: all registered sets)")
      ->type_name("");
  command->reading.add_to(*app, RecipeOption::taken);
  app->callback([command] { command->run(); });
}

void add_convert(CLI::App& data) {
  auto command = std::make_shared<ConvertCommand>();
  CLI::App* app = data.add_subcommand("convert", "Write a data set as a CSV or MAT file");
  app->add_option("IN", command->input, "A CSV or MAT file or the name of a registered set")
      ->required()
      ->type_name("");
  app->add_option("OUT", command->output, "The file to write, .csv or .mat")
      ->required()
      ->type_name("");
  app->add_flag("--force", command->force, "Replace OUT if it exists");
  command->reading.add_to(*app);
  add_seed(*app, command->seed);
  app->footer(
      "The intercept is left out: `colla train --recipe none` adds it again, and learns a CSV file "
      "to\n"
      "the same bits.");
  app->callback([command] { command->run(); });
}

void add_get(CLI::App& data) {
  auto command = std::make_shared<GetCommand>();
  CLI::App* app = data.add_subcommand(
      "get", "Download the file of a registered set, verify it and place it in the data folder");
  app->add_option("NAME", command->name, "The set")->required()->type_name("");
  add_data_folder(*app, command->folder);
  add_text(*app, "--address", command->address, "Download from this address")->type_name("URL");
  app->add_flag("--force", command->force, "Replace a file that is not the published one");
  app->footer("Run the command again to resume an interrupted download.");
  app->callback([command] { command->run(); });
}

}  // namespace colla::cli
