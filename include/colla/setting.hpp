// SPDX-License-Identifier: Apache-2.0
// One setting as all front ends see it: its key, the values it takes, one line of help, and how to
// read and change it. The tables are `agent_settings` (lifelong_agent.hpp) and `network_settings`
// (network_options.hpp): the command line, files, stores and the Python package go through them.
#pragma once

#include <colla/matrix.hpp>
#include <colla/names.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace colla {

/// A value passed to or from a front end. Words and plans are text.
using SettingValue = std::variant<std::uint64_t, double, std::string>;

struct WholeNumbers {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};
/// Finite numbers above 0, or from 0.
enum class RealNumbers { positive, not_negative };
struct Words {
  std::vector<std::string> all;
};
/// Text that the setting itself reads.
struct Notation {
  std::string form;  ///< "K|K1+K2/t"
};

/// The values that a setting takes.
using Domain = std::variant<WholeNumbers, RealNumbers, Words, Notation>;

/// "a whole number from 1 to 9", "a number above 0", "fresh|stored"
std::string description(const Domain& domain);
/// The value that a text stands for in the domain, for front ends that have only text. Text that
/// does not parse stays text.
SettingValue parse_value(const Domain& domain, const std::string& text);
/// The shortest text that gives the same value when read.
std::string to_text(const SettingValue& value);
/// The value in the domain's own form. Throws SettingError for a value outside it.
SettingValue accepted(const std::string& key, const Domain& domain, const SettingValue& value);
/// A whole number, or a double if it is below 0, which no domain of whole numbers accepts.
inline SettingValue whole_value(Index number) {
  if (number < 0) return static_cast<double>(number);
  return static_cast<std::uint64_t>(number);
}

/// Where a setting can be given, and whether a collective prior has it too. The Python package has
/// them all.
enum Place : unsigned {
  on_command_line = 1,
  in_network_file = 2,
  in_model_file = 4,
  in_agent_store = 8,
  with_prior = 16,
};

template <typename Options>
struct Setting {
  std::string key;  ///< in files; `--key` on the command line
  unsigned places = 0;
  Domain domain;
  std::string help;
  std::function<SettingValue(const Options&)> get;
  /// Takes a value of the domain.
  std::function<void(Options&, const SettingValue&)> put;
  std::string former_key = {};  ///< also accepted wherever `key` is

  bool stands(Place place) const { return (places & place) != 0; }
  /// Throws SettingError for a value outside the domain.
  void set(Options& options, const SettingValue& value) const {
    put(options, accepted(key, domain, value));
  }
  void check(const Options& options) const { accepted(key, domain, get(options)); }
};

template <typename Options>
using Settings = std::vector<Setting<Options>>;

template <typename Options, typename Number>
Setting<Options> whole_number_setting(const char* key, unsigned places, Number Options::*member,
                                      WholeNumbers domain, const char* help) {
  return {key,
          places,
          domain,
          help,
          [member](const Options& options) -> SettingValue {
            if constexpr (std::is_signed_v<Number>) {
              return whole_value(options.*member);
            } else {
              return std::uint64_t{options.*member};
            }
          },
          [member](Options& options, const SettingValue& value) {
            options.*member = static_cast<Number>(std::get<std::uint64_t>(value));
          }};
}

template <typename Options>
Setting<Options> number_setting(const char* key, unsigned places, double Options::*member,
                                RealNumbers domain, const char* help) {
  return {key,
          places,
          domain,
          help,
          [member](const Options& options) -> SettingValue { return options.*member; },
          [member](Options& options, const SettingValue& value) {
            options.*member = std::get<double>(value);
          }};
}

template <typename Options, typename Enum>
Setting<Options> word_setting(const char* key, unsigned places, Enum Options::*member,
                              const char* help) {
  return {key,
          places,
          Words{names_of<Enum>()},
          help,
          [member](const Options& options) -> SettingValue { return name_of(options.*member); },
          [member](Options& options, const SettingValue& value) {
            options.*member = *from_name<Enum>(std::get<std::string>(value));
          }};
}

/// The same setting for options that contain `part`.
template <typename Whole, typename Part>
Setting<Whole> lifted(const Setting<Part>& setting, Part Whole::*part) {
  return {setting.key,
          setting.places,
          setting.domain,
          setting.help,
          [get = setting.get, part](const Whole& options) { return get(options.*part); },
          [put = setting.put, part](Whole& options, const SettingValue& value) {
            put(options.*part, value);
          },
          setting.former_key};
}

/// The setting with this key, which must exist.
template <typename Options>
const Setting<Options>& setting_named(const Settings<Options>& settings, std::string_view key) {
  std::size_t k = 0;
  while (settings.at(k).key != key) ++k;
  return settings[k];
}

}  // namespace colla
