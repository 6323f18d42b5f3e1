// SPDX-License-Identifier: Apache-2.0
// A small experiment that runs in a fraction of a second.
#pragma once

#include "data/synthetic.hpp"
#include "experiment/runner.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

namespace colla::testing {

inline PreparedData small_data(Problem problem, Index tasks = 13, Index agents = 3,
                               std::uint64_t seed = 7) {
  SyntheticOptions options;
  options.problem = problem;
  options.tasks_per_agent = tasks;
  options.rows = problem == Problem::regression ? 12 : 30;
  options.features = 4;
  options.atoms = 2;
  options.seed = seed;
  PreparedData data = prepared(make_tasks(options).data);
  data.agents = agents;
  return data;
}

inline SearchSpec small_search() {
  SearchSpec search;
  search.candidates = 6;
  search.splits = {1, 1};
  search.ranges["atoms"] = SearchRange{1, 3};
  return search;
}

inline ExperimentSpec small_spec() {
  StudySpec study;
  study.key = "small";
  study.data = "small";
  study.exchanges.constant = 3;
  for (const char* name : {"stl-untuned", "stl", "ella", "colla", "colla-refresh", "go-mtl"}) {
    study.methods.push_back(named_method(name, small_search(), ""));
  }
  ExperimentSpec spec;
  spec.name = "small";
  spec.trials = 3;
  spec.figures = {{"figure-1", "Curves", "", {study}}};
  StudySpec graphs = study;
  graphs.key = "small-graphs";
  graphs.compares_graphs = true;
  graphs.methods = {named_method("colla", small_search(), "")};
  graphs.methods[0].key = "line";
  MethodSpec complete = graphs.methods[0];
  complete.key = complete.graph = "complete";
  complete.settings_from = "line";
  graphs.methods.push_back(complete);
  spec.figures.push_back({"figure-2", "Graphs", "", {graphs}});
  return spec;
}

inline ExperimentData small_experiment_data() {
  return {{"small", {small_data(Problem::regression), "Small", "synthetic", true}}};
}

/// A temporary folder.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "colla-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Bit for bit, NaN included; seconds may differ.
inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline bool same(const MethodOutcome& a, const MethodOutcome& b) {
  return a.selection.settings == b.selection.settings &&
         a.selection.evaluations == b.selection.evaluations && same(a.curve, b.curve) &&
         same(a.gap, b.gap) && same(a.exchanges, b.exchanges) && same(a.arrivals, b.arrivals) &&
         a.numerics == b.numerics;
}

inline void expect_same(const ExperimentResults& a, const ExperimentResults& b) {
  ASSERT_TRUE(a.is_complete);
  ASSERT_TRUE(b.is_complete);
  ASSERT_EQ(a.outcomes.size(), b.outcomes.size());
  for (std::size_t u = 0; u < a.outcomes.size(); ++u) {
    ASSERT_EQ(a.outcomes[u].size(), b.outcomes[u].size());
    for (std::size_t t = 0; t < a.outcomes[u].size(); ++t) {
      EXPECT_TRUE(same(a.outcomes[u][t], b.outcomes[u][t])) << "unit " << u << ", trial " << t;
    }
  }
}

}  // namespace colla::testing
