// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"
#include "cli/privacy_choice.hpp"
#include "cli/recipe_reading.hpp"
#include "cli/terminal.hpp"
#include "cli/train.hpp"
#include "files/text.hpp"
#include "training/measures.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace colla::cli {
namespace {

constexpr std::size_t lines_shown = 20;
constexpr std::size_t names_shown = 6;

bool has_dictionary(const TrainReport& report) { return has_dictionary(report.options.algorithm); }

// Whether tasks learn from each other.
bool collaborates(const TrainReport& report) { return report.options.algorithm != Algorithm::stl; }

bool exchanges(const TrainReport& report) { return !report.options.edges.empty(); }

const Measure& measure_of(const TrainReport& report) { return main_measure(report.result.problem); }

void print_data(const TrainReport& report) {
  const TaskCounts& counts = report.counts;
  fmt::print("{}: {}, {}, {}, {}{}\n", printable(report.name), name_of(report.result.problem),
             counted(static_cast<long>(counts.agents), "agent"),
             counted(static_cast<long>(counts.tasks), "task"),
             counted(report.features - (report.has_intercept ? 1 : 0), "feature"),
             report.has_intercept ? " and an intercept" : "");
  fmt::print("{}, {}", counted(static_cast<long>(counts.rows), "row"), rows_per_task(counts));
  if (counts.arrivals > counts.tasks) {
    fmt::print(", in {}", counted(static_cast<long>(counts.arrivals), "arrival"));
  }
  if (!counts.classes.empty()) fmt::print("; classes: {}", printable(classes_in(counts)));
  fmt::print("\n");
  if (report.recipe == nullptr) return;
  fmt::print("recipe (file with {}):\n", report.form);
  print_recipe(*report.recipe, "  ");
}

void print_method(const TrainReport& report) {
  const AgentOptions& agent = report.options.network.agent;
  fmt::print("{}: ", report.result.model.algorithm);
  if (has_dictionary(report)) {
    fmt::print("{} atoms, lambda {:g}, mu {:g}, ", agent.atoms, agent.lambda, agent.mu);
  }
  if (has_ridge(report.options.algorithm)) {
    fmt::print("gamma {:g}", agent.gamma);
  } else {
    fmt::print("the collective prior, nothing to set");
  }
  if (exchanges(report)) {
    fmt::print(", graph {}", printable(report.graph));
    if (has_rho(report.options.algorithm)) {
      fmt::print(", rho {:g}", report.options.network.rho);
    }
    if (is_online(report.options.algorithm)) {
      fmt::print(", {} exchanges a step", to_string(report.options.network.exchanges));
    }
  }
  fmt::print(", seed {}\n", agent.seed);
  if (report.selected) {
    fmt::print("selected by {} runs on validation splits of the training rows: {} {} there\n",
               report.selected->evaluations, measure_of(report).title,
               readable(report.selected->score));
  }
  fmt::print("\n");
}

void print_steps(const TrainReport& report) {
  const std::vector<StepReport>& steps = report.result.steps;
  const bool diagnosed = report.result.diagnosis.has_value();
  fmt::print("{:>6} {:>7} {:>10}", "step", "tasks", "test " + measure_of(report).title);
  if (exchanges(report)) fmt::print(" {:>10} {:>10}", "exchanges", "gap");
  if (diagnosed) fmt::print(" {:>10}", "change");
  fmt::print("\n");
  const std::size_t every = 1 + (steps.size() - 1) / lines_shown;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    if (t % every != 0 && t + 1 != steps.size()) continue;
    const StepReport& step = steps[t];
    fmt::print("{:>6} {:>7} {:>10}", step.step, step.tasks, readable(step.score));
    if (exchanges(report)) {
      fmt::print(" {:>10} {:>10}", step.exchange.exchanges, readable(step.exchange.gap));
    }
    if (diagnosed) fmt::print(" {:>10}", readable(step.change));
    fmt::print("\n");
  }
}

// Relative to each task on its own; nothing if that score is 0.
std::string gain_in(const TrainReport& report) {
  const double alone = report.result.stl;
  if (alone == 0.0) return "";
  const double gain = measure_of(report).gain(report.result.final_score(), alone) / alone;
  return fmt::format(" ({:+.1f} %)", 100.0 * gain);
}

// Collaboration lost by more than rounding.
bool is_better_alone(const TrainReport& report) {
  const double alone = report.result.stl;
  const double gain = measure_of(report).gain(report.result.final_score(), alone);
  return collaborates(report) && gain < -0.0005 * alone;
}

std::string why_there_is_no_score(const TrainReport& report) {
  const double held_out = report.options.test_fraction;
  if (held_out == 0.0 || !has_labels(report.result.problem)) {
    return "no test rows: nothing to measure";
  }
  return fmt::format("no AUC: no task has held-out rows ({:g} %) of two classes", 100.0 * held_out);
}

void print_score(const TrainReport& report) {
  const TrainingResult& result = report.result;
  const double ours = result.final_score();
  if (std::isnan(ours)) {
    fmt::print("\n{}", why_there_is_no_score(report));
  } else {
    fmt::print("\nmeasured on held-out rows ({:g} %): {} {} over all tasks",
               100.0 * report.options.test_fraction, measure_of(report).title, readable(ours));
    if (collaborates(report)) {
      fmt::print("; each task on its own {}{}", readable(result.stl), gain_in(report));
    }
  }
  if (result.accuracy) fmt::print("; {:.1f} % of labels right", 100.0 * *result.accuracy);
  fmt::print("; {:.2f} s\n", report.seconds);
  if (is_better_alone(report)) {
    const bool has_settings = has_dictionary(report);
    fmt::print("each task on its own is better here: try {}{}--algorithm stl\n",
               has_settings && !report.selected ? "--select to choose the settings, " : "",
               has_settings ? "more --atoms, or " : "");
  }
}

void print_privacy(const TrainReport& report) {
  const PrivacyOptions& privacy = *report.options.privacy;
  fmt::print(
      "privacy: {}; {}\n", to_text(privacy),
      shortened_text(report.result.shortened_rows, report.result.released_rows, privacy.bound));
  if (report.has_own_recipe) {
    fmt::print("the recipe was learned from these rows, and is not private: give --recipe FILE\n");
  }
}

void print_outcome(const TrainReport& report) {
  const TrainingResult& result = report.result;
  print_score(report);
  if (report.options.privacy) print_privacy(report);
  if (exchanges(report)) {
    fmt::print("{} exchanges; a network would have carried {:.3g} MB\n", result.exchanges,
               1e-6 * static_cast<double>(result.bytes));
  }
  if (!result.objectives.empty()) {
    fmt::print("objective {:.6g}, {}\n", result.objectives.back(),
               result.converged ? "converged" : "not converged");
  }
}

// Steps with results that did not reach their accuracy.
std::vector<Index> unclean_steps(const TrainingResult& result) {
  std::vector<Index> steps;
  for (const StepReport& step : result.steps) {
    if (!step.exchange.numerics.are_clean()) steps.push_back(step.step);
  }
  return steps;
}

void print_numerics(const TrainingResult& result) {
  const std::vector<Index> steps = unclean_steps(result);
  if (steps.empty()) return;
  std::vector<std::string> names;
  for (const Index step : steps) names.push_back(std::to_string(step));
  fmt::print("numerics: {} ({} {})\n", to_string(result.numerics()),
             steps.size() == 1 ? "step" : "steps", listed(names));
}

void print_diagnosis(const TrainReport& report) {
  const Diagnosis& diagnosis = *report.result.diagnosis;
  fmt::print("\ndiagnosis\n");
  if (diagnosis.rho_bound) {
    fmt::print("  rho {:g}; Theorem 1 promises convergence below {:.3g}{}\n", diagnosis.rho,
               *diagnosis.rho_bound,
               diagnosis.rho < *diagnosis.rho_bound ? "" : " (larger works in practice)");
  }
  double worst = 0.0;
  for (const AgentDiagnosis& agent : diagnosis.agents) {
    worst = std::max(worst, agent.condition.value_or(0.0));
  }
  if (worst > 0.0) fmt::print("  condition of the local systems: at most {:.3g}\n", worst);
  fmt::print("  codes: {:.1f} % of the coefficients are not 0\n", 100.0 * diagnosis.nonzero_share);
  for (const AtomUse& atom : diagnosis.atoms) {
    fmt::print("  atom {}: {}", atom.atom, counted(static_cast<long>(atom.tasks.size()), "task"));
    for (std::size_t k = 0; k < std::min(names_shown, atom.tasks.size()); ++k) {
      fmt::print("{} {}", k == 0 ? ":" : ",", printable(atom.tasks[k]));
    }
    fmt::print("{}\n", atom.tasks.size() > names_shown ? ", ..." : "");
  }
}

nlohmann::json number_or_null(double value) {
  return std::isnan(value) ? nlohmann::json() : nlohmann::json(value);
}

void add_data(nlohmann::ordered_json& object, const TrainReport& report) {
  const TaskCounts& counts = report.counts;
  object["rows"] = counts.rows;
  object["rows_per_task"] = {
      {"least", counts.least}, {"median", counts.median}, {"most", counts.most}};
  object["test_fraction"] = report.options.test_fraction;
  object["better_alone"] = is_better_alone(report);
  if (report.result.accuracy) object["accuracy"] = *report.result.accuracy;
  if (!counts.classes.empty()) object["classes"] = classes_json<nlohmann::ordered_json>(counts);
  if (report.recipe != nullptr) object["recipe"] = description(*report.recipe);
}

nlohmann::ordered_json selection_json(const TrainReport& report) {
  nlohmann::ordered_json object;
  for (const SearchedSetting& searched : searched_settings()) {
    if (!searched.is_of(report.options.algorithm)) continue;
    const double value = report.selected->settings[searched.key()];
    object[searched.key()] =
        searched.is_whole() ? nlohmann::json(static_cast<Index>(value)) : nlohmann::json(value);
  }
  object["validation"] = number_or_null(report.selected->score);
  object["evaluations"] = report.selected->evaluations;
  return object;
}

nlohmann::ordered_json diagnosis_json(const TrainReport& report) {
  const Diagnosis& diagnosis = *report.result.diagnosis;
  const auto optional = [](const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  nlohmann::ordered_json object = {{"rho", diagnosis.rho},
                                   {"rho_bound", optional(diagnosis.rho_bound)},
                                   {"nonzero_share", diagnosis.nonzero_share},
                                   {"agents", nlohmann::json::array()},
                                   {"steps", nlohmann::json::array()},
                                   {"atoms", nlohmann::json::array()}};
  for (const AgentDiagnosis& agent : diagnosis.agents) {
    object["agents"].push_back({{"smallest_eigenvalue", optional(agent.smallest)},
                                {"largest_eigenvalue", optional(agent.largest)},
                                {"condition", optional(agent.condition)}});
  }
  for (const StepReport& step : report.result.steps) {
    object["steps"].push_back({{"change", step.change},
                               {"gap", step.exchange.gap},
                               {"primal_residual", step.exchange.primal_residual},
                               {"dual_residual", step.exchange.dual_residual},
                               {"exchanges", step.exchange.exchanges}});
  }
  for (const AtomUse& atom : diagnosis.atoms) {
    object["atoms"].push_back({{"atom", atom.atom}, {"tasks", atom.tasks}});
  }
  return object;
}

}  // namespace

void print_train_table(const TrainReport& report) {
  print_data(report);
  print_method(report);
  print_steps(report);
  print_outcome(report);
  print_numerics(report.result);
  if (report.result.diagnosis) print_diagnosis(report);
}

void print_train_json(const TrainReport& report) {
  const TrainingResult& result = report.result;
  auto curve = nlohmann::json::array();
  for (const StepReport& step : result.steps) curve.push_back(number_or_null(step.score));
  nlohmann::ordered_json object = {{"algorithm", result.model.algorithm},
                                   {"metric", measure_of(report).key},
                                   {"agents", report.counts.agents},
                                   {"tasks", result.tasks},
                                   {"curve", curve},
                                   {"final", number_or_null(result.final_score())},
                                   {"stl", number_or_null(result.stl)},
                                   {"consensus_gap", result.consensus_gap},
                                   {"exchanges", result.exchanges},
                                   {"bytes_exchanged", result.bytes},
                                   {"seconds", report.seconds}};
  object["numerics"] = as_map<nlohmann::ordered_json>(result.numerics());
  object["numerics"]["steps"] = unclean_steps(result);
  if (!result.objectives.empty()) {
    object["objectives"] = result.objectives;
    object["converged"] = result.converged;
  }
  add_data(object, report);
  if (const auto& privacy = report.options.privacy) {
    object["privacy"] = {
        {"epsilon", privacy->epsilon},  {"delta", privacy->delta},
        {"bound", privacy->bound},      {"rows_per_person", privacy->rows_per_person},
        {"rows", result.released_rows}, {"shortened", result.shortened_rows}};
  }
  if (report.selected) object["selected"] = selection_json(report);
  if (result.diagnosis) object["diagnosis"] = diagnosis_json(report);
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace colla::cli
