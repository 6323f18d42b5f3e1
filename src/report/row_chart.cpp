// SPDX-License-Identifier: Apache-2.0
#include "report/row_chart.hpp"

#include "report/markup.hpp"
#include "report/palette.hpp"
#include "report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

constexpr double plot_top = 36;
constexpr double below_plot = 46;
constexpr double row_step = 27;
constexpr double band_height = 17;
constexpr double right_margin = 16;
constexpr std::size_t longest_row_label = 25;
constexpr double title_scale = 1.25;  // of its letters, which are bold and larger
// How far later marks may widen the range of all else, on either side.
constexpr double widening = 0.5;

void include(Range& range, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return;
  range.low = std::min(range.low, low);
  range.high = std::max(range.high, high);
}

void include(Range& range, const RowMark& mark) {
  include(range, mark.value, mark.value);
  if (mark.interval.width() > 0.0) include(range, mark.interval.low, mark.interval.high);
}

Range range_of(const RowChart& chart) {
  Range core{0.0, 0.0};
  for (const ChartRow& row : chart.rows) {
    include(core, row.band.low, row.band.high);
    for (const double dot : row.dots) include(core, dot, dot);
    if (!row.marks.empty()) include(core, row.marks.front());
  }
  Range all = core;
  for (const ChartRow& row : chart.rows) {
    for (const RowMark& mark : row.marks) include(all, mark);
  }
  if (!(core.width() > 0.0)) return {-1.0, 1.0};
  const double room = 0.03 * core.width();
  return {std::max(all.low, core.low - widening * core.width()) - room,
          std::min(all.high, core.high + widening * core.width()) + room};
}

std::size_t longest_text(double width, double scale = 1.0) {
  return static_cast<std::size_t>(width / (scale * character));
}

class RowDrawing {
 public:
  explicit RowDrawing(const RowChart& chart) : chart_(chart), range_(range_of(chart)) {
    std::size_t widest = 4;
    for (const ChartRow& row : chart.rows) widest = std::max(widest, length_of(row.label));
    left_ = 14 + character * static_cast<double>(std::min(widest, longest_row_label));
    right_ = chart.width - right_margin;
    end_ = plot_top + row_step * static_cast<double>(chart.rows.size());
  }

  std::string draw() {
    const std::string title = shortened(chart_.title, longest_text(chart_.width - 16, title_scale));
    svg_ = picture_start({chart_.width, end_ + below_plot, title, chart_.horizontal}, 8.0) +
           clip_path(chart_.id, left_, plot_top, right_, end_);
    draw_axis();
    for (std::size_t k = 0; k < chart_.rows.size(); ++k) {
      draw_row(chart_.rows[k], plot_top + row_step * (static_cast<double>(k) + 0.5));
    }
    return svg_ + "</svg>\n";
  }

 private:
  double x(double value) const {
    const double share = (value - range_.low) / range_.width();
    return left_ + (right_ - left_) * std::clamp(share, -1.0, 2.0);
  }

  void draw_axis() {
    for (const Tick& tick : linear_ticks(range_, 6)) {
      svg_ += fmt::format(
          "<line class=\"{0}\" x1=\"{1:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{3:.1f}\" "
          "stroke=\"{4}\"/><text class=\"tick\" x=\"{1:.1f}\" y=\"{5:.1f}\" "
          "text-anchor=\"middle\" fill=\"#555555\">{6}</text>\n",
          tick.value == 0.0 ? "axis" : "grid", x(tick.value), plot_top, end_,
          tick.value == 0.0 ? "#888888" : "#e4e4e4", end_ + 17, tick.text);
    }
    const double centre = 0.5 * (left_ + right_);
    svg_ += fmt::format(
        "<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "fill=\"#333333\">{}</text>\n",
        centre, end_ + 38,
        escaped(shortened(chart_.horizontal, longest_text(2.0 * (chart_.width - centre)))));
  }

  void draw_row(const ChartRow& row, double y) {
    svg_ += fmt::format(
        "<g class=\"row\"><title>{}</title><text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"end\" fill=\"#222222\">{}</text><g clip-path=\"url(#{}-plot)\">\n",
        escaped(row.label + ": " + row.note), left_ - 8, y + 4.5,
        escaped(shortened(row.label, longest_row_label)), escaped(chart_.id));
    draw_band(row, y);
    draw_dots(row.dots, y);
    double place = y - 4.5 * (static_cast<double>(row.marks.size()) - 1.0);
    for (const RowMark& mark : row.marks) {
      draw_mark(mark, place);
      place += 9.0;
    }
    svg_ += "</g></g>\n";
  }

  void draw_band(const ChartRow& row, double y) {
    const LineStyle style = line_style(chart_.style);
    svg_ += fmt::format(
        "<rect class=\"band {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:g}\" "
        "rx=\"3\" "
        "fill=\"{}\" fill-opacity=\"0.2\"/><path class=\"middle\" d=\"M{:.1f},{:.1f}v{:g}\" "
        "stroke=\"#222222\" stroke-width=\"2\"/>\n",
        style.name, x(row.band.low), y - 0.5 * band_height, x(row.band.high) - x(row.band.low),
        band_height, style.colour, x(row.middle), y - 0.5 * band_height - 1.5, band_height + 3);
  }

  // One path for all, a point each; spread over the height of the band, evenly by the golden ratio.
  void draw_dots(const std::vector<double>& dots, double y) {
    if (dots.empty()) return;
    std::string path;
    double height = 0.5;
    for (const double dot : dots) {
      path += fmt::format("M{:.1f},{:.1f}h0", x(dot), y + (height - 0.5) * (band_height - 4));
      height = std::fmod(height + 0.618034, 1.0);
    }
    const LineStyle style = line_style(chart_.style);
    svg_ += fmt::format(
        "<path class=\"series {}\" d=\"{}\" stroke=\"{}\" stroke-width=\"{:g}\" "
        "stroke-linecap=\"round\" stroke-opacity=\"{:g}\"/>\n",
        style.name, path, style.colour, dots.size() > 60 ? 3.5 : 5.0,
        dots.size() > 60 ? 0.5 : 0.75);
  }

  void draw_mark(const RowMark& mark, double y) {
    if (!std::isfinite(mark.value)) return;
    const LineStyle style = line_style(mark.style);
    svg_ += fmt::format("<g class=\"series {0}\" stroke=\"{1}\" fill=\"{1}\">", style.name,
                        style.colour);
    if (mark.interval.width() > 0.0) {
      svg_ += fmt::format("<path d=\"M{:.1f},{:.1f}H{:.1f}\" stroke-width=\"2\"/>",
                          x(mark.interval.low), y, x(mark.interval.high));
    }
    if (mark.value >= range_.low && mark.value <= range_.high) {
      svg_ += "<g stroke=\"none\">" + marker_path(style.marker, x(mark.value), y) + "</g>";
    } else {
      const bool is_left = mark.value < range_.low;
      svg_ += fmt::format("<path d=\"M{:.1f},{:.1f}l{:g},-4v8Z\" stroke=\"none\"/>",
                          is_left ? left_ + 1 : right_ - 1, y, is_left ? 8.0 : -8.0);
    }
    svg_ += "</g>\n";
  }

  const RowChart& chart_;
  Range range_;
  double left_ = 0.0;
  double right_ = 0.0;
  double end_ = 0.0;
  std::string svg_;
};

}  // namespace

std::string draw(const RowChart& chart) { return RowDrawing(chart).draw(); }

}  // namespace colla
