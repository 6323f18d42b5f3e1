// SPDX-License-Identifier: Apache-2.0
// What all pages have in common.
#pragma once

#include <string>

namespace colla {

enum class Scripts { none, own };

/// Up to the title, inside an open <header>. The page may fetch nothing; without scripts of its own
/// it may run none.
std::string page_start(const std::string& title, Scripts scripts);

/// A table that scrolls sideways on narrow screens.
std::string in_scroller(const std::string& table);
std::string number_cell(const std::string& text, const char* extra = "");

}  // namespace colla
