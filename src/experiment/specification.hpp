// SPDX-License-Identifier: Apache-2.0
// The parts of an experiment: figures made of studies, each one data set with its methods.
#pragma once

#include "experiment/settings.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace colla {

struct MethodSpec {
  std::string key;    ///< unique in its study
  std::string label;  ///< for people
  Algorithm algorithm = Algorithm::colla;
  std::string graph;  ///< a name that make_graph knows; empty where agents do not exchange
  Index refresh = 0;
  bool penalises_intercept = false;  ///< of single-task learning
  FixedParameters fixed;             ///< the others are searched for...
  /// ... or taken from what this method of the same study selected in the same trial, if not empty.
  std::string settings_from;
  bool searches_rho = false;  ///< all but rho are taken from there
  SearchSpec search;
};

/// Not in the paper: code refresh, and a single-task learner with a free intercept.
bool is_ours(const MethodSpec& method);

struct StudySpec {
  std::string key;    ///< unique in the experiment
  std::string title;  ///< by default the data's
  std::string data;   ///< a registered or built-in set, or a path from the specification's folder
  Index agents = 0;   ///< 0: as the data says
  double test_fraction = 0.5;
  ExchangePlan exchanges;
  std::vector<MethodSpec> methods;
  /// The paper's jumpstart per method key, 0.51 = 51 %.
  std::vector<std::pair<std::string, double>> paper;
  bool compares_graphs = false;  ///< the report draws them
};

struct FigureSpec {
  std::string key;
  std::string title;
  std::string caption;
  std::vector<StudySpec> studies;
};

struct ExperimentSpec {
  std::string name;
  std::string folder;  ///< of the file it was read from, where relative paths start; or empty
  std::uint64_t seed = 1;
  Index trials = 100;
  std::vector<FigureSpec> figures;
  bool jumpstart_table = false;  ///< of the first figure
};

/// The ridge penalty of "stl-untuned", the paper's single-task learning without a search.
inline constexpr double untuned_gamma = 1e-6;

/// A method by its short name: stl, stl-paper, stl-untuned, ella, colla, colla-refresh,
/// offline-colla, go-mtl. Throws OptionError, naming `where`, for any other name.
MethodSpec named_method(const std::string& name, const SearchSpec& search,
                        const std::string& where);
const std::vector<std::string>& method_names();

/// Reads a specification. Throws DataError: file, line, key, what to do.
ExperimentSpec read_specification(const std::string& path);
/// The same from memory; `name` names the file in messages.
ExperimentSpec parse_specification(std::string_view text, const std::string& name);

/// Figure 1, Figure 2 and Table 1 of the paper.
ExperimentSpec paper_specification();

/// All that the results depend on, as text: equal texts, equal results. The number of trials is
/// not in it, because trial k is the same however many there are.
std::string canonical_text(const ExperimentSpec& spec);
std::string canonical_text(const StudySpec& study, const MethodSpec& method);

/// Throws OptionError unless keys are unique, every method has what it needs, and `settings_from`
/// names an earlier method.
void check(const ExperimentSpec& spec);

}  // namespace colla
