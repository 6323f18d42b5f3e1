// SPDX-License-Identifier: Apache-2.0
#include "cli/curves_svg.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace colla::cli {
namespace {

constexpr double width = 860;
constexpr double height = 440;
constexpr double left = 64;
constexpr double right = 190;  // room for the names
constexpr double top = 52;
constexpr double bottom = 52;
constexpr double least_label_distance = 17;

class Drawing {
 public:
  explicit Drawing(const CurvesPicture& picture) : picture_(picture) {
    for (const Curve& curve : picture.curves) {
      steps_ = std::max(steps_, curve.values.size());
      highest_ = std::max(highest_, *std::max_element(curve.values.begin(), curve.values.end()));
    }
    tick_ = tick_distance(highest_ / 5.0);
    highest_ = tick_ * std::ceil(highest_ / tick_);
  }

  std::string draw() {
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        "<text x=\"{2:g}\" y=\"28\" font-size=\"16\" font-weight=\"600\" "
        "fill=\"#222\">{3}</text>\n",
        width, height, left, picture_.title);
    draw_axes();
    for (const Curve& curve : picture_.curves) draw_curve(curve);
    draw_names();
    return svg_ + "</svg>\n";
  }

 private:
  // 1, 2 or 5 times a power of ten.
  static double tick_distance(double wanted) {
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    const double leading = wanted / power;
    return power * (leading <= 1.0 ? 1.0 : leading <= 2.0 ? 2.0 : leading <= 5.0 ? 5.0 : 10.0);
  }

  double x(double step) const {
    const double last = std::max(1.0, static_cast<double>(steps_) - 1.0);
    return left + (width - left - right) * (step - 1.0) / last;
  }
  double y(double value) const {
    return height - bottom - (height - top - bottom) * value / highest_;
  }

  void draw_axes() {
    for (double value = 0.0; value <= highest_ * 1.0001; value += tick_) {
      svg_ += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#e4e4e4\"/>\n"
          "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\" fill=\"#555\">{5:g}</text>\n",
          left, width - right, y(value), left - 8, y(value) + 4, value);
    }
    const std::size_t every = 1 + (steps_ - 1) / 10;
    for (std::size_t step = 1; step <= steps_; step += every) {
      svg_ += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"#555\">{}</text>\n",
          x(static_cast<double>(step)), height - bottom + 20, step);
    }
    svg_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"#333\">{}</text>\n"
        "<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\" "
        "fill=\"#333\">{}</text>\n",
        0.5 * (left + width - right), height - 12, picture_.horizontal,
        0.5 * (top + height - bottom), picture_.vertical);
  }

  // Lines across are dashed, each beginning where the one before has its gap.
  std::string dashes(const Curve& curve) {
    if (curve.values.size() > 1) return "";
    return fmt::format(" stroke-dasharray=\"7 7\" stroke-dashoffset=\"{}\"", 7 * lines_across_++);
  }

  void draw_curve(const Curve& curve) {
    std::string points;
    if (curve.values.size() == 1) {
      points = fmt::format("{:.1f},{:.1f} {:.1f},{:.1f}", x(1.0), y(curve.values[0]),
                           x(static_cast<double>(steps_)), y(curve.values[0]));
    }
    for (std::size_t t = 0; t < curve.values.size() && curve.values.size() > 1; ++t) {
      points += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(t + 1)), y(curve.values[t]));
    }
    svg_ += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.2\" "
        "stroke-linejoin=\"round\"{}><title>{}</title></polyline>\n",
        points, curve.colour, dashes(curve), curve.name);
  }

  // At the right end of each curve, pushed apart where curves end together.
  void draw_names() {
    std::vector<const Curve*> curves;
    for (const Curve& curve : picture_.curves) curves.push_back(&curve);
    std::sort(curves.begin(), curves.end(),
              [](const Curve* a, const Curve* b) { return a->values.back() > b->values.back(); });
    std::vector<double> places;
    double previous = -1e9;
    for (const Curve* curve : curves) {
      previous = std::max(y(curve->values.back()), previous + least_label_distance);
      places.push_back(previous);
    }
    const double lowest = height - bottom;
    for (std::size_t k = places.size(); k-- > 0;) {
      const double limit = k + 1 < places.size() ? places[k + 1] - least_label_distance : lowest;
      places[k] = std::min(places[k], limit);
    }
    for (std::size_t k = 0; k < curves.size(); ++k) {
      svg_ += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" font-weight=\"600\">{} {:.2f}</text>\n",
          width - right + 10, places[k] + 4, curves[k]->colour, curves[k]->name,
          curves[k]->values.back());
    }
  }

  const CurvesPicture& picture_;
  std::size_t steps_ = 1;
  double highest_ = 0.0;
  double tick_ = 1.0;
  int lines_across_ = 0;
  std::string svg_;
};

}  // namespace

std::string draw_svg(const CurvesPicture& picture) { return Drawing(picture).draw(); }

}  // namespace colla::cli
