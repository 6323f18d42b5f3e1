// SPDX-License-Identifier: Apache-2.0
#include "report/page_parts.hpp"

#include "report/markup.hpp"
#include "report/web_files.hpp"

#include <fmt/format.h>

namespace colla {

std::string page_start(const std::string& title, Scripts scripts) {
  const char* allowed = scripts == Scripts::own ? "script-src 'unsafe-inline'; " : "";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; {0}img-src data: blob:; base-uri 'none'; "
      "form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{1}</title>\n<style>\n{2}</style>\n</head>\n<body>\n<header>\n<h1>{1}</h1>\n",
      allowed, escaped(title), report_css);
}

std::string in_scroller(const std::string& table) {
  return "<div class=\"scroll\"><table>\n" + table + "</table></div>\n";
}

std::string number_cell(const std::string& text, const char* extra) {
  return fmt::format("<td class=\"number{}\">{}</td>", extra, escaped(text));
}

}  // namespace colla
