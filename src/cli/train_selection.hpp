// SPDX-License-Identifier: Apache-2.0
// `colla train --select`.
#pragma once

#include "cli/train_data.hpp"
#include "experiment/search.hpp"

#include <CLI/CLI.hpp>

#include <optional>

namespace colla::cli {

struct SelectionOptions {
  bool is_wanted = false;
  Index candidates = 72;

  void add_to(CLI::App& app);
  /// Throws OptionError for an option that needs --select.
  void check(const CLI::App& app) const;
};

/// The settings that the command line gives; they stay.
FixedParameters given_settings(const CLI::App& app, const NetworkOptions& options);

/// The best settings for the training rows of a lesson; its score is in the target's unit. Throws
/// OptionError if none is left to choose.
Selection choose_settings(const Lesson& lesson, const TrainingOptions& options,
                          const FixedParameters& given, Index candidates);

}  // namespace colla::cli
