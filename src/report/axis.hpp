// SPDX-License-Identifier: Apache-2.0
// What an axis shows and where its ticks are.
#pragma once

#include "report/chart.hpp"

#include <string>
#include <vector>

namespace colla {

struct Range {
  double low = 0.0;
  double high = 1.0;
  double width() const { return high - low; }
};

struct Tick {
  double value = 0.0;
  std::string text;
};

/// The values worth showing, with a little room. Methods far on the worse side of all others, and
/// single points far on that side, are left out so that they do not flatten the rest,
/// unless the chart shows all or is logarithmic. Any range if there is nothing to draw.
Range visible_range(const Chart& chart);

/// About `wanted` ticks at 1, 2 or 5 times a power of ten.
std::vector<Tick> linear_ticks(const Range& range, int wanted);

/// At powers of ten, and between them where there are few.
std::vector<Tick> logarithmic_ticks(const Range& range);

/// 1 and some rounder numbers up to `steps`.
std::vector<int> step_ticks(int steps);

}  // namespace colla
