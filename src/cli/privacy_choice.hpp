// SPDX-License-Identifier: Apache-2.0
// --privacy and --rows-per-person.
#pragma once

#include "row_privacy/privacy_options.hpp"

#include <CLI/CLI.hpp>

#include <optional>

namespace colla::cli {

class PrivacyChoice {
 public:
  void add_to(CLI::App& app, const std::string& group);
  /// Nothing if it was not given. Throws OptionError.
  std::optional<PrivacyOptions> chosen() const;

 private:
  std::string text_;
  Index rows_per_person_ = 1;
  CLI::App* app_ = nullptr;
};

/// "3 of 900 rows were longer than the bound 4 and were shortened"
std::string shortened_text(Index shortened, Index all, double bound);

}  // namespace colla::cli
