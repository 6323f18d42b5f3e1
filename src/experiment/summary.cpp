// SPDX-License-Identifier: Apache-2.0
#include "experiment/summary.hpp"

#include "experiment/statistics.hpp"
#include "training/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace colla {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

using Outcomes = std::vector<MethodOutcome>;  // of one method, per trial

double mean_of(const std::vector<double>& values) {
  DefinedMean mean;
  for (const double value : values) mean.add(value);
  return mean.value();
}

template <typename Value>
std::vector<double> over_trials(const Outcomes& trials, const Value& value) {
  std::vector<double> values;
  for (const MethodOutcome& outcome : trials) values.push_back(value(outcome));
  return values;
}

std::vector<double> curve_means(const Outcomes& trials) {
  return over_trials(trials, [](const MethodOutcome& outcome) { return mean_of(outcome.curve); });
}

std::vector<double> final_scores(const Outcomes& trials) {
  return over_trials(trials, [](const MethodOutcome& outcome) { return outcome.curve.back(); });
}

// Trials have equally many steps, because agents get equally many tasks in each.
std::vector<Estimate> estimates(const Outcomes& trials,
                                std::vector<double> MethodOutcome::*values) {
  std::vector<Estimate> all;
  for (std::size_t t = 0; t < (trials.front().*values).size(); ++t) {
    all.push_back(estimate(
        over_trials(trials, [&](const MethodOutcome& outcome) { return (outcome.*values)[t]; })));
  }
  return all;
}

SelectedSetting selected(const std::string& name, const Outcomes& trials) {
  const std::vector<double> values = over_trials(
      trials, [&](const MethodOutcome& outcome) { return outcome.selection.settings[name]; });
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  return {name, median(values), *lowest, *highest};
}

std::vector<SelectedSetting> selected_settings(const MethodSpec& method, const Outcomes& trials) {
  std::vector<SelectedSetting> all;
  for (const SearchedSetting& searched : searched_settings()) {
    if (searched.is_of(method.algorithm)) all.push_back(selected(searched.key(), trials));
  }
  return all;
}

// One study: its methods' outcomes, and what is computed from pairs of them.
class StudySummary {
 public:
  StudySummary(const StudySpec& spec, const ExperimentPlan& plan, const StudyData& data,
               const ExperimentResults& results, std::uint64_t graph_seed)
      : spec_(spec), plan_(plan), data_(data), results_(results), graph_seed_(graph_seed) {}

  Study summarise() {
    describe_data();
    for (const MethodSpec& method : spec_.methods) study_.methods.push_back(summary_of(method));
    if (study_.trials > 1) compare();
    for (const auto& [method, value] : spec_.paper) study_.paper.push_back({method, value});
    if (spec_.compares_graphs) add_graphs();
    return std::move(study_);
  }

 private:
  const Outcomes& outcomes(const MethodSpec& method) const {
    return results_.outcomes[plan_.unit_of(spec_, method)];
  }

  const Outcomes* find(const std::string& key) const {
    for (const MethodSpec& method : spec_.methods) {
      if (method.key == key) return &outcomes(method);
    }
    return nullptr;
  }

  void describe_data() {
    const DataSet& data = data_.prepared.data;
    const Outcomes& any = outcomes(spec_.methods.front());
    study_.key = spec_.key;
    study_.title = spec_.title.empty() ? data_.title : spec_.title;
    study_.data = data_.summary;
    study_.is_synthetic = data_.is_synthetic;
    study_.metric = main_measure(data.problem).key;
    study_.higher_is_better = main_measure(data.problem).higher_is_better;
    study_.agents = static_cast<int>(spec_.agents > 0 ? spec_.agents : data_.prepared.agents);
    study_.tasks = static_cast<int>(any.front().arrivals.size());
    study_.trials = static_cast<int>(any.size());
    const auto tasks = deal_tasks(data_.prepared.group, study_.agents, 0);
    for (const auto& own : tasks)
      study_.steps = std::max(study_.steps, static_cast<int>(own.size()));
  }

  MethodResult summary_of(const MethodSpec& method) const {
    const Outcomes& trials = outcomes(method);
    MethodResult result;
    result.key = method.key;
    result.label = method.label;
    result.graph = method.graph;
    result.is_ours = is_ours(method);
    result.is_offline = !is_online(method.algorithm);
    result.final_score = estimate(final_scores(trials));
    if (result.is_offline) {
      result.curve = {result.final_score};
      result.curve_mean = result.final_score;
    } else {
      result.curve = estimates(trials, &MethodOutcome::curve);
      result.curve_mean = estimate(curve_means(trials));
    }
    result.gap = estimates(trials, &MethodOutcome::gap);
    result.exchanges = estimates(trials, &MethodOutcome::exchanges);
    result.jumpstart = jumpstart_over("stl-untuned", trials);
    result.jumpstart_over_tuned = jumpstart_over("stl", trials);
    result.selection = selection_of(method, trials);
    result.settings = selected_settings(method, trials);
    for (const MethodOutcome& outcome : trials) result.numerics += outcome.numerics;
    return result;
  }

  Estimate jumpstart_over(const std::string& baseline, const Outcomes& trials) const {
    const Outcomes* single = find(baseline);
    if (single == nullptr) return {undefined, undefined};
    std::vector<double> values;
    for (std::size_t k = 0; k < trials.size(); ++k) {
      values.push_back(
          jumpstart(trials[k].arrivals, (*single)[k].arrivals, study_.higher_is_better));
    }
    return estimate(values);
  }

  static SearchSpace rho_alone() {
    SearchSpace space;
    for (std::size_t k = 0; k < space.fixed.size(); ++k) space.fixed[k] = 1.0;
    space.fixed["rho"].reset();
    return space;
  }

  std::string selection_of(const MethodSpec& method, const Outcomes& trials) const {
    if (!method.settings_from.empty()) {
      return "settings of " + method.settings_from +
             (method.searches_rho ? ", apart from rho: " + describe(method.search, rho_alone())
                                  : "");
    }
    const SearchSpace space{method.algorithm, study_.tasks, method.fixed};
    std::string text = describe(method.search, space);
    if (trials.front().selection.evaluations == 0) return text;
    const Estimate score = estimate(
        over_trials(trials, [](const MethodOutcome& outcome) { return outcome.selection.score; }));
    char details[80];
    std::snprintf(details, sizeof details, "; %lld evaluations, validation score %.5g",
                  static_cast<long long>(trials.front().selection.evaluations), score.mean);
    return text + details;
  }

  void compare() {
    if (spec_.compares_graphs) {
      for (std::size_t k = 1; k < spec_.methods.size(); ++k) {
        add_differences(spec_.methods[k].key, spec_.methods.front().key);
      }
      return;
    }
    add_differences("colla", "ella");
    add_differences("colla-refresh", "ella");
    add_differences("colla-refresh", "colla");
    add_relative_difference("offline-colla", "go-mtl");
  }

  void add(const std::string& quantity, const std::string& a, const std::string& b,
           const Interval& interval) {
    study_.differences.push_back({quantity, a, b, interval.mean, interval.low, interval.high});
  }

  void add_differences(const std::string& a, const std::string& b) {
    const Outcomes* first = find(a);
    const Outcomes* second = find(b);
    if (first == nullptr || second == nullptr) return;
    add("curve mean", a, b, paired_interval(curve_means(*first), curve_means(*second)));
    add("final score", a, b, paired_interval(final_scores(*first), final_scores(*second)));
  }

  void add_relative_difference(const std::string& a, const std::string& b) {
    const Outcomes* first = find(a);
    const Outcomes* second = find(b);
    if (first == nullptr || second == nullptr) return;
    std::vector<double> ratios = final_scores(*first);
    const std::vector<double> divisors = final_scores(*second);
    for (std::size_t k = 0; k < ratios.size(); ++k) ratios[k] /= divisors[k];
    add("relative final score", a, b,
        paired_interval(ratios, std::vector<double>(ratios.size(), 1.0)));
  }

  void add_graphs() {
    for (const MethodSpec& method : spec_.methods) {
      if (!uses_graph(method.algorithm)) continue;
      GraphEdges drawn{method.graph, method.label, study_.agents, {}};
      const Graph graph = make_graph(method.graph, study_.agents, graph_seed_);
      for (const Edge& edge : graph.edges()) {
        drawn.edges.emplace_back(static_cast<int>(edge.i), static_cast<int>(edge.j));
      }
      study_.graphs.push_back(std::move(drawn));
    }
  }

  const StudySpec& spec_;
  const ExperimentPlan& plan_;
  const StudyData& data_;
  const ExperimentResults& results_;
  std::uint64_t graph_seed_;
  Study study_;
};

std::string joined(const std::set<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " or ") + text;
  return all;
}

std::vector<std::pair<std::string, std::string>> settings_of(const ExperimentSpec& spec) {
  std::vector<std::pair<std::string, std::string>> settings = {
      {"seed", std::to_string(spec.seed)}, {"trials", std::to_string(spec.trials)}};
  std::set<std::string> fractions;
  std::set<std::string> exchanges;
  for (const FigureSpec& figure : spec.figures) {
    for (const StudySpec& study : figure.studies) {
      char fraction[32];
      std::snprintf(fraction, sizeof fraction, "%g", study.test_fraction);
      fractions.insert(fraction);
      exchanges.insert(to_string(study.exchanges));
    }
  }
  settings.emplace_back("test fraction", joined(fractions));
  settings.emplace_back("exchanges per step", joined(exchanges));
  settings.emplace_back("selection",
                        "in each trial, on validation splits of that trial's training rows");
  return settings;
}

}  // namespace

double jumpstart(const std::vector<double>& ours, const std::vector<double>& baseline,
                 bool higher_is_better) {
  double gain = 0.0;
  double total = 0.0;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    if (std::isnan(ours[k]) || std::isnan(baseline[k])) continue;
    gain += higher_is_better ? ours[k] - baseline[k] : baseline[k] - ours[k];
    total += baseline[k];
  }
  return total > 0.0 ? gain / total : undefined;
}

Report summarise(const ExperimentSpec& spec, const ExperimentPlan& plan, const ExperimentData& data,
                 const ExperimentResults& results) {
  Report report;
  report.name = spec.name;
  report.settings = settings_of(spec);
  report.jumpstart_table = spec.jumpstart_table;
  for (const FigureSpec& figure : spec.figures) {
    Figure shown{figure.key, figure.title, figure.caption, {}};
    for (const StudySpec& study : figure.studies) {
      StudySummary summary(study, plan, data.at(study.data), results, spec.seed);
      shown.studies.push_back(summary.summarise());
    }
    report.figures.push_back(std::move(shown));
  }
  return report;
}

}  // namespace colla
