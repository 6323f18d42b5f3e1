// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace colla {

/// A path inside a URI: '%', '?' and '#' are escaped.
inline std::string uri_path(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += c == '%' ? "%25" : c == '?' ? "%3f" : "%23";
    } else {
      uri += c;
    }
  }
  return uri;
}

}  // namespace colla
