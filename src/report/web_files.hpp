// SPDX-License-Identifier: Apache-2.0
// The files of web/, embedded at build time.
#pragma once

#include <string_view>

namespace colla {

extern const std::string_view report_css;
extern const std::string_view report_js;

}  // namespace colla
