// SPDX-License-Identifier: Apache-2.0
// `colla show`: what a model has learned of features and tasks.
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "experiment/what_was_learned.hpp"
#include "files/text.hpp"
#include "files/unfinished_file.hpp"
#include "report/learned_page.hpp"

#include <fmt/core.h>

#include <memory>

namespace colla::cli {
namespace {

constexpr std::size_t most_features = 40;
constexpr std::size_t most_named = 3;  // features in which a task differs
constexpr double least_named = 0.5;    // difference, in spreads between tasks
constexpr double improbable = 0.01;

struct ShowCommand {
  std::string model_file;
  std::string task;
  std::string agent;
  Index unusual = 5;
  bool json = false;
  std::string output;

  void run() const;

 private:
  void keep_task(Learned& learned) const;
  void check_output() const;
  void write_output(const Learned& learned) const;
};

// A task's effects, or "-" where there are none.
std::string value_text(const std::vector<Effect>& effects, std::size_t k) {
  return readable(effects.empty() ? NAN : effects[k].value);
}
std::string deviation_text(const std::vector<Effect>& effects, std::size_t k) {
  return readable(effects.empty() ? NAN : effects[k].deviation);
}

void print_introduction(const Learned& learned) {
  fmt::print("{}: {} of {}, {}\n", learned.algorithm, counted(learned.tasks, "task"),
             counted(learned.agents, "agent"), counted(learned.rows, "row"));
  fmt::print("effects on {} of one step: {}\n", printable(learned.target),
             step_words(learned.has_recipe));
}

void print_part_heading(const Learned& learned, const LearnedPart& part) {
  const bool is_all = part.label.empty() && part.agent.empty();
  if (learned.has_prior || part.unused > 0 || !is_all) fmt::print("\n");
  if (!part.label.empty()) fmt::print("label {}\n", printable(part.label));
  if (!part.agent.empty()) fmt::print("agent {}, without neighbours\n", printable(part.agent));
  if (learned.has_prior) {
    fmt::print("prior {} correlations between coefficients",
               part.is_correlated ? "with" : "without");
    if (!std::isnan(part.noise)) {
      fmt::print("; noise {} (a row's standard deviation around its task's model)",
                 readable(part.noise));
    }
    fmt::print("\n");
  }
  const std::string own_priors = own_prior_words(learned, part);
  if (!own_priors.empty()) fmt::print("{}\n", printable(own_priors));
  if (part.unused > 0) fmt::print("{} without effect left out\n", counted(part.unused, "feature"));
}

void print_feature(const Learned& learned, const FeatureEffect& feature, std::size_t tasks) {
  const bool has_count = learned.has_prior && !feature.is_intercept;
  fmt::print("{:<28} {:>9} {:>12} {:>14} {:>11} {:>11}\n",
             printable(feature_title(learned, feature)), feature.step, readable(feature.mean),
             readable(feature.spread),
             has_count ? fmt::format("{} of {}", feature.opposite, tasks) : "-",
             readable(feature.mean / feature.size));
}

void print_features(const Learned& learned, const LearnedPart& part) {
  fmt::print("\n{:<28} {:>9} {:>12} {:>14} {:>11} {:>11}\n", "feature", "step", "mean effect",
             "between tasks", "other sign", "per unit");
  for (const std::size_t k : largest_effects(part, most_features)) {
    print_feature(learned, part.features[k], part.tasks.size());
  }
  for (const FeatureEffect& feature : part.features) {
    if (feature.is_intercept) print_feature(learned, feature, part.tasks.size());
  }
  const std::size_t effects = largest_effects(part, part.features.size()).size();
  if (effects > most_features) {
    fmt::print("... and {} with smaller effects (--json has all)\n", effects - most_features);
  }
}

// With digits enough to be told apart.
std::string compared(double value, double mean) {
  constexpr int few = 4;
  constexpr int all = 17;
  std::string text;
  for (int digits = few; digits <= all; ++digits) {
    const std::string ours = fmt::format("{:#.{}g}", value, digits);
    const std::string theirs = fmt::format("{:#.{}g}", mean, digits);
    text = fmt::format("{} instead of {}", ours, theirs);
    if (ours != theirs) break;
  }
  return text;
}

// "hours 1.203 instead of 3.401, ..."; "-" if none is worth a word.
std::string differences(const Learned& learned, const LearnedPart& part, const TaskEffects& task) {
  std::string text;
  for (const std::size_t k : largest_differences(part, task, most_named)) {
    if (std::abs(difference(part, task, k)) < least_named) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        printable(feature_title(learned, part.features[k])),
                        compared(task.estimates[k].value, part.features[k].mean));
  }
  return text.empty() ? "-" : text;
}

void print_unusual(const Learned& learned, const LearnedPart& part, std::size_t most) {
  if (most == 0 || part.tasks.empty()) return;
  fmt::print("\n{:<28} {:>6} {:>8}   {}\n", "most unusual tasks", "rows", "chance",
             "largest differences from the mean");
  for (std::size_t k = 0; k < std::min(most, part.tasks.size()); ++k) {
    const TaskEffects& task = part.tasks[k];
    fmt::print("{:<28} {:>6} {:>8.2g}   {}\n", printable(task_title(learned, task)), task.rows,
               task.chance, differences(learned, part, task));
  }
  fmt::print(
      "chance: of being this far from the mean, if the prior is right. {} of {} below {}; "
      "{:.2g} expected\n",
      count_below(part, improbable), part.tasks.size(), improbable,
      improbable * static_cast<double>(part.tasks.size()));
}

void print_task(const Learned& learned, const LearnedPart& part, const TaskEffects& task) {
  fmt::print("\n{}: {}", printable(task_title(learned, task)), counted(task.rows, "row"));
  if (learned.has_prior) fmt::print(", chance {:.2g} of being this far from the mean", task.chance);
  fmt::print("\n\n{:<28} {:>9} {:>11} {:>9} {:>11} {:>9} {:>11} {:>9}\n", "feature", "step",
             "estimate", "+-", "alone", "+-", "all tasks", "spread");
  for (std::size_t k = 0; k < part.features.size(); ++k) {
    const FeatureEffect& feature = part.features[k];
    fmt::print("{:<28} {:>9} {:>11} {:>9} {:>11} {:>9} {:>11} {:>9}\n",
               printable(feature_title(learned, feature)), feature.step,
               value_text(task.estimates, k), deviation_text(task.estimates, k),
               value_text(task.alone, k), deviation_text(task.alone, k), readable(feature.mean),
               readable(feature.spread));
  }
}

void print_tables(const Learned& learned, bool is_one_task, std::size_t unusual) {
  print_introduction(learned);
  for (const LearnedPart& part : learned.parts) {
    print_part_heading(learned, part);
    if (is_one_task) {
      for (const TaskEffects& task : part.tasks) print_task(learned, part, task);
    } else {
      print_features(learned, part);
      if (learned.has_prior) print_unusual(learned, part, unusual);
    }
  }
  if (is_one_task) fmt::print("\n+-: standard deviation; alone: from the task's own rows only\n");
}

// Leaves this task only, in the parts that know it.
void ShowCommand::keep_task(Learned& learned) const {
  std::vector<std::string> owners;
  for (LearnedPart& part : learned.parts) {
    std::erase_if(part.tasks, [&](const TaskEffects& each) {
      return each.task != task || (!agent.empty() && each.agent != agent);
    });
    for (const TaskEffects& each : part.tasks) {
      if (std::find(owners.begin(), owners.end(), each.agent) == owners.end()) {
        owners.push_back(each.agent);
      }
    }
  }
  if (owners.empty()) {
    const std::string where = agent.empty() ? "the model" : "agent " + in_quotes(agent);
    throw DataError(where + " has no task " + in_quotes(task), model_file,
                    "`colla show --json` lists the tasks");
  }
  if (owners.size() > 1) {
    throw DataError("several agents have a task " + in_quotes(task), model_file, "use --agent");
  }
  std::erase_if(learned.parts, [](const LearnedPart& part) { return part.tasks.empty(); });
}

void ShowCommand::check_output() const {
  if (output.empty()) return;
  for (const char* ending : {".html", ".svg", ".json"}) {
    if (has_ending(output, ending)) return check_place(output, true);
  }
  throw OptionError(in_quotes(output) + " is no page, picture or JSON", "--output",
                    "give a name that ends with .html, .svg or .json");
}

void ShowCommand::write_output(const Learned& learned) const {
  if (output.empty()) return;
  if (has_ending(output, ".svg")) {
    write_file(output, effects_picture(learned));
  } else if (has_ending(output, ".json")) {
    write_file(output, to_json(learned) + "\n");
  } else {
    write_file(output, to_html(learned, static_cast<std::size_t>(unusual)));
  }
  if (!json) fmt::print("\nwritten: {}\n", printable(output));
}

void ShowCommand::run() const {
  if (!agent.empty() && task.empty()) {
    throw OptionError("names the agent of a task", "--agent", "give --task too");
  }
  check_output();
  Learned learned = what_was_learned(read_model(model_file));
  if (!task.empty()) keep_task(learned);
  if (json) {
    fmt::print("{}\n", to_json(learned));
  } else {
    print_tables(learned, !task.empty(), static_cast<std::size_t>(unusual));
  }
  write_output(learned);
}

}  // namespace

void add_show(CLI::App& program) {
  auto command = std::make_shared<ShowCommand>();
  CLI::App* app = program.add_subcommand(
      "show", "Show what a model has learned: effects of features, and how tasks differ");
  app->add_option("MODEL", command->model_file, "A file written by `colla train --model`")
      ->required()
      ->type_name("");
  add_text(*app, "--task", command->task,
           "Show one task: its estimate, and the one from its own rows")
      ->type_name("NAME");
  add_text(*app, "--agent", command->agent, "The task's agent, if several have one of that name")
      ->type_name("NAME");
  add_whole_number(*app, "--unusual", command->unusual, 0, 1000,
                   "How many of the most unusual tasks to show (models of bayes)");
  add_text(*app, "--output", command->output,
           "Also write a page that opens offline, its first picture, or the same as --json")
      ->type_name("FILE.html|.svg|.json");
  app->add_flag("--json", command->json, "Print one JSON object, with all tasks and all digits");
  app->footer(
      "An effect is what one step of a feature adds to a prediction, in the target's unit or the\n"
      "log-odds of a label. `between tasks` is its standard deviation, `other sign` counts tasks\n"
      "whose own effect has clearly (95 %) the other sign.");
  app->callback([command] { command->run(); });
}

}  // namespace colla::cli
