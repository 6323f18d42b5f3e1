// SPDX-License-Identifier: Apache-2.0
// A small experiment that runs in a fraction of a second.
#pragma once

#include "data/synthetic.hpp"
#include "experiment/runner.hpp"

#include <unistd.h>

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
  search.most_atoms = 3;
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

/// A folder that goes away.
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

}  // namespace colla::testing
