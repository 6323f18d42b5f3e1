// SPDX-License-Identifier: Apache-2.0
#include "data/labels.hpp"

#include "files/text.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace colla {
namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), same);
}

std::string shortest(double value) {
  std::array<char, 32> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), result.ptr};
}

}  // namespace

std::optional<double> truth_value(std::string_view text) {
  if (equals_ignoring_case(trimmed(text), "true")) return 1.0;
  if (equals_ignoring_case(trimmed(text), "false")) return 0.0;
  return std::nullopt;
}

void LabelCensus::see_number(double value) {
  Kind kind = other_number;
  if (value == 0.0) kind = zero;
  if (value == 1.0) kind = one;
  if (value == -1.0) kind = minus_one;
  if (kind == other_number ? more_labels_ : (kinds_ & kind) != 0) {
    kinds_ |= kind;
    return;  // nothing new: the common case, without a string
  }
  see(kind, shortest(value == 0.0 ? 0.0 : value));
}

void LabelCensus::see_text(std::string_view text) {
  const std::optional<double> truth = truth_value(text);
  if (!truth) {
    see(other_text, in_quotes(text));
  } else if (*truth == 1.0) {
    see(true_word, "true");
  } else {
    see(false_word, "false");
  }
}

void LabelCensus::see(Kind kind, const std::string& label) {
  constexpr std::size_t most = 4;
  kinds_ |= kind;
  if (std::find(labels_.begin(), labels_.end(), label) != labels_.end()) return;
  if (labels_.size() < most) {
    labels_.push_back(label);
  } else {
    more_labels_ = true;
  }
}

bool LabelCensus::are_labels() const {
  const auto within = [this](unsigned set) { return (kinds_ & ~set) == 0; };
  return within(zero | one) || within(minus_one | one) || within(false_word | true_word);
}

std::string LabelCensus::seen() const {
  return listed(labels_) + (more_labels_ ? " and others" : "");
}

Problem LabelCensus::problem(std::optional<Problem> wanted, const std::string& where) const {
  if (wanted && has_labels(*wanted) && !are_labels()) {
    const bool too_many = labels_.size() > 2;
    throw DataError(too_many ? "classification takes two labels, and the targets are " + seen()
                             : "the targets " + seen() + " are not labels that are understood",
                    where, "write them as 0 and 1, -1 and 1, or true and false");
  }
  if (wanted) return *wanted;
  return are_labels() ? Problem::classification : Problem::regression;
}

void to_signs(Vector& labels) {
  for (double& label : labels) label = label > 0.0 ? 1.0 : -1.0;
}

}  // namespace colla
