// SPDX-License-Identifier: Apache-2.0
#include "experiment/specification.hpp"

#include <colla/error.hpp>

#include <gtest/gtest.h>

namespace colla {
namespace {

const char* const whole = R"(name = "both"
seed = 7
trials = 4
jumpstart_table = true

[search]
candidates = 30
splits = [1, 3]
gamma = [1e-5, 1]

[[figure]]
key = "f"
title = "T"

[[figure.study]]
key = "s"
data = "rows.csv"
agents = 5
test_fraction = 0.25
exchanges = "10+40/t"
search = { most_atoms = 6 }
methods = [
  "ella",
  { method = "colla", key = "star", graph = "star", label = "Star", gamma = 0.5, refresh = 2, search = { candidates = "grid" } },
  { method = "offline-colla", settings_from = "star", atoms = 3 },
]
)";

TEST(Specification, a_file_can_give_every_setting) {
  const ExperimentSpec spec = parse_specification(whole, "f.toml");
  EXPECT_EQ(spec.name, "both");
  EXPECT_EQ(spec.seed, 7U);
  EXPECT_EQ(spec.trials, 4);
  EXPECT_TRUE(spec.jumpstart_table);
  const StudySpec& study = spec.figures.at(0).studies.at(0);
  EXPECT_EQ(study.agents, 5);
  EXPECT_EQ(study.test_fraction, 0.25);
  EXPECT_EQ(study.exchanges.at(1), 50);
  ASSERT_EQ(study.methods.size(), 3U);
  EXPECT_EQ(study.methods[0].search.candidates, 30);
  EXPECT_EQ(study.methods[0].search.splits, (std::vector<Index>{1, 3}));
  EXPECT_EQ(study.methods[0].search.ranges["atoms"]->high, 6);
  EXPECT_EQ(study.methods[0].search.ranges["gamma"]->high, 1.0);
  EXPECT_EQ(study.methods[1].key, "star");
  EXPECT_EQ(study.methods[1].graph, "star");
  EXPECT_EQ(study.methods[1].label, "Star");
  EXPECT_EQ(study.methods[1].refresh, 2);
  EXPECT_TRUE(is_ours(study.methods[1]));
  EXPECT_EQ(study.methods[1].fixed["gamma"], 0.5);
  EXPECT_EQ(study.methods[1].search.source, Candidates::grid);
  EXPECT_EQ(study.methods[2].settings_from, "star");
  EXPECT_EQ(study.methods[2].fixed["atoms"], 3);
}

std::string message_of(const std::string& text) {
  try {
    parse_specification(text, "f.toml");
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Mistake {
  const char* from;
  const char* to;
  std::vector<const char*> named;
};

TEST(Specification, mistakes_are_refused_with_file_line_and_key) {
  const std::vector<Mistake> mistakes = {
      {"trials = 4", "trials = 0", {"line 3", "'trials'"}},
      {"trials = 4", "trials = 2.5", {"line 3", "'trials'"}},
      {"trials = 4", "trails = 4", {"line 3", "'trails'", "no such key", "trials"}},
      {"seed = 7", "seed = -1", {"line 2", "'seed'"}},
      {"seed = 7", "seed = ", {"line 2", "TOML"}},
      {"candidates = 30", "candidates = \"all\"", {"line 7", "'search.candidates'"}},
      {"splits = [1, 3]", "splits = []", {"line 8", "'search.splits'"}},
      {"splits = [1, 3]", "splits = [1, 0]", {"line 8", "'search.splits'"}},
      {"gamma = [1e-5, 1]", "gamma = [1, 1e-5]", {"line 9", "'search.gamma'"}},
      {"gamma = [1e-5, 1]", "gamma = [0, 1]", {"line 9", "'search.gamma'"}},
      {"data = \"rows.csv\"\n", "", {"'figure.study.data'", "missing"}},
      {"test_fraction = 0.25", "test_fraction = 1.0", {"line 19", "'figure.study.test_fraction'"}},
      {"\"10+40/t\"", "\"ten\"", {"line 20", "'figure.study.exchanges'"}},
      {"most_atoms = 6", "most_atom = 6", {"line 21", "'figure.study.search.most_atom'"}},
      {"\"ella\"", "\"elle\"", {"line 23", "'figure.study.methods'", "elle", "colla-refresh"}},
      {"graph = \"star\"", "graph = \"stars\"", {"f.toml", "stars", "line, star"}},
      {"refresh = 2", "refreshed = 2", {"line 24", "'figure.study.methods.refreshed'"}},
      {"settings_from = \"star\"", "settings_from = \"moon\"", {"moon", "settings_from"}},
      {"settings_from = \"star\"", "settings_from = \"ella\"", {"without rho", "search_rho"}},
      {"key = \"star\", ", "key = \"ella\", ", {"'ella'", "duplicate"}},
      {"[[figure.study]]", "[figure.studies]", {"'figure.studies'"}},
      {"[[figure.study]]",
       "[figure.study]",
       {"'figure.study'", "start each with [[figure.study]]"}},
      {"[[figure]]", "[figure]", {"line 11", "'figure'", "start each with [[figure]]"}},
      {"name = \"both\"", "name = \"\"", {"line 1", "'name'", "is empty"}},
      {"splits = [1, 3]", "splits = []", {"is an empty list", "[1, 2, 4]"}},
      {"splits = [1, 3]", "splits = 3", {"line 8", "is not a list"}},
      {"gamma = [1e-5, 1]", "gamma = [1, inf]", {"line 9", "'search.gamma'", "finite"}},
      {"gamma = [1e-5, 1]", "gamma = [1]", {"line 9", "not a range", "[low, high]"}},
      {"test_fraction = 0.25", "test_fraction = nan", {"line 19", "finite"}},
      {"\"ella\"", "3", {"line 23", "neither a name nor a table"}},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string message = message_of(replaced(whole, mistake.from, mistake.to));
    EXPECT_NE(message.find("f.toml"), std::string::npos) << mistake.to << ": " << message;
    for (const char* text : mistake.named) {
      EXPECT_NE(message.find(text), std::string::npos) << mistake.to << ": " << message;
    }
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(Specification, a_file_without_studies_or_methods_is_refused) {
  EXPECT_NE(message_of("name = \"x\"\n").find("no studies"), std::string::npos);
  const std::string study = "[[figure]]\n[[figure.study]]\ndata = \"x.csv\"\n";
  EXPECT_NE(message_of(study).find("'figure.study.methods': is missing"), std::string::npos);
  EXPECT_NE(message_of(study + "methods = []\n").find("is an empty list"), std::string::npos);
}

TEST(Specification, the_papers_experiment_is_as_it_should_be) {
  const ExperimentSpec spec = paper_specification();
  check(spec);
  ASSERT_EQ(spec.figures.size(), 2U);
  EXPECT_EQ(spec.trials, 100);
  EXPECT_EQ(spec.figures[0].studies.size(), 4U);
  EXPECT_EQ(spec.figures[1].studies.size(), 3U);
  for (const StudySpec& study : spec.figures[0].studies) {
    EXPECT_EQ(study.methods.size(), method_names().size());
    EXPECT_EQ(study.paper.size(), 4U);
  }
}

TEST(Specification, its_text_tells_results_apart_and_nothing_else) {
  const ExperimentSpec spec = parse_specification(whole, "f.toml");
  ExperimentSpec same = spec;
  same.trials = 9;
  same.figures[0].title = "another";
  same.folder = "elsewhere";
  EXPECT_EQ(canonical_text(same), canonical_text(spec));
  ExperimentSpec other = spec;
  other.figures[0].studies[0].methods[1].fixed["gamma"] = 0.25;
  EXPECT_NE(canonical_text(other), canonical_text(spec));
}

}  // namespace
}  // namespace colla
