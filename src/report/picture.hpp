// SPDX-License-Identifier: Apache-2.0
// What all pictures have in common: paper, title, lettering.
#pragma once

#include <string>

namespace colla {

inline constexpr double font_size = 13;
/// The mean width of a character, estimated generously.
inline constexpr double character = 0.58 * font_size;

/// In characters, not bytes.
std::size_t length_of(const std::string& text);
/// At most `longest` characters, the last of a longer text an ellipsis.
std::string shortened(const std::string& text, std::size_t longest);

struct Picture {
  double width = 0.0;
  double height = 0.0;
  std::string title;
  std::string subject;          ///< for those who cannot see it, after the title
  std::string attributes = {};  ///< more of the <svg> element
};

/// The beginning of an <svg> element, with its title at x = `left`.
std::string picture_start(const Picture& picture, double left);

/// The plot's area as a clip path named "<id>-plot".
std::string clip_path(const std::string& id, double left, double top, double right, double bottom);

}  // namespace colla
