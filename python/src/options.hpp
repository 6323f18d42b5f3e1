// SPDX-License-Identifier: Apache-2.0
// Settings as Python sees them.
#pragma once

#include <colla/network_options.hpp>

#include <map>
#include <string>

namespace colla::python {

/// The name of a setting's parameter in Python.
std::string name_in_python(const std::string& key);

/// Values by key, for pickles.
using PackedSettings = std::map<std::string, SettingValue>;

template <typename Options>
PackedSettings packed_settings(const Options& options, const Settings<Options>& settings) {
  PackedSettings values;
  for (const Setting<Options>& setting : settings) values[setting.key] = setting.get(options);
  return values;
}

template <typename Options>
Options unpacked_settings(const PackedSettings& values, const Settings<Options>& settings) {
  Options options;
  for (const Setting<Options>& setting : settings) setting.set(options, values.at(setting.key));
  return options;
}

}  // namespace colla::python
