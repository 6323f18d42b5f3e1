// SPDX-License-Identifier: Apache-2.0
// What the commands of `colla data` share.
#pragma once

#include "cli/recipe_reading.hpp"

namespace colla::cli {

/// The options of a command that reads data as train does.
class ReadingOptions {
 public:
  void add_to(CLI::App& app);
  /// The same, and how CSV files are prepared.
  void add_to(CLI::App& app, RecipeOption option);
  /// Once the command line is parsed.
  ReadOptions given() const;
  bool prepares(const std::string& data) const { return recipe_.prepares(data); }
  TableTasks read_table(const std::string& path) const { return recipe_.read(path, given()); }

 private:
  const CLI::App* app_ = nullptr;
  ReadOptions reading_;
  RecipeReading recipe_;
};

void add_describe(CLI::App& data);
void add_prepare(CLI::App& data);
void add_check(CLI::App& data);
void add_convert(CLI::App& data);
void add_get(CLI::App& data);

}  // namespace colla::cli
