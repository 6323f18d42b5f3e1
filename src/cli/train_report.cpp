// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"
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

bool exchanges(const TrainReport& report) { return !report.options.edges.empty(); }

const Measure& measure_of(const TrainReport& report) { return main_measure(report.result.problem); }

void print_heading(const TrainReport& report) {
  const AgentOptions& agent = report.options.network.agent;
  const auto features = report.data.features.size() - (report.has_intercept ? 1 : 0);
  fmt::print("{}: {}, {}, {}, {} features{}\n", printable(report.data.name),
             name_of(report.result.problem),
             counted(static_cast<long>(report.data.agents.size()), "agent"),
             counted(report.result.tasks, "task"), features,
             report.has_intercept ? " and an intercept" : "");
  fmt::print("{}: ", report.result.model.algorithm);
  if (has_dictionary(report)) {
    fmt::print("{} atoms, lambda {:g}, mu {:g}, ", agent.atoms, agent.lambda, agent.mu);
  }
  fmt::print("gamma {:g}", agent.gamma);
  if (exchanges(report)) {
    fmt::print(", graph {}, rho {:g}", printable(report.graph), report.options.network.rho);
    if (report.options.algorithm == Algorithm::colla) {
      fmt::print(", {} exchanges a step", to_string(report.options.network.exchanges));
    }
  }
  fmt::print(", seed {}\n\n", agent.seed);
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

void print_outcome(const TrainReport& report) {
  const TrainingResult& result = report.result;
  const double ours = result.final_score();
  if (std::isnan(ours)) {
    fmt::print("\nno test rows: nothing to measure");
  } else {
    fmt::print("\ntest {} {} over all tasks", measure_of(report).title, readable(ours));
    if (has_dictionary(report)) {
      fmt::print("; each task on its own {}{}", readable(result.stl), gain_in(report));
    }
  }
  fmt::print("; {:.2f} s\n", report.seconds);
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
  print_heading(report);
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
                                   {"agents", report.data.agents.size()},
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
  if (result.diagnosis) object["diagnosis"] = diagnosis_json(report);
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace colla::cli
