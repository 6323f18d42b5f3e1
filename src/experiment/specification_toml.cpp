// SPDX-License-Identifier: Apache-2.0
// Specifications as TOML files. Every complaint names the file, the line and the key.
#include "data/text.hpp"
#include "experiment/specification.hpp"

#include <colla/error.hpp>
#include <colla/graph.hpp>

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

// A table of the file whose keys are taken one by one; what is left in the end is unknown.
class Section {
 public:
  Section(const toml::table& table, const std::string& file, std::string name)
      : table_(table), file_(file), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  const std::string& file() const { return file_; }

  [[noreturn]] void refuse(const toml::node* node, const std::string& key, const std::string& what,
                           const std::string& remedy) const {
    const toml::node& place = node != nullptr ? *node : table_;
    throw DataError(what, place_of(place) + ", " + path_of(key), remedy);
  }

  const toml::node* take(const std::string& key) {
    if (std::find(taken_.begin(), taken_.end(), key) == taken_.end()) taken_.push_back(key);
    return table_.get(key);
  }

  void text(const std::string& key, std::string& value) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const auto found = node->value_exact<std::string>();
    if (!found || found->empty()) refuse(node, key, "is not a text", "write it in quotes");
    value = *found;
  }

  void flag(const std::string& key, bool& value) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const auto found = node->value_exact<bool>();
    if (!found) refuse(node, key, "is neither true nor false", "give one of them");
    value = *found;
  }

  void whole_number(const std::string& key, Index& value, Index least, Index most) {
    const toml::node* node = take(key);
    if (node != nullptr) value = whole_number_of(*node, key, least, most);
  }

  void number(const std::string& key, double& value, double above, double below) {
    const toml::node* node = take(key);
    if (node != nullptr) value = number_of(*node, key, above, below);
  }

  void whole_numbers(const std::string& key, std::vector<Index>& values, Index least, Index most) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr || array->empty()) refuse(node, key, "is not a list", "give [1, 2, 4]");
    values.clear();
    for (const toml::node& entry : *array) {
      values.push_back(whole_number_of(entry, key, least, most));
    }
  }

  // [low, high]
  void range(const std::string& key, SearchRange& value) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr || array->size() != 2) {
      refuse(node, key, "is not a range", "give [low, high]");
    }
    value.low = number_of(*array->get(0), key, 0.0, infinity);
    value.high = number_of(*array->get(1), key, 0.0, infinity);
    if (value.low > value.high) refuse(node, key, "ends below its start", "give [low, high]");
  }

  // The sections of an array of tables.
  std::vector<Section> sections(const std::string& key) {
    std::vector<Section> result;
    const toml::node* node = take(key);
    if (node == nullptr) return result;
    const toml::array* array = node->as_array();
    if (array == nullptr) refuse(node, key, "is not a list of tables", "write [[" + key + "]]");
    for (const toml::node& entry : *array) {
      if (entry.as_table() == nullptr) {
        refuse(&entry, key, "is not a table", "write [[" + key + "]]");
      }
      result.emplace_back(*entry.as_table(), file_, path_of(key));
    }
    return result;
  }

  // To be called when all known keys are taken.
  void finish() const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::find(taken_.begin(), taken_.end(), name) != taken_.end()) continue;
      throw DataError("no such key", place_of(key.source()) + ", " + path_of(name),
                      "use one of " + listed_all(taken_));
    }
  }

  std::string path_of(const std::string& key) const {
    return quoted(name_.empty() ? key : name_.substr(1, name_.size() - 2) + "." + key);
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  static std::string listed_all(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  std::string place_of(const toml::source_region& region) const {
    return file_ + ", line " + std::to_string(region.begin.line);
  }
  std::string place_of(const toml::node& node) const { return place_of(node.source()); }

  Index whole_number_of(const toml::node& node, const std::string& key, Index least,
                        Index most) const {
    const auto found = node.value_exact<std::int64_t>();
    if (!found || *found < least || *found > most) {
      refuse(&node, key, "is not a whole number in its range",
             "give one from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return *found;
  }

  double number_of(const toml::node& node, const std::string& key, double above,
                   double below) const {
    const auto found = node.value<double>();
    if (!node.is_number() || !found || !std::isfinite(*found) || *found <= above ||
        *found >= below) {
      refuse(&node, key, "is not a number in its range",
             below < infinity ? "give one above 0 and below 1" : "give one above 0");
    }
    return *found;
  }

  const toml::table& table_;
  const std::string& file_;
  std::string name_;  // quoted path, or empty
  std::vector<std::string> taken_;
};

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr Index many = 1'000'000;

void read_search(Section section, SearchSpec& search) {
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
  section.number("validation_fraction", search.validation_fraction, 0.0, 1.0);
  section.number("near_share", search.near_share, 0.0, 1.0);
  section.range("gamma", search.gamma);
  section.range("lambda", search.lambda);
  section.range("mu", search.mu);
  section.range("rho", search.rho);
  section.whole_number("most_atoms", search.most_atoms, 1, many);
  section.finish();
}

// What stands in `parent`'s table "search" on top of what holds already.
SearchSpec overlaid(Section& parent, SearchSpec search) {
  const toml::node* node = parent.take("search");
  if (node == nullptr) return search;
  if (node->as_table() == nullptr) {
    parent.refuse(node, "search", "is not a table", "write search = { candidates = 36 }");
  }
  read_search(Section(*node->as_table(), parent.file(), parent.path_of("search")), search);
  return search;
}

template <typename Value, typename Read>
void optional_value(Section& section, const std::string& key, std::optional<Value>& value,
                    const Read& read) {
  Value found{};
  const bool is_there = section.take(key) != nullptr;
  read(key, found);
  if (is_there) value = found;
}

void read_fixed(Section& section, FixedSettings& fixed) {
  const auto number = [&section](const std::string& key, double& value) {
    section.number(key, value, 0.0, unbounded);
  };
  optional_value(section, "gamma", fixed.gamma, number);
  optional_value(section, "lambda", fixed.lambda, number);
  optional_value(section, "mu", fixed.mu, number);
  optional_value(section, "rho", fixed.rho, number);
  optional_value(section, "atoms", fixed.atoms, [&section](const std::string& key, Index& value) {
    section.whole_number(key, value, 1, many);
  });
}

MethodSpec read_method(Section section, const SearchSpec& search) {
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
  section.whole_number("refresh", method.refresh, 0, 1000);
  section.text("settings_from", method.settings_from);
  section.flag("search_rho", method.searches_rho);
  read_fixed(section, method.fixed);
  method.search = overlaid(section, search);
  method.is_ours = method.refresh > 0;
  section.finish();
  return method;
}

void read_methods(Section& section, const SearchSpec& search, std::vector<MethodSpec>& methods) {
  const toml::node* node = section.take("methods");
  const toml::array* array = node != nullptr ? node->as_array() : nullptr;
  if (array == nullptr || array->empty()) {
    section.refuse(node, "methods", node == nullptr ? "is missing" : "is not a list",
                   "give a list such as [\"ella\", \"colla\"]");
  }
  for (const toml::node& entry : *array) {
    if (const toml::table* table = entry.as_table()) {
      methods.push_back(
          read_method(Section(*table, section.file(), section.path_of("methods")), search));
      continue;
    }
    const auto name = entry.value_exact<std::string>();
    const auto& names = method_names();
    if (!name || std::find(names.begin(), names.end(), *name) == names.end()) {
      section.refuse(&entry, "methods", "no method " + quoted(name.value_or("")),
                     "give one of " + listed(names) + ", or a table");
    }
    methods.push_back(named_method(*name, search, ""));
  }
}

StudySpec read_study(Section section, const SearchSpec& above) {
  StudySpec study;
  section.text("data", study.data);
  if (study.data.empty()) {
    section.refuse(nullptr, "data", "is missing", "name a data set or a file");
  }
  study.key = stem(study.data);
  section.text("key", study.key);
  section.text("title", study.title);
  section.whole_number("agents", study.agents, 1, many);
  section.number("test_fraction", study.test_fraction, 0.0, 1.0);
  std::string exchanges = "20";
  section.text("exchanges", exchanges);
  try {
    study.exchanges = parse_exchange_plan(exchanges);
  } catch (const OptionError&) {
    section.refuse(section.take("exchanges"), "exchanges", "is no number of exchanges",
                   "give \"20\", \"10+50/t\" or \"50,20,10\"");
  }
  section.flag("compares_graphs", study.compares_graphs);
  const SearchSpec search = overlaid(section, above);
  read_methods(section, search, study.methods);
  section.finish();
  return study;
}

void read_figures(Section& root, const SearchSpec& search, std::vector<FigureSpec>& figures) {
  for (Section& section : root.sections("figure")) {
    FigureSpec figure;
    figure.key = "figure-" + std::to_string(figures.size() + 1);
    section.text("key", figure.key);
    section.text("title", figure.title);
    section.text("caption", figure.caption);
    for (Section& study : section.sections("study")) {
      figure.studies.push_back(read_study(study, search));
    }
    section.finish();
    figures.push_back(std::move(figure));
  }
}

ExperimentSpec read_root(const toml::table& table, const std::string& file) {
  Section root(table, file, "");
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
  check_text(text, name);
  ExperimentSpec spec;
  try {
    spec = read_root(toml::parse(text), name);
  } catch (const toml::parse_error& error) {
    throw DataError("is not TOML: " + std::string(error.description()),
                    name + ", line " + std::to_string(error.source().begin.line), "");
  }
  try {
    check(spec);
  } catch (const OptionError& error) {
    throw DataError(error.what(), name, "");
  }
  return spec;
}

ExperimentSpec read_specification(const std::string& path) {
  return parse_specification(read_text_file(path), path);
}

}  // namespace colla
