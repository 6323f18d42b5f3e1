// SPDX-License-Identifier: Apache-2.0
// The uses of learned models, wherever they come from: predict and evaluate rows.
#pragma once

#include "data/rows.hpp"
#include "store/model_file.hpp"

#include <CLI/CLI.hpp>

namespace colla::cli {

/// Which rows, and which tasks and agents they belong to.
struct RowsOptions {
  std::string rows_file;
  std::string task;
  std::string agent;
  std::string task_column;
  std::string agent_column;
  std::string target_column;
  bool json = false;
  CLI::App* app = nullptr;

  void add(CLI::App& command, bool with_target, bool with_agent);
  Rows read(const Model& model, bool with_target) const;
};

/// CSV on standard output, one line per row.
void print_predictions(const Model& model, const RowsOptions& options);
/// A table or JSON, per task and over all.
void print_evaluation(const Model& model, const RowsOptions& options);

}  // namespace colla::cli
