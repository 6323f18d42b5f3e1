// SPDX-License-Identifier: Apache-2.0
#include "report/axis.hpp"

#include "report/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace colla {
namespace {

// How much of the picture lies between the outermost values and its edge.
constexpr double margin = 0.05;
// Methods beyond a gap this many times as wide as all others need are far.
constexpr double far_gap = 0.75;
// A point this many times farther out than nine tenths of the points is not shown.
constexpr double far_point = 3.0;

// Everything below is written for "small is good"; where large is good, values are negated.
class WorthShowing {
 public:
  explicit WorthShowing(const Chart& chart)
      : chart_(chart), sign_(chart.higher_is_better && !chart.is_logarithmic ? -1.0 : 1.0) {
    for (const Series& series : chart.series) {
      if (const auto range = range_of(series)) ranges_.push_back(*range);
    }
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
      return a.low < b.low || (a.low == b.low && a.high < b.high);
    });
  }

  std::optional<Range> range() {
    if (ranges_.empty()) return std::nullopt;
    if (!chart_.is_logarithmic && !chart_.shows_all) {
      leave_out_far_methods();
      leave_out_far_points();
    }
    const Range hull{ranges_.front().low, highest()};
    return sign_ > 0 ? hull : Range{-hull.high, -hull.low};
  }

 private:
  std::optional<Range> range_of(const Series& series) const {
    std::optional<Range> range;
    for (const Estimate& point : series.points) {
      if (!is_drawable(chart_, point)) continue;
      const double error = chart_.is_logarithmic ? 0.0 : error_of(point);
      const double value = chart_.is_logarithmic ? std::log10(point.mean) : sign_ * point.mean;
      if (!range) range = Range{value, value};
      range->low = std::min(range->low, value - error);
      range->high = std::max(range->high, value + error);
    }
    return range;
  }
  static double error_of(const Estimate& point) {
    return std::abs(point.standard_error) < largest_drawable ? point.standard_error : 0.0;
  }

  double highest() const {
    double highest = ranges_.front().high;
    for (const Range& range : ranges_) highest = std::max(highest, range.high);
    return highest;
  }

  // At most a third of the methods, beyond the first gap that is wide enough.
  void leave_out_far_methods() {
    const std::size_t fewest = ranges_.size() - ranges_.size() / 3;
    double reached = ranges_.front().high;
    for (std::size_t k = 1; k < ranges_.size() && ranges_.size() > 3; ++k) {
      const double width = reached - ranges_.front().low;
      if (k >= fewest && ranges_[k].low - reached > far_gap * width) {
        ranges_.resize(k);
        limit_ = reached;
        return;
      }
      reached = std::max(reached, ranges_[k].high);
    }
  }

  // A first step without any knowledge can be off by orders of magnitude.
  void leave_out_far_points() {
    std::vector<double> values;
    for (const Series& series : chart_.series) {
      for (const Estimate& point : series.points) {
        const double value = sign_ * point.mean;
        if (!series.is_across && is_drawable(chart_, point) && !(value > limit_)) {
          values.push_back(value);
        }
      }
    }
    if (values.size() < 10) return;
    std::sort(values.begin(), values.end());
    const double best = std::min(values.front(), ranges_.front().low);
    const double most = values[values.size() * 9 / 10] - best;
    if (most <= 0.0 || values.back() - best <= far_point * most) return;
    for (Range& range : ranges_) {
      range.high = std::min(range.high, best + 0.5 * far_point * most);
      range.low = std::min(range.low, range.high);
    }
  }

  const Chart& chart_;
  double sign_;
  double limit_ = INFINITY;
  std::vector<Range> ranges_;  // ascending
};

// 1, 2 or 5 times a power of ten, at least the given value.
double round_spacing(double wanted) {
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  const double leading = wanted / power;
  return power * (leading <= 1.0 ? 1.0 : leading <= 2.0 ? 2.0 : leading <= 5.0 ? 5.0 : 10.0);
}

}  // namespace

Range visible_range(const Chart& chart) {
  const auto found = WorthShowing(chart).range();
  if (!found) return chart.is_logarithmic ? Range{1.0, 10.0} : Range{0.0, 1.0};
  Range range = *found;
  const double smallest =
      std::max(1e-12, 1e-6 * std::max(std::abs(range.low), std::abs(range.high)));
  const double room = range.width() > smallest ? margin * range.width()
                      : range.low == 0.0       ? 1.0
                                               : 0.1 * std::abs(range.low);
  if (chart.is_logarithmic)
    return {std::pow(10.0, range.low - room), std::pow(10.0, range.high + room)};
  const bool is_positive = range.low >= 0.0;
  range = {range.low - room, range.high + room};
  if (is_positive) range.low = std::max(range.low, 0.0);
  return range;
}

std::vector<Tick> linear_ticks(const Range& range, int wanted) {
  const double spacing = round_spacing(range.width() / wanted);
  const int decimals = decimals_for(spacing, 1);
  std::vector<Tick> ticks;
  const auto last = static_cast<long long>(std::floor(range.high / spacing + 1e-9));
  for (auto k = static_cast<long long>(std::ceil(range.low / spacing - 1e-9)); k <= last; ++k) {
    const double value = static_cast<double>(k) * spacing;
    ticks.push_back({value, fixed_text(value, decimals)});
  }
  return ticks;
}

std::vector<Tick> logarithmic_ticks(const Range& range) {
  const double low = std::log10(range.low);
  const double high = std::log10(range.high);
  const int every = std::max(1, static_cast<int>(std::ceil((high - low) / 6.0)));
  std::vector<Tick> ticks;
  for (int power = static_cast<int>(std::floor(low)); power <= high; ++power) {
    for (const double leading : {1.0, 2.0, 5.0}) {
      const double value = leading * std::pow(10.0, power);
      const bool is_wanted = leading == 1.0 ? power % every == 0 : high - low < 2.0;
      if (is_wanted && value >= range.low && value <= range.high) {
        ticks.push_back({value, brief_text(value)});
      }
    }
  }
  return ticks;
}

std::vector<int> step_ticks(int steps) {
  const int spacing = steps <= 12 ? 1 : static_cast<int>(round_spacing(steps / 8.0));
  std::vector<int> ticks = {1};
  // In steps of two, odd numbers: 1, 3, 5; else 1, 5, 10.
  for (int step = spacing <= 2 ? 1 + spacing : spacing; step <= steps; step += spacing) {
    ticks.push_back(step);
  }
  return ticks;
}

}  // namespace colla
