// SPDX-License-Identifier: Apache-2.0
#include "report/picture.hpp"

#include "report/markup.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace colla {

// Counts code points: continuation bytes of UTF-8 do not start one.
std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string shortened(const std::string& text, std::size_t longest) {
  if (length_of(text) <= longest) return text;
  std::string result;
  std::size_t length = 0;
  for (const char c : text) {
    if ((c & 0xC0) != 0x80 && ++length == longest) break;
    result += c;
  }
  return result + "…";
}

std::string picture_start(const Picture& picture, double left) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {0:g} {1:g}\" "
      "width=\"{0:g}\" height=\"{1:g}\" role=\"img\" aria-label=\"{2}\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"{3:g}\"{4}>\n"
      "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text class=\"title\" x=\"{5:.1f}\" y=\"22\" font-size=\"15\" font-weight=\"600\" "
      "fill=\"#222222\">{6}</text>\n",
      picture.width, picture.height, escaped(picture.title + ": " + picture.subject), font_size,
      picture.attributes, left, escaped(picture.title));
}

std::string clip_path(const std::string& id, double left, double top, double right, double bottom) {
  return fmt::format(
      "<clipPath id=\"{}-plot\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
      "height=\"{:.1f}\"/></clipPath>\n",
      escaped(id), left, top, right - left, bottom - top);
}

}  // namespace colla
