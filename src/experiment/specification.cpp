// SPDX-License-Identifier: Apache-2.0
#include "experiment/specification.hpp"

#include "files/text.hpp"

#include <colla/error.hpp>
#include <colla/graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace colla {
namespace {

// One "name=value;" per fact, so that no two specifications have the same text.
class Facts {
 public:
  void add(const std::string& name, const std::string& value) {
    text_ += name + "=" + std::to_string(value.size()) + ":" + value + ";";
  }
  void add(const std::string& name, double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    add(name, std::string(digits));
  }
  void add(const std::string& name, Index value) { add(name, std::to_string(value)); }
  void add(const std::string& name, const SearchRange& range) {
    add(name + ".low", range.low);
    add(name + ".high", range.high);
  }
  template <typename Value>
  void add(const std::string& name, const std::optional<Value>& value) {
    if (value) add(name, *value);
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_search(Facts& facts, const SearchSpec& search) {
  facts.add("source", static_cast<Index>(search.source));
  facts.add("candidates", search.candidates);
  facts.add("near_share", search.near_share);
  for (const Index count : search.splits) facts.add("splits", count);
  facts.add("keep_one_in", search.keep_one_in);
  facts.add("validation_fraction", search.validation_fraction);
  for (std::size_t k = 0; k < search.ranges.size(); ++k) {
    facts.add("range." + searched_settings()[k].key(), search.ranges[k]);
  }
}

const MethodSpec* find_method(const StudySpec& study, const std::string& key) {
  const auto found = std::find_if(study.methods.begin(), study.methods.end(),
                                  [&key](const MethodSpec& method) { return method.key == key; });
  return found == study.methods.end() ? nullptr : &*found;
}

void require(bool fine, const std::string& what, const std::string& where,
             const std::string& remedy) {
  if (!fine) throw OptionError(what, where, remedy);
}

void check_range(const SearchRange& range, const std::string& where) {
  require(std::isfinite(range.low) && std::isfinite(range.high) && range.low > 0.0 &&
              range.low <= range.high,
          "is not a range of positive numbers", where, "give [low, high] with 0 < low <= high");
}

void check(const SearchSpec& search, const std::string& where) {
  require(search.candidates >= 1, "there are no candidates", where, "give at least 1");
  require(!search.splits.empty() && std::all_of(search.splits.begin(), search.splits.end(),
                                                [](Index count) { return count >= 1; }),
          "a round of the search has no validation split", where, "give splits = [1, 2, 4]");
  require(search.keep_one_in >= 1, "keep_one_in is too small", where, "give at least 1");
  require(search.validation_fraction > 0.0 && search.validation_fraction < 1.0,
          "validation_fraction is not above 0 and below 1", where, "give 0.3");
  require(search.near_share >= 0.0 && search.near_share < 1.0,
          "near_share is not 0 or above and below 1", where, "give 0.5");
  for (const SearchedSetting& searched : searched_settings()) {
    const auto& range = search.ranges[searched.key()];
    if (range) check_range(*range, where + ", " + searched.key());
  }
}

// A method has selected only what it uses.
void check_source(const StudySpec& study, const MethodSpec& method, const MethodSpec& source,
                  const std::string& where) {
  const MethodSpec* first = &source;
  while (!first->settings_from.empty()) first = find_method(study, first->settings_from);
  require(method.algorithm == Algorithm::stl || first->algorithm != Algorithm::stl,
          "settings_from names a method without a dictionary", where,
          "name one that has lambda, mu and atoms");
  require(!has_rho(method.algorithm) || has_rho(first->algorithm) || method.searches_rho ||
              method.fixed["rho"],
          "settings_from names a method without rho", where, "give rho, or search_rho = true");
}

void check_method(const StudySpec& study, std::size_t position) {
  const MethodSpec& method = study.methods[position];
  const std::string where = "study " + in_quotes(study.key) + ", method " + in_quotes(method.key);
  require(!method.key.empty(), "a method has no key", where, "give it one");
  require(find_method(study, method.key) == &method, "duplicate key", where,
          "give each method of a study its own key");
  const auto& graphs = graph_names();
  if (uses_graph(method.algorithm)) {
    require(method.graph != "none" &&
                std::find(graphs.begin(), graphs.end(), method.graph) != graphs.end(),
            "no graph " + in_quotes(method.graph), where,
            "give one of line, star, ring, complete and random");
  } else {
    require(method.graph.empty(), name_of(method.algorithm) + " does not use a graph", where,
            "leave it out");
  }
  require(method.refresh == 0 || method.algorithm == Algorithm::colla,
          name_of(method.algorithm) + " does not use refresh", where, "leave it out");
  if (!method.settings_from.empty()) {
    const MethodSpec* source = find_method(study, method.settings_from);
    require(source != nullptr && source < &method,
            "settings_from names " + in_quotes(method.settings_from) +
                ", which is not an earlier method",
            where, "name a method of the same study that comes before it");
    check_source(study, method, *source, where);
  }
  require(!method.searches_rho ||
              (!method.settings_from.empty() && has_rho(method.algorithm) && !method.fixed["rho"]),
          "search_rho has nothing to search", where,
          "give it to a method with a graph and settings_from, without rho");
  check(method.search, where);
}

}  // namespace

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = {"stl",           "stl-paper", "stl-untuned",
                                                 "ella",          "colla",     "colla-refresh",
                                                 "offline-colla", "go-mtl",    "bayes"};
  return names;
}

MethodSpec named_method(const std::string& name, const SearchSpec& search,
                        const std::string& where) {
  MethodSpec method;
  method.key = name;
  method.search = search;
  if (name == "stl") {
    method.label = "STL, free intercept";
    method.algorithm = Algorithm::stl;
  } else if (name == "stl-paper") {
    method.label = "STL, penalised intercept";
    method.algorithm = Algorithm::stl;
    method.penalises_intercept = true;
  } else if (name == "stl-untuned") {
    method.label = "STL, untuned";
    method.algorithm = Algorithm::stl;
    method.penalises_intercept = true;
    method.fixed["gamma"] = untuned_gamma;
  } else if (name == "ella") {
    method.label = "ELLA";
    method.algorithm = Algorithm::ella;
  } else if (name == "colla") {
    method.label = "CoLLA";
    method.graph = "line";
  } else if (name == "colla-refresh") {
    method.label = "CoLLA with code refresh";
    method.graph = "line";
    method.refresh = 1;
  } else if (name == "offline-colla") {
    method.label = "offline CoLLA";
    method.algorithm = Algorithm::offline_colla;
    method.graph = "line";
  } else if (name == "go-mtl") {
    method.label = "GO-MTL";
    method.algorithm = Algorithm::go_mtl;
  } else if (name == "bayes") {
    method.label = "collective prior";
    method.algorithm = Algorithm::bayes;
    method.graph = "line";
  } else {
    throw OptionError("no method " + in_quotes(name), where,
                      "give one of " + listed(method_names()));
  }
  return method;
}

bool is_ours(const MethodSpec& method) {
  const bool frees_intercept = method.algorithm == Algorithm::stl && !method.penalises_intercept;
  return method.algorithm == Algorithm::bayes || method.refresh > 0 || frees_intercept;
}

std::string canonical_text(const StudySpec& study, const MethodSpec& method) {
  Facts facts;
  facts.add("data", study.data);
  facts.add("agents", study.agents);
  facts.add("test_fraction", study.test_fraction);
  facts.add("exchanges", to_string(study.exchanges));
  facts.add("algorithm", name_of(method.algorithm));
  facts.add("graph", method.graph);
  facts.add("refresh", method.refresh);
  facts.add("penalises_intercept", Index{method.penalises_intercept});
  for (std::size_t k = 0; k < method.fixed.size(); ++k) {
    facts.add(searched_settings()[k].key(), method.fixed[k]);
  }
  if (method.settings_from.empty() || method.searches_rho) add_search(facts, method.search);
  if (!method.settings_from.empty()) {
    facts.add("searches_rho", Index{method.searches_rho});
    facts.add("settings_from", canonical_text(study, *find_method(study, method.settings_from)));
  }
  return facts.text();
}

std::string canonical_text(const ExperimentSpec& spec) {
  Facts facts;
  facts.add("seed", std::to_string(spec.seed));
  for (const FigureSpec& figure : spec.figures) {
    for (const StudySpec& study : figure.studies) {
      for (const MethodSpec& method : study.methods) {
        facts.add(study.key + "/" + method.key, canonical_text(study, method));
      }
    }
  }
  return facts.text();
}

void check(const ExperimentSpec& spec) {
  require(spec.trials >= 1, "there are no trials", "trials", "give at least 1");
  std::vector<std::string> keys;
  std::vector<std::string> figures;
  for (const FigureSpec& figure : spec.figures) {
    require(std::find(figures.begin(), figures.end(), figure.key) == figures.end(), "duplicate key",
            "figure " + in_quotes(figure.key), "give each figure its own key");
    figures.push_back(figure.key);
    for (const StudySpec& study : figure.studies) {
      const std::string where = "study " + in_quotes(study.key);
      require(!study.key.empty(), "a study has no key", where, "give it one");
      require(std::find(keys.begin(), keys.end(), study.key) == keys.end(), "duplicate key", where,
              "give each study its own key");
      keys.push_back(study.key);
      require(!study.methods.empty(), "has no methods", where, "give at least one");
      require(study.test_fraction > 0.0 && study.test_fraction < 1.0,
              "test_fraction is not above 0 and below 1", where, "give 0.5");
      for (std::size_t k = 0; k < study.methods.size(); ++k) check_method(study, k);
    }
  }
  require(!keys.empty(), "has no studies", "", "give at least one [[figure.study]]");
}

}  // namespace colla
