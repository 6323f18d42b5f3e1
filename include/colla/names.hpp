// SPDX-License-Identifier: Apache-2.0
// The names of enumerations. Each enumeration lists them once, beside its declaration, in the order
// to show to people:
//
//     template <>
//     struct Names<Codes> {
//       static constexpr Named<Codes> all[] = {{Codes::fresh, "fresh"}, {Codes::stored, "stored"}};
//     };
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace colla {

template <typename Enum>
struct Named {
  Enum value;
  std::string_view name;
};

template <typename Enum>
struct Names;

template <typename Enum>
requires std::is_enum_v<Enum> std::string name_of(Enum value) {
  for (const auto& entry : Names<Enum>::all) {
    if (entry.value == value) return std::string(entry.name);
  }
  return {};
}

/// Empty if no value has this name.
template <typename Enum>
std::optional<Enum> from_name(std::string_view name) {
  for (const auto& entry : Names<Enum>::all) {
    if (entry.name == name) return entry.value;
  }
  return {};
}

template <typename Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& entry : Names<Enum>::all) names.emplace_back(entry.name);
  return names;
}

/// "a|b"
template <typename Enum>
std::string choices() {
  std::string text;
  for (const auto& entry : Names<Enum>::all) {
    text += (text.empty() ? "" : "|") + std::string(entry.name);
  }
  return text;
}

}  // namespace colla
