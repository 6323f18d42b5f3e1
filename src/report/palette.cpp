// SPDX-License-Identifier: Apache-2.0
#include "report/palette.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace colla {
namespace {

constexpr std::size_t number_of_colours = 8;

// web/report.css has the same colours, and others on dark ground.
constexpr std::array<const char*, number_of_colours> on_white = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222", "#808080"};

// Long dashes and wide gaps alternate, so that two coinciding lines both show.
constexpr std::array<const char*, number_of_colours> across = {"12 4",    "8 4", "2 4", "14 3",
                                                               "8 4 2 4", "5 5", "4 7", "3 3"};

// Shapes in a square from -1 to 1.
constexpr std::array<const char*, 6> shapes = {
    "M-1,0A1,1 0 1 1 1,0A1,1 0 1 1 -1,0Z",  // circle; scaled below
    "M-1,-1H1V1H-1Z",
    "M0,-1.4L1.4,0L0,1.4L-1.4,0Z",
    "M0,-1.3L1.3,1H-1.3Z",
    "M0,1.3L1.3,-1H-1.3Z",
    "M-1.2,-0.4H-0.4V-1.2H0.4V-0.4H1.2V0.4H0.4V1.2H-0.4V0.4H-1.2Z"};

}  // namespace

LineStyle line_style(int style) {
  const auto number = static_cast<std::size_t>(style);
  const std::size_t colour = number % number_of_colours;
  return {fmt::format("c{}", colour), on_white[colour],
          across[(number + number / number_of_colours) % number_of_colours],
          static_cast<int>((number + number / number_of_colours) % shapes.size())};
}

int known_style(const std::string& key) {
  static const std::map<std::string, int> styles = {
      {"colla", 0},    {"ella", 1},   {"colla-refresh", 2}, {"offline-colla", 3},
      {"stl", 4},      {"go-mtl", 6}, {"stl-untuned", 7},   {"colla-refreshed", 2},
      {"bayes", 5},    {"line", 0},   {"stl-paper", 12},    {"star", 1},
      {"complete", 2}, {"random", 3}};
  const auto found = styles.find(key);
  return found == styles.end() ? -1 : found->second;
}

std::string marker_path(int marker, double x, double y) {
  return fmt::format(
      "<path class=\"marker\" transform=\"translate({:.1f} {:.1f}) scale(3.2)\" d=\"{}\"/>", x, y,
      shapes[static_cast<std::size_t>(marker)]);
}

}  // namespace colla
