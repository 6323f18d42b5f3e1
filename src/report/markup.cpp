// SPDX-License-Identifier: Apache-2.0
#include "report/markup.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>

namespace colla {
namespace {

constexpr std::size_t longest_slug = 60;  // before the hash

// FNV-1a
std::uint32_t hash_of(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

// XML allows no control characters but these three.
bool is_allowed(char c) {
  return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

// The JSON library knows how to repair UTF-8.
std::string valid_utf8(const std::string& text) {
  const auto replace = nlohmann::json::error_handler_t::replace;
  return nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, replace))
      .get<std::string>();
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += is_allowed(c) ? c : ' ';
    }
  }
  return result;
}

std::string script_json(std::string json) {
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at)) {
    json.replace(at, 1, "\\u003c");
  }
  return json;
}

std::string slug(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || is_upper;
    if (is_kept) {
      result += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  result.resize(std::min(result.size(), longest_slug));
  while (!result.empty() && result.back() == '-') result.pop_back();
  if (result.empty()) result = "unnamed";
  return result == text ? result : fmt::format("{}--{:08x}", result, hash_of(text));
}

}  // namespace colla
