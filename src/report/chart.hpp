// SPDX-License-Identifier: Apache-2.0
// Curves over time steps as SVG: for the report, for papers, for the demo.
#pragma once

#include "report/report.hpp"

#include <string>
#include <vector>

namespace colla {

struct Series {
  std::string key;  ///< to find it in the picture
  std::string label;
  int style = 0;                 ///< line_style in palette.hpp
  bool is_across = false;        ///< points has one value, drawn as a line across
  std::vector<Estimate> points;  ///< one per step; NaN leaves a gap
};

struct Chart {
  std::string id;  ///< unique within a page; letters, digits, hyphens
  std::string title;
  std::string horizontal;  ///< label of the axis
  std::string vertical;
  std::vector<std::string> step_names = {};  ///< one per step, in place of numbers
  std::vector<Series> series;
  bool is_logarithmic = false;  ///< values must then be positive; others leave gaps
  bool higher_is_better = false;
  bool shows_all = false;  ///< also what lies far on the worse side (axis.hpp)
  int decimals = 3;        ///< of the values beside the labels
  double width = 560;
  double height = 340;
};

/// One <svg> element. Colours are attributes, so that the picture needs no style sheet; classes let
/// a page restyle it. The plot's place and range are data attributes, for scripts.
std::string draw(const Chart& chart);

/// The sample of a line for a legend: one small <svg> element.
std::string draw_sample(int style, bool is_across);

/// Larger values count as infinite, so that sums and differences of the rest stay finite.
inline constexpr double largest_drawable = 1e100;

/// Whether a value of the series is to be drawn.
bool is_drawable(const Chart& chart, const Estimate& point);

/// The number of steps on the horizontal axis, at least 1.
int steps_of(const Chart& chart);

}  // namespace colla
