// SPDX-License-Identifier: Apache-2.0
// How lines are told apart: by colour (Okabe and Ito's, safe for the colour-blind), and also by
// marker or dashes.
#pragma once

#include <string>

namespace colla {

struct LineStyle {
  std::string name;    ///< class of the colour, "c0"
  std::string colour;  ///< on white
  std::string dashes;  ///< of a line across
  int marker = 0;
};

/// Any number from 0 on; the first eight have colours of their own.
LineStyle line_style(int style);

/// The style that a method of this key always has, or -1.
int known_style(const std::string& key);

/// An SVG path of the marker around (x, y).
std::string marker_path(int marker, double x, double y);

}  // namespace colla
