// SPDX-License-Identifier: Apache-2.0
#include "cli/privacy_choice.hpp"

#include "cli/options.hpp"
#include "cli/terminal.hpp"

#include <fmt/core.h>

namespace colla::cli {

void PrivacyChoice::add_to(CLI::App& app, const std::string& group) {
  app_ = &app;
  add_text(app, "--privacy", text_,
           "What agents tell of a task's rows is differentially private: noise is added once, when "
           "they arrive, to statistics of rows no longer than the bound (docs/privacy.md)")
      ->type_name("epsilon=E,delta=D,bound=B")
      ->group(group);
  add_whole_number(app, "--rows-per-person", rows_per_person_, 1, 1'000'000,
                   "Most rows that one person has among those of a task that arrive together; "
                   "--privacy protects all of them (default 1)")
      ->group(group);
}

std::optional<PrivacyOptions> PrivacyChoice::chosen() const {
  if (app_->count("--privacy") == 0) {
    if (app_->count("--rows-per-person") == 0) return std::nullopt;
    throw OptionError("needs --privacy", "--rows-per-person", "leave it out, or give both");
  }
  PrivacyOptions options = parse_privacy(text_);
  if (app_->count("--rows-per-person") > 0) options.rows_per_person = rows_per_person_;
  return options;
}

std::string shortened_text(Index shortened, Index all, double bound) {
  return fmt::format("{} of {} {} longer than the bound {:g} and {} shortened", shortened,
                     counted(static_cast<long>(all), "row"), shortened == 1 ? "was" : "were", bound,
                     shortened == 1 ? "was" : "were");
}

}  // namespace colla::cli
