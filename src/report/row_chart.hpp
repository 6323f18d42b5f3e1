// SPDX-License-Identifier: Apache-2.0
// Values side by side, a row per name, as SVG: effects of features with their intervals.
#pragma once

#include "report/axis.hpp"

#include <string>
#include <vector>

namespace colla {

struct RowMark {
  int style = 0;  ///< line_style in palette.hpp
  double value = 0.0;
  Range interval = {};  ///< of width 0: none
};

struct ChartRow {
  std::string label;
  std::string note;     ///< shown where the pointer rests
  double middle = 0.0;  ///< a line across the band
  Range band = {};      ///< what is usual
  std::vector<double> dots = {};
  std::vector<RowMark> marks = {};
};

struct RowChart {
  std::string id;  ///< unique within a page; letters, digits, hyphens
  std::string title;
  std::string horizontal;  ///< label of the axis
  std::vector<ChartRow> rows;
  int style = 0;  ///< of bands and dots
  double width = 560;
};

/// One <svg> element, like `draw` of curves. Zero is always in the picture. Marks after a row's
/// first may reach beyond the range of all else; what lies far outside is at the edge, with an
/// arrow.
std::string draw(const RowChart& chart);

}  // namespace colla
