// SPDX-License-Identifier: Apache-2.0
#include "data/labels.hpp"
#include "files/text.hpp"
#include "recipe/rules.hpp"

#include <algorithm>
#include <unordered_map>

namespace colla {
namespace {

// Level columns of words: of two levels one column says everything, whichever it is; of three or
// more each has its own, so that shrinkage treats them alike.
std::size_t level_columns(const ColumnRule& rule) {
  return rule.levels.size() > 2 ? rule.levels.size() : rule.levels.size() - 1;
}

void warn_of_missing(const ColumnRule& rule, std::size_t count,
                     std::vector<std::string>& warnings) {
  if (count == 0 || rule.missing > 0.0) return;
  warnings.push_back("column " + in_quotes(rule.column) + ": " + counted(count, "missing value") +
                     ", and training had none; taken as average");
}

class NumberEncoder final : public Encoder {
 public:
  NumberEncoder(const ColumnRule& rule, NumberCells cells)
      : rule_(rule),
        cells_(std::move(cells)),
        has_indicator_(rule.missing > 0.0),
        set_(has_indicator_ ? standardised_indicator(true, rule.missing) : 0.0),
        not_set_(has_indicator_ ? standardised_indicator(false, rule.missing) : 0.0) {}

  void encode(std::span<const std::size_t> rows, double* out, Index stride) override {
    for (const std::size_t row : rows) {
      encode_one(cells_[row], out);
      out += stride;
    }
  }

  void warn(std::vector<std::string>& warnings) const override {
    warn_of_missing(rule_, missing_, warnings);
    if (drawn_in_ == 0) return;
    warnings.push_back("column " + in_quotes(rule_.column) + ": " + counted(drawn_in_, "value") +
                       " beyond " + rounded_text(rule_.number.low) + " to " +
                       rounded_text(rule_.number.high) + ", drawn in to there");
  }

 private:
  void encode_one(double value, double* out) {
    const NumberRule& rule = rule_.number;
    const bool is_missing = std::isnan(value);
    if (is_missing) {
      ++missing_;
      std::fill_n(out, 1 + rule.hinges.size(), 0.0);
      out += 1 + rule.hinges.size();
    } else {
      const double x = std::clamp(value, rule.low, rule.high);
      if (x != value) ++drawn_in_;
      *out++ = (x - rule.mean) / rule.spread;
      for (const Hinge& hinge : rule.hinges) {
        *out++ = (std::max(0.0, x - hinge.knot) - hinge.mean) / hinge.spread;
      }
    }
    if (has_indicator_) *out = is_missing ? set_ : not_set_;
  }

  const ColumnRule& rule_;
  NumberCells cells_;
  bool has_indicator_;
  double set_;
  double not_set_;
  std::size_t missing_ = 0;
  std::size_t drawn_in_ = 0;
};

class WordEncoder final : public Encoder {
 public:
  WordEncoder(const ColumnRule& rule, const Column& column)
      : rule_(rule), column_(column), width_(static_cast<std::size_t>(width_of(rule))) {
    for (const Level& level : rule.levels) positions_.emplace(level.name, positions_.size());
    make_patterns();
    for (const std::string& level : column.levels) by_code_.push_back(pattern_of(level));
  }

  void encode(std::span<const std::size_t> rows, double* out, Index stride) override {
    for (const std::size_t row : rows) {
      const std::size_t pattern = pattern_at(row);
      if (pattern == missing()) ++missing_;
      if (pattern == unknown()) note_unknown(row);
      std::copy_n(patterns_.begin() + static_cast<std::ptrdiff_t>(pattern * width_), width_, out);
      out += stride;
    }
  }

  void warn(std::vector<std::string>& warnings) const override {
    warn_of_missing(rule_, missing_, warnings);
    if (unknown_ == 0) return;
    warnings.push_back("column " + in_quotes(rule_.column) + ": " + counted(unknown_, "row") +
                       " with words that training did not have, such as " +
                       in_quotes(first_unknown_) + "; taken as average");
  }

 private:
  // Patterns are the features of each level, of a missing cell and of an unknown word.
  [[nodiscard]] std::size_t missing() const { return rule_.levels.size(); }
  [[nodiscard]] std::size_t unknown() const { return rule_.levels.size() + 1; }

  void make_patterns() {
    const std::size_t columns = level_columns(rule_);
    const std::size_t first = rule_.levels.size() - columns;
    patterns_.assign((rule_.levels.size() + 2) * width_, 0.0);
    for (std::size_t k = 0; k < rule_.levels.size(); ++k) {
      for (std::size_t j = 0; j < columns; ++j) {
        patterns_[k * width_ + j] =
            standardised_indicator(k == first + j, rule_.levels[first + j].share);
      }
    }
    if (rule_.missing == 0.0) return;
    for (std::size_t k = 0; k <= unknown(); ++k) {
      patterns_[k * width_ + columns] = standardised_indicator(k == missing(), rule_.missing);
    }
  }

  [[nodiscard]] std::size_t pattern_of(const std::string& word) const {
    const auto found = positions_.find(word);
    return found == positions_.end() ? pattern_of_truth(word) : found->second;
  }

  // Programs write truth values as true, True or TRUE.
  [[nodiscard]] std::size_t pattern_of_truth(const std::string& word) const {
    const std::optional<double> truth = truth_value(word);
    if (!truth) return unknown();
    for (std::size_t k = 0; k < rule_.levels.size(); ++k) {
      if (truth_value(rule_.levels[k].name) == truth) return k;
    }
    return unknown();
  }

  // A number in a column of words is its text.
  [[nodiscard]] std::size_t pattern_at(std::size_t row) const {
    if (column_.is_missing(row)) return missing();
    return column_.has_words ? by_code_[static_cast<std::size_t>(column_.codes[row])]
                             : pattern_of(column_.text(row));
  }

  void note_unknown(std::size_t row) {
    if (unknown_ == 0) first_unknown_ = column_.text(row);
    ++unknown_;
  }

  const ColumnRule& rule_;
  const Column& column_;
  std::size_t width_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::vector<double> patterns_;  // one after the other
  std::vector<std::size_t> by_code_;
  std::size_t missing_ = 0;
  std::size_t unknown_ = 0;
  std::string first_unknown_;
};

}  // namespace

Index width_of(const ColumnRule& rule) {
  const std::size_t indicator = rule.missing > 0.0 ? 1 : 0;
  const std::size_t others =
      rule.kind == Kind::words ? level_columns(rule) : 1 + rule.number.hinges.size();
  return static_cast<Index>(others + indicator);
}

std::unique_ptr<Encoder> make_encoder(const ColumnRule& rule, const Table& table,
                                      const Column& column, std::span<const std::size_t> rows) {
  switch (rule.kind) {
    case Kind::words:
      return std::make_unique<WordEncoder>(rule, column);
    case Kind::date:
      return std::make_unique<NumberEncoder>(rule,
                                             dates_as_numbers(table, column, rows, rule.form));
    case Kind::number:
      break;
  }
  return std::make_unique<NumberEncoder>(rule, plain_numbers(table, column, rows));
}

std::vector<std::string> feature_names(const Recipe& recipe) {
  std::vector<std::string> names;
  for (const ColumnRule& rule : recipe.columns) {
    if (rule.kind == Kind::words) {
      for (std::size_t k = rule.levels.size() - level_columns(rule); k < rule.levels.size(); ++k) {
        names.push_back(rule.column + "=" + rule.levels[k].name);
      }
    } else {
      names.push_back(rule.column);
      for (const Hinge& hinge : rule.number.hinges) {
        names.push_back(rule.column + ">" + shortest_text(hinge.knot));
      }
    }
    if (rule.missing > 0.0) names.push_back(rule.column + " missing");
  }
  return names;
}

std::vector<FeatureStep> feature_steps(const Recipe& recipe) {
  const auto indicator = [](double share) {
    return FeatureStep{false, 1.0, 1.0 / std::sqrt(share * (1.0 - share))};
  };
  std::vector<FeatureStep> steps;
  for (const ColumnRule& rule : recipe.columns) {
    if (rule.kind == Kind::words) {
      for (std::size_t k = rule.levels.size() - level_columns(rule); k < rule.levels.size(); ++k) {
        steps.push_back(indicator(rule.levels[k].share));
      }
    } else {
      const double spread = rule.number.spread;
      steps.push_back({true, spread, 1.0});
      for (const Hinge& hinge : rule.number.hinges) {
        steps.push_back({true, spread, spread / hinge.spread});
      }
    }
    if (rule.missing > 0.0) steps.push_back(indicator(rule.missing));
  }
  return steps;
}

std::vector<Index> linear_features(const Recipe& recipe, bool with_intercept) {
  std::vector<Index> linear;
  Index next = 0;
  bool has_hinges = false;
  for (const ColumnRule& rule : recipe.columns) {
    const Index end = next + width_of(rule);
    const auto hinges = std::ssize(rule.number.hinges);  // they follow the number itself
    has_hinges = has_hinges || hinges > 0;
    for (Index k = next; k < end; ++k) {
      if (k == next || k > next + hinges) linear.push_back(k);
    }
    next = end;
  }
  if (with_intercept) linear.push_back(next);
  return has_hinges ? linear : std::vector<Index>();
}

}  // namespace colla
