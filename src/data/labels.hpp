// SPDX-License-Identifier: Apache-2.0
// Whether the targets of a file are numbers or two labels.
#pragma once

#include <colla/matrix.hpp>
#include <colla/problem.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colla {

/// true or false in any case, as 1 or 0.
std::optional<double> truth_value(std::string_view text);

/// Sees every target once and then knows whether they are two labels: within {0, 1}, {-1, 1} or
/// {true, false}.
class LabelCensus {
 public:
  void see_number(double value);
  /// A target that is not a number: true, false or any other text.
  void see_text(std::string_view text);

  [[nodiscard]] bool are_labels() const;
  [[nodiscard]] bool has_text() const { return (kinds_ & ~numbers) != 0; }

  /// Regression or classification, as asked for or else as the targets show. Throws DataError if
  /// classification is asked for and they are not two labels.
  [[nodiscard]] Problem problem(std::optional<Problem> wanted, const std::string& where) const;

 private:
  enum Kind : unsigned {
    zero = 1,
    one = 2,
    minus_one = 4,
    other_number = 8,
    numbers = zero | one | minus_one | other_number,
    false_word = 16,
    true_word = 32,
    other_text = 64
  };

  void see(Kind kind, const std::string& label);
  [[nodiscard]] std::string seen() const;

  unsigned kinds_ = 0;
  std::vector<std::string> labels_;  // the first few different ones, as the file writes them
  bool more_labels_ = false;
};

/// Turns the labels of any of the three sets, with true as 1 and false as 0, into -1 and +1.
void to_signs(Vector& labels);

}  // namespace colla
