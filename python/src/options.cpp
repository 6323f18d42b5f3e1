// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "bindings.hpp"
#include "recipe/recipe.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace colla::python {
namespace {

namespace nb = nanobind;

template <typename Enum>
void bind_words(nb::module_& module, const char* name) {
  nb::enum_<Enum> words(module, name);
  for (const auto& entry : Names<Enum>::all) words.value(entry.name.data(), entry.value);
}

// Keys, with the names of their parameters.
std::vector<std::pair<std::string, std::string>> setting_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Setting<NetworkOptions>& setting : network_settings()) {
    names.emplace_back(setting.key, name_in_python(setting.key));
  }
  return names;
}

// A number may stand for its text: exchanges=20.
void set(NetworkOptions& options, const std::string& key, const SettingValue& value) {
  const Setting<NetworkOptions>& setting = setting_named(network_settings(), key);
  const bool is_text = std::holds_alternative<Notation>(setting.domain);
  setting.set(options, is_text ? SettingValue(to_text(value)) : value);
}

SettingValue get(const NetworkOptions& options, const std::string& key) {
  return setting_named(network_settings(), key).get(options);
}

}  // namespace

// `lambda` is a Python keyword, and counts begin with n_.
std::string name_in_python(const std::string& key) {
  static const std::map<std::string, std::string> others = {
      {"lambda", "lam"}, {"atoms", "n_atoms"}, {"agents", "n_agents"}, {"features", "n_features"}};
  const auto found = others.find(key);
  return found == others.end() ? key : found->second;
}

void bind_options(nb::module_& module) {
  bind_words<Problem>(module, "Problem");
  bind_words<Revisit>(module, "Revisit");
  bind_words<Expansion>(module, "Expansion");
  module.def(
      "has_labels",
      [](const std::string& problem) {
        const auto known = from_name<Problem>(problem);
        return known && has_labels(*known);
      },
      nb::arg("problem"));
  module.def("setting_names", &setting_names, "Keys of settings, with their names in Python.");
  nb::class_<NetworkOptions>(module, "Options", "What agents are made with.")
      .def(nb::init<>())
      .def("set", &set, nb::arg("key"), nb::arg("value"))
      .def("get", &get, nb::arg("key"))
      .def_prop_ro("has_prior",
                   [](const NetworkOptions& options) { return options.agent.prior.has_value(); });
}

}  // namespace colla::python
