// SPDX-License-Identifier: Apache-2.0
#include "cli/train_selection.hpp"

#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "experiment/training_selection.hpp"

#include <colla/error.hpp>

namespace colla::cli {

void SelectionOptions::add_to(CLI::App& app) {
  app.add_flag(
         "--select", is_wanted,
         "Choose the settings that are not given (gamma, lambda, mu, rho, atoms) by a search on "
         "validation splits of the training rows")
      ->group(method_group);
  add_whole_number(app, "--candidates", candidates, 1, 1'000'000,
                   "How many settings --select tries")
      ->group(method_group);
}

void SelectionOptions::check(const CLI::App& app) const {
  if (is_wanted || app.count("--candidates") == 0) return;
  throw OptionError("is the number of settings that --select tries", "--candidates",
                    "add --select, or leave it out");
}

FixedParameters given_settings(const CLI::App& app, const NetworkOptions& options) {
  const HyperParameters values(options);
  FixedParameters fixed;
  for (const SearchedSetting& searched : searched_settings()) {
    if (app.count("--" + searched.key()) > 0) fixed[searched.key()] = values[searched.key()];
  }
  return fixed;
}

Selection choose_settings(const Lesson& lesson, const TrainingOptions& options,
                          const FixedParameters& given, Index candidates) {
  const std::vector<DataSet> rows = lesson.training_rows();
  const SearchSpec search = search_for(rows.front(), candidates);
  const Index planned = planned_evaluations(search);
  ProgressBar bar("selecting");
  Index done = 0;
  Selection chosen = select_settings(rows, options, given, search, [&bar, &done, planned] {
    bar.show(std::min(done++, planned), planned);
  });
  if (chosen.evaluations == 0) {
    throw OptionError("all settings are given: nothing is left to choose", "--select",
                      "leave out a setting or --select");
  }
  const Recipe* recipe = lesson.recipe();
  if (recipe != nullptr && !has_labels(recipe->target.problem)) {
    chosen.score *= recipe->target.spread;
  }
  return chosen;
}

}  // namespace colla::cli
