// SPDX-License-Identifier: Apache-2.0
// Specifications as TOML files. Every error names the file, the line and the key.
#include "experiment/specification.hpp"
#include "files/text.hpp"
#include "files/toml_section.hpp"

#include <colla/error.hpp>
#include <colla/graph.hpp>

#include <algorithm>
#include <limits>

namespace colla {
namespace {

constexpr Index many = 1'000'000;

// [low, high], or the largest of whole numbers.
void read_range(TomlSection& section, const SearchedSetting& searched,
                std::optional<SearchRange>& range) {
  const std::string key = searched.is_whole() ? "most_" + searched.key() : searched.key();
  if (section.take(key) == nullptr) return;
  range.emplace();
  if (!searched.is_whole()) {
    section.range(key, range->low, range->high);
    return;
  }
  Index most = 1;
  section.whole_number(key, most, 1, many);
  *range = {1.0, static_cast<double>(most)};
}

void read_search(TomlSection section, SearchSpec& search) {
  const toml::node* candidates = section.take("candidates");
  if (candidates != nullptr && candidates->is_string()) {
    if (candidates->value_exact<std::string>() != "grid") {
      section.refuse(candidates, "candidates", "is neither a number nor \"grid\"",
                     "give one of them");
    }
    search.source = Candidates::grid;
  } else if (candidates != nullptr) {
    search.source = Candidates::random;
    section.whole_number("candidates", search.candidates, 1, many);
  }
  section.whole_numbers("splits", search.splits, 1, 1000);
  section.whole_number("keep_one_in", search.keep_one_in, 1, many);
  section.number("validation_fraction", search.validation_fraction, TomlRange::share);
  section.number("near_share", search.near_share, TomlRange::share);
  for (const SearchedSetting& searched : searched_settings()) {
    read_range(section, searched, search.ranges[searched.key()]);
  }
  section.finish();
}

// Reads `parent`'s table "search" on top of the inherited values.
SearchSpec overlaid(TomlSection& parent, SearchSpec search) {
  const toml::node* node = parent.take("search");
  if (node == nullptr) return search;
  if (node->as_table() == nullptr) {
    parent.refuse(node, "search", "is not a table", "write search = { candidates = 36 }");
  }
  read_search(TomlSection(*node->as_table(), parent.file(), parent.path_of("search")), search);
  return search;
}

double read_whole(TomlSection& section, const std::string& key) {
  Index value = 0;
  section.whole_number(key, value, 1, many);
  return static_cast<double>(value);
}

double read_positive(TomlSection& section, const std::string& key) {
  double value = 0.0;
  section.number(key, value, TomlRange::positive);
  return value;
}

void read_fixed(TomlSection& section, FixedParameters& fixed) {
  for (const SearchedSetting& searched : searched_settings()) {
    const std::string& key = searched.key();
    if (section.take(key) == nullptr) continue;
    fixed[key] = searched.is_whole() ? read_whole(section, key) : read_positive(section, key);
  }
}

// A setting of the table that a specification stores separately.
template <typename Value>
void read_setting(TomlSection& section, const char* key, Value NetworkOptions::*member,
                  Value& value) {
  NetworkOptions options;
  options.*member = value;
  section.setting(key, [&](const SettingValue& given) {
    setting_named(network_settings(), key).set(options, given);
  });
  value = options.*member;
}

MethodSpec read_method(TomlSection section, const SearchSpec& search) {
  std::string name = "colla";
  section.text("method", name);
  MethodSpec method;
  try {
    method = named_method(name, search, "");
  } catch (const OptionError& error) {
    section.refuse(section.take("method"), "method", error.what(), "");
  }
  section.text("key", method.key);
  section.text("label", method.label);
  section.text("graph", method.graph);
  read_setting(section, "refresh", &NetworkOptions::refresh, method.refresh);
  section.text("settings_from", method.settings_from);
  section.flag("search_rho", method.searches_rho);
  read_fixed(section, method.fixed);
  method.search = overlaid(section, search);
  section.finish();
  return method;
}

void read_methods(TomlSection& section, const SearchSpec& search,
                  std::vector<MethodSpec>& methods) {
  constexpr char remedy[] = "give a list such as [\"ella\", \"colla\"]";
  section.require("methods", remedy);
  for (const toml::node& entry : section.list_of(*section.take("methods"), "methods", remedy)) {
    if (const toml::table* table = entry.as_table()) {
      methods.push_back(
          read_method(TomlSection(*table, section.file(), section.path_of("methods")), search));
      continue;
    }
    const auto name = entry.value_exact<std::string>();
    const auto& names = method_names();
    if (!name || std::find(names.begin(), names.end(), *name) == names.end()) {
      section.refuse(
          &entry, "methods",
          name ? "no method " + in_quotes(*name) : "an entry is neither a name nor a table",
          "give one of " + listed(names) + ", or a table");
    }
    methods.push_back(named_method(*name, search, ""));
  }
}

StudySpec read_study(TomlSection section, const SearchSpec& above) {
  StudySpec study;
  section.text("data", study.data);
  if (study.data.empty()) {
    section.refuse(nullptr, "data", "is missing", "name a data set or a file");
  }
  study.key = stem(study.data);
  section.text("key", study.key);
  section.text("title", study.title);
  section.whole_number("agents", study.agents, 1, many);
  section.number("test_fraction", study.test_fraction, TomlRange::share);
  read_setting(section, "exchanges", &NetworkOptions::exchanges, study.exchanges);
  section.flag("compares_graphs", study.compares_graphs);
  const SearchSpec search = overlaid(section, above);
  read_methods(section, search, study.methods);
  section.finish();
  return study;
}

void read_figures(TomlSection& root, const SearchSpec& search, std::vector<FigureSpec>& figures) {
  for (TomlSection& section : root.sections("figure")) {
    FigureSpec figure;
    figure.key = "figure-" + std::to_string(figures.size() + 1);
    section.text("key", figure.key);
    section.text("title", figure.title);
    section.text("caption", figure.caption);
    for (TomlSection& study : section.sections("study")) {
      figure.studies.push_back(read_study(study, search));
    }
    section.finish();
    figures.push_back(std::move(figure));
  }
}

ExperimentSpec read_root(const toml::table& table, const std::string& file) {
  TomlSection root(table, file, "");
  ExperimentSpec spec;
  spec.name = stem(file);
  root.text("name", spec.name);
  Index seed = static_cast<Index>(spec.seed);
  root.whole_number("seed", seed, 0, std::numeric_limits<Index>::max());
  spec.seed = static_cast<std::uint64_t>(seed);
  root.whole_number("trials", spec.trials, 1, many);
  root.flag("jumpstart_table", spec.jumpstart_table);
  const SearchSpec search = overlaid(root, {});
  read_figures(root, search, spec.figures);
  root.finish();
  return spec;
}

}  // namespace

ExperimentSpec parse_specification(std::string_view text, const std::string& name) {
  const toml::table table = parse_toml(text, name);
  ExperimentSpec spec = read_root(table, name);
  try {
    check(spec);
  } catch (const OptionError& error) {
    throw DataError(error.what(), name, "");
  }
  return spec;
}

ExperimentSpec read_specification(const std::string& path) {
  ExperimentSpec spec = parse_specification(read_text_file(path), path);
  spec.folder = path.substr(0, path.rfind('/') + 1);  // nothing if there is no slash
  return spec;
}

}  // namespace colla
