// SPDX-License-Identifier: Apache-2.0
// The uses of learned models, wherever they come from: predict and evaluate rows.
#pragma once

#include "training/model_predictions.hpp"

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
  double interval = 0.0;  ///< 0: none
  bool json = false;
  CLI::App* app = nullptr;

  void add(CLI::App& command, bool with_target, bool with_agent);
  void add_interval();
  /// Warns on standard error.
  Rows read(const Model& model, Targets targets) const;
};

/// CSV on standard output, one line per row; with an interval, between which values a new
/// observation lies with this probability. Warns of tasks without rows.
void print_predictions(const Model& model, const RowsOptions& options);
/// A table or JSON, per task and over all. Warns of tasks without rows.
void print_evaluation(const Model& model, const RowsOptions& options);
/// The same, and beside it each task's single-task model, which the model's agents have kept. Warns
/// where that is better.
void print_comparison(const Model& model, const RowsOptions& options);

}  // namespace colla::cli
