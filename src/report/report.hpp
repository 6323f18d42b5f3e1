// SPDX-License-Identifier: Apache-2.0
// What an experiment found, ready to show: plain values, no computation.
#pragma once

#include <colla/numerics.hpp>

#include <string>
#include <utility>
#include <vector>

namespace colla {

/// A mean over trials; NaN where no trial defines it.
struct Estimate {
  double mean = 0.0;
  double standard_error = 0.0;  ///< 0 for a single trial
};

/// The settings that the trials of one method selected, one line per hyper-parameter.
struct SelectedSetting {
  std::string name;  ///< "lambda", "mu", "rho", "gamma", "atoms"
  double median = 0.0;
  double lowest = 0.0;
  double highest = 0.0;
};

/// One method on one data set.
struct MethodResult {
  std::string key;              ///< "colla", unique within its study
  std::string label;            ///< "CoLLA", for people
  std::string graph;            ///< "line", "star", ...; empty where agents do not exchange
  bool is_ours = false;         ///< not in the paper
  bool is_offline = false;      ///< one value instead of a curve: drawn as a line across
  std::vector<Estimate> curve;  ///< mean test score over the tasks learned so far, per step
  Estimate curve_mean;          ///< over the steps
  Estimate final_score;
  Estimate jumpstart;  ///< relative improvement over the untuned STL, 0.51 = 51 %; or NaN
  Estimate jumpstart_over_tuned;    ///< the same over STL, its best ridge, free intercept; or NaN
  std::vector<Estimate> gap;        ///< disagreement between neighbours, per step; or empty
  std::vector<Estimate> exchanges;  ///< per step; or empty
  std::string selection;            ///< how settings were found: "27 settings by halving, ..."
  std::vector<SelectedSetting> settings;
  Numerics numerics;  ///< sums over the trials
};

/// The mean over trials of (a's - b's), with a 95 % confidence interval. For RMSE a negative
/// difference is in favour of a, for AUC a positive one.
struct PairedDifference {
  std::string quantity;  ///< "curve mean", "final score", or "relative final score": a's/b's - 1
  std::string a;         ///< keys of methods of the same study
  std::string b;
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;
  bool excludes_zero() const { return low > 0.0 || high < 0.0; }
};

/// A number of the paper beside ours.
struct PaperNumber {
  std::string method;      ///< key
  double jumpstart = 0.0;  ///< 0.51 = 51 %
};

struct GraphEdges {
  std::string graph;  ///< "line"
  std::string label;  ///< "tree (line)"
  int agents = 0;
  std::vector<std::pair<int, int>> edges;
};

/// One data set with all its methods: one panel of a figure.
struct Study {
  std::string key;    ///< "london-schools"; unique
  std::string title;  ///< "London Schools"
  std::string data;   ///< one line: what the data are, and whether they are synthetic
  bool is_synthetic = false;
  std::string metric;  ///< "rmse" or "auc"
  bool higher_is_better = false;
  int agents = 0;
  int tasks = 0;
  int steps = 0;
  int trials = 0;  ///< finished
  std::vector<MethodResult> methods;
  std::vector<PairedDifference> differences;
  std::vector<PaperNumber> paper;  ///< may be empty
  std::vector<GraphEdges> graphs;  ///< drawn where a study compares graphs; else empty
};

/// Studies that belong together, shown as panels side by side.
struct Figure {
  std::string key;    ///< "figure-1"
  std::string title;  ///< "Figure 1. Learning curves"
  std::string caption;
  std::vector<Study> studies;
};

struct Report {
  std::string name;
  std::string command_line;
  std::vector<std::pair<std::string, std::string>> versions;  ///< "colla", "Eigen", "OpenBLAS", ...
  std::vector<std::pair<std::string, std::string>>
      settings;  ///< "seed", "trials", "test fraction", ...
  std::vector<Figure> figures;
  bool jumpstart_table = false;  ///< Table 1, from the studies of the first figure
  double seconds = 0.0;          ///< the only thing that differs between two runs of one seed
};

}  // namespace colla
