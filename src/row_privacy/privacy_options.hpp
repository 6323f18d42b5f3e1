// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>

#include <string>

namespace colla {

/// What an agent may tell of a task's rows (row_release.hpp).
struct PrivacyOptions {
  double epsilon = 0.0;  ///< of one release; > 0
  double delta = 0.0;    ///< 0 < delta < 1
  /// On |(x, y)| of a row, as the recipe makes it; longer rows are shortened. Never from the rows.
  double bound = 0.0;
  Index rows_per_person = 1;  ///< that one person has among those that arrive at once, at most

  bool operator==(const PrivacyOptions&) const = default;
};

/// Throws SettingError for `privacy` unless the values are in their ranges.
void check(const PrivacyOptions& options);

/// "epsilon=1,delta=1e-6,bound=4", and "rows_per_person=2" if it is not 1. Throws SettingError for
/// `privacy`.
PrivacyOptions parse_privacy(const std::string& text);
std::string to_text(const PrivacyOptions& options);

}  // namespace colla
