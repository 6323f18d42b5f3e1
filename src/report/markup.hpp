// SPDX-License-Identifier: Apache-2.0
// Foreign text inside other languages: it never becomes markup, and bytes that are not UTF-8 become
// replacement characters.
#pragma once

#include <string>

namespace colla {

/// The text with U+FFFD for every byte that is not UTF-8.
std::string valid_utf8(const std::string& text);

/// For the content and the quoted attributes of HTML and SVG.
std::string escaped(const std::string& text);

/// JSON for the inside of a <script> element: no "<" is left, so nothing can end it.
std::string script_json(std::string json);

/// Lower-case letters, digits and hyphens, at most 70: for file names and identifiers. Any other
/// text, or one that is too long, ends with its hash, so that different texts have different names.
std::string slug(const std::string& text);

}  // namespace colla
