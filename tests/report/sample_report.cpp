// SPDX-License-Identifier: Apache-2.0
#include "report/sample_report.hpp"

#include <cmath>

namespace colla::testing {
namespace {

// A curve that falls or rises from `first` towards `last`, with a little noise.
std::vector<Estimate> curve(double first, double last, int steps, double speed) {
  std::vector<Estimate> points;
  for (int t = 0; t < steps; ++t) {
    const double unrest = 0.02 * std::sin(2.7 * t + 10.0 * last) * std::exp(-0.1 * t);
    points.push_back({last + (first - last) * (std::exp(-speed * t) + unrest),
                      0.03 * std::abs(first - last) + 0.002 * last});
  }
  return points;
}

Estimate mean_of(const std::vector<Estimate>& points) {
  double sum = 0.0;
  for (const Estimate& point : points) sum += point.mean;
  return {sum / static_cast<double>(points.size()), points.back().standard_error};
}

std::vector<SelectedSetting> settings(bool exchanges) {
  std::vector<SelectedSetting> list = {
      {"atoms", 6, 4, 8}, {"lambda", 1e-3, 1e-6, 0.1}, {"mu", 0.01, 0.01, 0.01}};
  if (exchanges) list.push_back({"rho", 0.1, 0.01, 10});
  return list;
}

MethodResult online(const std::string& key, const std::string& label, const std::string& graph,
                    std::vector<Estimate> points, double jumpstart) {
  MethodResult method;
  method.key = key;
  method.label = label;
  method.graph = graph;
  method.curve = std::move(points);
  method.curve_mean = mean_of(method.curve);
  method.final_score = method.curve.back();
  method.jumpstart = {jumpstart, 0.012};
  method.selection = "27 settings by halving on 3 validation splits of the training rows";
  method.settings = settings(!graph.empty());
  for (std::size_t t = 0; t < method.curve.size() && !graph.empty(); ++t) {
    const auto step = static_cast<double>(t + 1);
    method.gap.push_back({jumpstart * std::pow(step, -3.0 * jumpstart), 0.03 / step});
    method.exchanges.push_back({std::ceil(200.0 * jumpstart / step + 10.0), 0.0});
  }
  return method;
}

MethodResult offline(const std::string& key, const std::string& label, double score,
                     double jumpstart) {
  MethodResult method;
  method.key = key;
  method.label = label;
  method.is_offline = true;
  method.curve_mean = {NAN, NAN};
  method.final_score = {score, 0.004 * score};
  method.jumpstart = {jumpstart, 0.02};
  method.selection = "12 settings on 3 validation splits";
  method.settings = settings(false);
  return method;
}

struct Levels {
  double untuned, stl, ella_first, ella, colla_first, colla, offline;
};

Study study(const std::string& key, const std::string& title, bool is_auc) {
  Study study;
  study.key = key;
  study.title = title;
  study.metric = is_auc ? "auc" : "rmse";
  study.higher_is_better = is_auc;
  study.trials = 20;
  return study;
}

void add_size(Study& study, int agents, int tasks, int steps) {
  study.agents = agents;
  study.tasks = tasks;
  study.steps = steps;
}

void add_methods(Study& study, const Levels& level) {
  study.methods = {
      online("colla", "CoLLA", "line", curve(level.colla_first, level.colla, study.steps, 0.5),
             0.48),
      online("colla-refresh", "CoLLA, refreshed", "line",
             curve(level.colla_first, 0.5 * (level.colla + level.offline), study.steps, 0.7), 0.5),
      online("ella", "ELLA", "", curve(level.ella_first, level.ella, study.steps, 0.3), 0.36),
      offline("offline-colla", "offline CoLLA", level.offline, 0.601),
      offline("go-mtl", "GO-MTL", 0.3 * level.colla + 0.7 * level.offline, 0.605),
      offline("stl", "STL", level.stl, 0.21),
      offline("stl-untuned", "STL (untuned)", level.untuned, NAN)};
  study.methods[1].is_ours = true;
  study.methods.back().settings.clear();
  study.methods.back().selection = "";
}

void add_differences(Study& study, double lead) {
  const double sign = study.higher_is_better ? 1.0 : -1.0;
  study.differences = {
      {"curve mean", "colla", "ella", sign * lead, sign * lead - 0.03, sign * lead + 0.03},
      {"final score", "colla", "ella", sign * 0.2 * lead, sign * 0.2 * lead - 0.02,
       sign * 0.2 * lead + 0.02},
      {"curve mean", "colla-refresh", "colla", sign * 0.01, sign * 0.01 - 0.004,
       sign * 0.01 + 0.004},
      {"curve mean", "ella", "stl", NAN, NAN, NAN}};
}

Study land_mine() {
  Study result = study("land-mine", "Land Mine", true);
  result.data = "29 regions, 14820 radar images, 9 features and an intercept";
  add_size(result, 2, 29, 15);
  add_methods(result, {0.68, 0.742, 0.735, 0.766, 0.748, 0.771, 0.782});
  add_differences(result, 0.005);
  result.paper = {
      {"colla", 0.0687}, {"ella", 0.0621}, {"offline-colla", 0.3221}, {"go-mtl", 0.0863}};
  return result;
}

Study facial_expression() {
  Study result = study("facial-expression", "Facial Expression", true);
  result.data =
      "Stand-in with the sizes of the paper's data: 21 tasks, 450 to 999 rows, 100 features";
  result.is_synthetic = true;
  add_size(result, 3, 21, 7);
  add_methods(result, {0.71, 0.81, 0.80, 0.874, 0.84, 0.882, 0.905});
  add_differences(result, 0.021);
  result.methods[2].curve[3].mean = NAN;
  result.paper = {
      {"colla", 0.4087}, {"ella", 0.3869}, {"offline-colla", 0.5989}, {"go-mtl", 0.6017}};
  return result;
}

Study computer_survey() {
  Study result = study("computer-survey", "Computer Survey", false);
  result.data = "190 people rate 20 computers, 13 features and an intercept";
  add_size(result, 19, 190, 10);
  add_methods(result, {4.12, 2.55, 2.62, 2.24, 2.33, 2.14, 2.06});
  add_differences(result, 0.21);
  result.paper = {
      {"colla", 0.5144}, {"ella", 0.3799}, {"offline-colla", 0.6171}, {"go-mtl", 0.6181}};
  return result;
}

Study london_schools() {
  Study result = study("london-schools", "London Schools", false);
  result.data = "139 schools, 15362 pupils, 27 features and an intercept";
  add_size(result, 6, 138, 23);
  add_methods(result, {13.1, 11.4, 11.9, 10.6, 10.9, 10.31, 10.2});
  add_differences(result, 0.34);
  result.paper = {
      {"colla", 0.2962}, {"ella", 0.2930}, {"offline-colla", 0.373}, {"go-mtl", 0.3240}};
  return result;
}

GraphEdges graph(const std::string& name, const std::string& label, int agents) {
  GraphEdges result{name, label, agents, {}};
  for (int i = 0; i < agents; ++i) {
    for (int j = i + 1; j < agents; ++j) {
      const bool is_line = j == i + 1;
      const bool is_there = name == "line" ? is_line
                            : name == "star"
                                ? i == 0
                                : name == "complete" || is_line || (i * 7 + j) % 3 == 0;
      if (is_there) result.edges.emplace_back(i, j);
    }
  }
  return result;
}

Study with_graphs(Study result, double first, double last) {
  const int agents = result.agents;
  result.graphs = {graph("line", "tree (line)", agents), graph("star", "server (star)", agents)};
  if (agents > 3) {
    result.graphs.push_back(graph("complete", "complete", agents));
    result.graphs.push_back(graph("random", "random", agents));
  }
  result.methods.clear();
  result.paper.clear();
  double speed = 0.25;
  for (const GraphEdges& edges : result.graphs) {
    result.methods.push_back(online("colla-" + edges.graph, "CoLLA, " + edges.label, edges.graph,
                                    curve(first, last, result.steps, speed), speed));
    speed += 0.15;
  }
  result.differences = {{"curve mean", "colla-star", "colla-line", -0.004, -0.013, 0.005}};
  return result;
}

}  // namespace

Report sample_report() {
  Report report;
  report.name = "The paper's experiments";
  report.command_line = "colla reproduce --trials 20 --seed 1 --output results";
  report.versions = {{"colla", "0.1.0"}, {"Eigen", "3.4.0"}, {"OpenBLAS", "0.3.21"}};
  report.settings = {{"seed", "1"},
                     {"trials", "20"},
                     {"test fraction", "0.5"},
                     {"exchanges", "10+90/t"},
                     {"search", "halving, 3 validation splits"}};
  report.figures = {
      {"figure-1",
       "Figure 1. Learning curves",
       "Mean test score over the tasks learned so far. Curves learn task after task, dashed lines "
       "have all tasks at once; bands are standard errors over trials.",
       {land_mine(), facial_expression(), computer_survey(), london_schools()}},
      {"figure-2",
       "Figure 2. Graphs",
       "CoLLA on different graphs between the same agents.",
       {with_graphs(facial_expression(), 0.83, 0.88), with_graphs(computer_survey(), 2.5, 2.15),
        with_graphs(london_schools(), 11.2, 10.3)}}};
  report.jumpstart_table = true;
  report.seconds = 3725.4;
  return report;
}

Report sample_report_with_texts(const std::string& text) {
  Report report = sample_report();
  report.name = report.command_line = text;
  report.versions = report.settings = {{text, text}};
  for (Figure& figure : report.figures) {
    figure.title = figure.caption = text;
    for (Study& study : figure.studies) {
      study.title = study.data = study.metric = text;
      for (PairedDifference& difference : study.differences) difference.quantity = text;
      for (GraphEdges& graph : study.graphs) graph.label = text;
      for (MethodResult& method : study.methods) {
        method.key += text;
        method.label = method.selection = text;
        for (SelectedSetting& setting : method.settings) setting.name = text;
      }
    }
  }
  return report;
}

}  // namespace colla::testing
