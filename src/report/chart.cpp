// SPDX-License-Identifier: Apache-2.0
#include "report/chart.hpp"

#include "report/axis.hpp"
#include "report/markup.hpp"
#include "report/numbers.hpp"
#include "report/palette.hpp"
#include "report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace colla {
namespace {

constexpr double top = 40;
constexpr double bottom = 46;
constexpr double label_distance = 16;
constexpr double leader = 22;  // from the end of a curve to its label
constexpr std::size_t longest_label = 24;
constexpr std::size_t most_markers = 13;

struct Label {
  const Series* series = nullptr;
  double value_place = 0.0;  // where the curve ends, within the plot
  double place = 0.0;        // where the text stands
  std::string text;
};

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart), range_(visible_range(chart)) {
    steps_ = steps_of(chart);
    ticks_ = chart.is_logarithmic ? logarithmic_ticks(range_) : linear_ticks(range_, 7);
    std::size_t widest = 3;
    for (const Tick& tick : ticks_) widest = std::max(widest, length_of(tick.text));
    left_ = 34 + character * static_cast<double>(widest);
    make_labels();
    right_ = chart.width - label_column();
    spread_labels();
  }

  std::string draw() {
    begin();
    draw_axes();
    if (labels_.empty()) draw_emptiness();
    for (const Series& series : chart_.series) draw_band(series);
    for (const Series& series : chart_.series) draw_series(series);
    return svg_ + "</svg>\n";
  }

 private:
  double plot_bottom() const { return chart_.height - bottom; }
  double x(std::size_t point) const {
    const double share =
        steps_ == 1 ? 0.5 : static_cast<double>(point) / static_cast<double>(steps_ - 1);
    return left_ + inset() + (right_ - left_ - 2.0 * inset()) * share;
  }
  static double inset() { return 8; }
  double y(double value) const {
    const double share = chart_.is_logarithmic
                             ? std::log(value / range_.low) / std::log(range_.high / range_.low)
                             : (value - range_.low) / range_.width();
    // Clamped: how far outside does not matter.
    return plot_bottom() - (plot_bottom() - top) * std::clamp(share, -3.0, 4.0);
  }
  bool is_above(double value) const { return value > range_.high; }
  bool is_below(double value) const { return value < range_.low; }

  const Estimate* last_point(const Series& series) const {
    const Estimate* last = nullptr;
    for (const Estimate& point : series.points) {
      if (is_drawable(chart_, point)) last = &point;
    }
    return last;
  }

  void make_labels() {
    for (const Series& series : chart_.series) {
      const Estimate* last = last_point(series);
      if (last == nullptr) continue;
      const char* arrow = is_above(last->mean) ? " ↑" : is_below(last->mean) ? " ↓" : "";
      const std::string value = chart_.is_logarithmic ? brief_text(last->mean, 2)
                                                      : fixed_text(last->mean, chart_.decimals);
      const double place = std::clamp(y(last->mean), top, plot_bottom());
      labels_.push_back(
          {&series, place, place, shortened(series.label, longest_label) + " " + value + arrow});
    }
  }

  double label_column() const {
    std::size_t longest = 6;
    for (const Label& label : labels_) longest = std::max(longest, length_of(label.text));
    return leader + 6 + character * static_cast<double>(longest);
  }

  // Top to bottom in the order of the values, pushed apart where curves end together.
  void spread_labels() {
    std::stable_sort(labels_.begin(), labels_.end(), [this](const Label& a, const Label& b) {
      return last_point(*a.series)->mean > last_point(*b.series)->mean;
    });
    double previous = -1e9;
    for (Label& label : labels_) {
      previous = label.place = std::max(label.place, previous + label_distance);
    }
    double limit = plot_bottom() + 4;
    for (std::size_t k = labels_.size(); k-- > 0;) {
      labels_[k].place = std::min(labels_[k].place, limit);
      limit = labels_[k].place - label_distance;
    }
  }

  void begin() {
    const std::string data = fmt::format(
        " data-plot=\"{:.1f} {:.1f} {:.1f} {:.1f}\" data-inset=\"{:g}\" data-steps=\"{}\" "
        "data-range=\"{:.8g} {:.8g}\"{}",
        left_, top, right_, plot_bottom(), inset(), steps_, range_.low, range_.high,
        chart_.is_logarithmic ? " data-scale=\"log\"" : "");
    svg_ =
        picture_start({chart_.width, chart_.height, chart_.title, chart_.vertical, data}, left_) +
        clip_path(chart_.id, left_, top, right_, plot_bottom());
  }

  bool has_names() const { return !chart_.step_names.empty(); }
  std::vector<int> named_steps() const {
    if (!has_names()) return step_ticks(steps_);
    std::vector<int> all(std::min(chart_.step_names.size(), static_cast<std::size_t>(steps_)));
    std::iota(all.begin(), all.end(), 1);
    return all;
  }

  void draw_axes() {
    for (const Tick& tick : ticks_) {
      svg_ += fmt::format(
          "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" "
          "stroke=\"#e4e4e4\"/><text class=\"tick\" x=\"{3:.1f}\" y=\"{4:.1f}\" "
          "text-anchor=\"end\" fill=\"#555555\">{5}</text>\n",
          left_, right_, y(tick.value), left_ - 7, y(tick.value) + 4.5, tick.text);
    }
    svg_ += fmt::format(
        "<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" "
        "stroke=\"#888888\"/>\n",
        left_, right_, plot_bottom());
    for (const int step : named_steps()) {
      const double place = x(static_cast<std::size_t>(step - 1));
      svg_ += fmt::format(
          "<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" "
          "stroke=\"#888888\"/><text class=\"tick\" x=\"{0:.1f}\" y=\"{3:.1f}\" "
          "text-anchor=\"middle\" fill=\"#555555\">{4}</text>\n",
          place, plot_bottom(), plot_bottom() + 4, plot_bottom() + 18,
          has_names() ? escaped(chart_.step_names[static_cast<std::size_t>(step - 1)])
                      : std::to_string(step));
    }
    svg_ += fmt::format(
        "<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "fill=\"#333333\">{}</text>\n<text class=\"name\" transform=\"translate(16 {:.1f}) "
        "rotate(-90)\" text-anchor=\"middle\" fill=\"#333333\">{}</text>\n",
        0.5 * (left_ + right_), chart_.height - 8, escaped(chart_.horizontal),
        0.5 * (top + plot_bottom()), escaped(chart_.vertical));
  }

  void draw_emptiness() {
    svg_ += fmt::format(
        "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "fill=\"#555555\">no values</text>\n",
        0.5 * (left_ + right_), 0.5 * (top + plot_bottom()));
  }

  // Stretches of points without gaps; a line across is stretched over all steps.
  std::vector<std::vector<std::pair<double, Estimate>>> stretches(const Series& series) const {
    std::vector<std::vector<std::pair<double, Estimate>>> result(1);
    for (std::size_t t = 0; t < series.points.size(); ++t) {
      const Estimate& point = series.points[t];
      if (!is_drawable(chart_, point)) {
        if (!result.back().empty()) result.emplace_back();
      } else if (series.is_across) {
        result.back() = {{left_, point}, {right_, point}};
      } else {
        result.back().emplace_back(x(t), point);
      }
    }
    if (result.back().empty()) result.pop_back();
    return result;
  }

  double edge(const Estimate& point, double direction) const {
    const double value = point.mean + direction * point.standard_error;
    return y(chart_.is_logarithmic ? std::max(value, range_.low) : value);
  }

  void draw_band(const Series& series) {
    std::string path;
    for (const auto& stretch : stretches(series)) {
      if (stretch.size() < 2) continue;
      std::string back;
      char command = 'M';
      for (const auto& [place, point] : stretch) {
        if (!(point.standard_error > 0.0)) continue;
        path += fmt::format("{}{:.1f},{:.1f}", command, place, edge(point, 1.0));
        back.insert(0, fmt::format("L{:.1f},{:.1f}", place, edge(point, -1.0)));
        command = 'L';
      }
      if (!back.empty()) path += back + "Z";
    }
    if (path.empty()) return;
    const LineStyle style = line_style(series.style);
    svg_ += fmt::format(
        "<path class=\"band {}\" data-key=\"{}\" clip-path=\"url(#{}-plot)\" d=\"{}\" fill=\"{}\" "
        "fill-opacity=\"{:g}\"/>\n",
        style.name, escaped(series.key), escaped(chart_.id), path, style.colour,
        series.is_across ? 0.09 : 0.16);
  }

  void draw_series(const Series& series) {
    const LineStyle style = line_style(series.style);
    svg_ += fmt::format(
        "<g class=\"series {0}\" data-key=\"{1}\" stroke=\"{2}\" fill=\"{2}\"><title>{3}</title>\n",
        style.name, escaped(series.key), style.colour, escaped(series.label));
    const std::string dashes =
        series.is_across ? fmt::format(" stroke-dasharray=\"{}\"", style.dashes) : "";
    for (const auto& stretch : stretches(series)) {
      std::string points;
      for (const auto& [place, point] : stretch) {
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", place, y(point.mean));
      }
      svg_ += fmt::format(
          "<polyline clip-path=\"url(#{}-plot)\" points=\"{}\" fill=\"none\" stroke-width=\"2\" "
          "stroke-linejoin=\"round\"{}/>\n",
          escaped(chart_.id), points, dashes);
    }
    if (!series.is_across) draw_markers(series, style);
    draw_label(series);
    svg_ += "</g>\n";
  }

  // On every step, or on some if there are many; then at different steps for different curves.
  void draw_markers(const Series& series, const LineStyle& style) {
    const std::size_t every = 1 + (series.points.size() - 1) / most_markers;
    svg_ += "<g class=\"markers\" stroke=\"none\">";
    for (std::size_t t = static_cast<std::size_t>(series.style) % every; t < series.points.size();
         t += every) {
      const Estimate& point = series.points[t];
      if (!is_drawable(chart_, point)) continue;
      if (is_above(point.mean) || is_below(point.mean)) continue;
      svg_ += marker_path(style.marker, x(t), y(point.mean));
    }
    svg_ += "</g>\n";
    draw_worst_outside(series);
  }

  // A curve that leaves the plot and comes back: how far it went.
  void draw_worst_outside(const Series& series) {
    const Estimate* worst = nullptr;
    std::size_t where = 0;
    for (std::size_t t = 0; t < series.points.size(); ++t) {
      const Estimate& point = series.points[t];
      if (!is_drawable(chart_, point) || !(is_above(point.mean) || is_below(point.mean))) continue;
      if (worst != nullptr && std::abs(worst->mean) >= std::abs(point.mean)) continue;
      worst = &point;
      where = t;
    }
    if (worst == nullptr || worst == last_point(series)) return;
    const bool above = is_above(worst->mean);
    svg_ += fmt::format(
        "<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" stroke=\"none\" "
        "fill=\"#222222\">{} {}</text>\n",
        x(where) + 8, above ? top + 11 + label_distance * notes_ : plot_bottom() - 6,
        above ? "↑" : "↓", fixed_text(worst->mean, chart_.decimals));
    ++notes_;
  }

  void draw_label(const Series& series) {
    for (const Label& label : labels_) {
      if (label.series != &series) continue;
      svg_ += fmt::format(
          "<path class=\"leader\" d=\"M{:.1f},{:.1f}L{:.1f},{:.1f}h6\" fill=\"none\" "
          "stroke-width=\"1.2\"/><text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" stroke=\"none\" "
          "fill=\"#222222\">{}</text>\n",
          right_ + (series.is_across ? 0.0 : -inset()), label.value_place, right_ + leader - 9,
          label.place, right_ + leader, label.place + 4.5, escaped(label.text));
    }
  }

  const Chart& chart_;
  Range range_;
  int steps_ = 1;
  std::vector<Tick> ticks_;
  double left_ = 0.0;
  double right_ = 0.0;
  std::vector<Label> labels_;
  int notes_ = 0;
  std::string svg_;
};

}  // namespace

std::string draw(const Chart& chart) { return Drawing(chart).draw(); }

std::string draw_sample(int style, bool is_across) {
  const LineStyle line = line_style(style);
  return fmt::format(
      "<svg class=\"sample\" viewBox=\"0 0 36 14\" width=\"36\" height=\"14\" aria-hidden=\"true\">"
      "<g class=\"series {0}\" stroke=\"{1}\" fill=\"{1}\"><path d=\"M1,7H35\" fill=\"none\" "
      "stroke-width=\"2\"{2}/>{3}</g></svg>",
      line.name, line.colour, is_across ? fmt::format(" stroke-dasharray=\"{}\"", line.dashes) : "",
      is_across
          ? ""
          : "<g class=\"markers\" stroke=\"none\">" + marker_path(line.marker, 18, 7) + "</g>");
}

bool is_drawable(const Chart& chart, const Estimate& point) {
  return std::abs(point.mean) < largest_drawable && (!chart.is_logarithmic || point.mean > 0.0);
}

int steps_of(const Chart& chart) {
  std::size_t steps = 1;
  for (const Series& series : chart.series) {
    if (!series.is_across) steps = std::max(steps, series.points.size());
  }
  return static_cast<int>(steps);
}

}  // namespace colla
