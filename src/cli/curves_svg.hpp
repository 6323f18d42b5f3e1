// SPDX-License-Identifier: Apache-2.0
// Learning curves as a picture: one SVG file that needs nothing else.
#pragma once

#include <string>
#include <vector>

namespace colla::cli {

struct Curve {
  std::string name;
  std::string colour;
  /// One value per step; a single value is drawn as a dashed line across.
  std::vector<double> values;
};

struct CurvesPicture {
  std::string title;
  std::string horizontal;  ///< label of the axis
  std::string vertical;
  std::vector<Curve> curves;
};

std::string draw_svg(const CurvesPicture& picture);

}  // namespace colla::cli
