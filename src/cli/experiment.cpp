// SPDX-License-Identifier: Apache-2.0
// `colla experiment` and `colla reproduce`: the same runner, with a specification from a file or
// the built-in one of the paper.
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "experiment/summary.hpp"
#include "files/text.hpp"
#include "report/words.hpp"
#include "report/write_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>

namespace colla::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::atomic<bool> is_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

// The second interrupt ends the program at once.
void interrupt(int /*signal*/) {
  is_interrupted = true;
  std::signal(SIGINT, SIG_DFL);
  constexpr std::string_view text = "\ncolla: stopping after this evaluation; again: at once\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

// A bar on a terminal; otherwise a line every twentieth and every half minute.
class ProgressLines {
 public:
  void show(const Progress& progress) {
    bar_.show(progress.done, progress.total, progress.seconds_left);
    if (isatty(STDERR_FILENO) != 0) return;
    const Index share = 20 * progress.done / progress.total;
    const auto now = Clock::now();
    if (share == share_ && now - printed_ < std::chrono::seconds(30)) return;
    share_ = share;
    printed_ = now;
    fmt::print("{} of {} results, about {} left ({})\n", progress.done, progress.total,
               duration(progress.seconds_left), printable(progress.last));
    std::fflush(stdout);
  }

 private:
  ProgressBar bar_{"results"};
  Index share_ = 0;
  Clock::time_point printed_ = Clock::now();
};

struct ExperimentCommand {
  std::string file;
  std::string output;
  std::string data_folder;
  std::string only;
  Index trials = 0;
  Index threads = 0;
  std::uint64_t seed = 1;
  EngineKind engine = EngineKind::inprocess;
  CLI::App* app = nullptr;
  Ranks* ranks = nullptr;

  void add_options();
  void run(ExperimentSpec spec);

 private:
  ExperimentData load(const ExperimentSpec& spec) const;
  void make_folder() const;
  std::string command_line() const;
  void write(Report report) const;
};

void ExperimentCommand::add_options() {
  add_text(*app, "--output", output, "Where results and report go")->type_name("DIR");
  add_whole_number(*app, "--trials", trials, 1, 1'000'000,
                   "Trials of every method; you can add more later");
  add_seed(*app, seed);
  add_whole_number(*app, "--threads", threads, 0, 1024,
                   "Trials to run in parallel; 0: all cores; the results are the same");
  add_engine(*app, engine, "trials");
  add_text(*app, "--data-dir", data_folder,
           "Folder with the files of registered sets (default: the variable COLLA_DATA)")
      ->type_name("DIR");
}

// Loads everything before the work begins, to report a missing file at once.
ExperimentData ExperimentCommand::load(const ExperimentSpec& spec) const {
  ExperimentData data;
  for (const FigureSpec& figure : spec.figures) {
    for (const StudySpec& study : figure.studies) {
      if (data.count(study.data) > 0) continue;
      data.emplace(study.data, load_study_data(study.data, spec.folder, data_folder, spec.seed));
    }
  }
  return data;
}

void ExperimentCommand::make_folder() const {
  std::error_code error;
  fs::create_directories(output, error);
  if (error || !fs::is_directory(output)) {
    throw StoreError("cannot be made a folder", output, "choose another --output");
  }
}

std::string ExperimentCommand::command_line() const {
  std::string line = "colla " + app->get_name();
  for (const CLI::Option* option : app->get_options()) {
    if (option->count() == 0 || option->get_name() == "--output" ||
        option->get_name() == "--data-dir" || option->get_name() == "--threads" ||
        option->get_name() == "--engine") {
      continue;
    }
    if (option->get_name()[0] == '-') line += " " + option->get_name();
    for (const std::string& value : option->results()) line += " " + value;
  }
  return line;
}

std::string with_error(const Estimate& value, int digits) {
  if (std::isnan(value.mean)) return "-";
  // One trial, or scores that are not finite, give no standard error.
  if (!(value.standard_error > 0.0)) return fmt::format("{:.{}f}", value.mean, digits);
  return fmt::format("{:.{}f} +- {:.{}f}", value.mean, digits, value.standard_error, digits);
}

std::string percent(const Estimate& value) {
  return with_error({100.0 * value.mean, 100.0 * value.standard_error}, 1);
}

void print_study(const Study& study) {
  const int digits = study.higher_is_better ? 4 : 3;
  fmt::print("\n{}{}: {}, {} agents, {} tasks, {}\n", printable(study.title),
             needs_synthetic_mark(study) ? " (synthetic)" : "", study.metric, study.agents,
             study.tasks, counted(study.trials, "trial"));
  fmt::print("  {:<26} {:>18} {:>18} {:>16}\n", "", "mean of curve", "after all tasks",
             "jumpstart, %");
  for (const MethodResult& method : study.methods) {
    fmt::print("  {:<26} {:>18} {:>18} {:>16}\n",
               printable(method.label) + (method.is_ours ? " *" : ""),
               method.is_offline ? "-" : with_error(method.curve_mean, digits),
               with_error(method.final_score, digits), percent(method.jumpstart));
  }
  for (const PairedDifference& difference : study.differences) {
    if (std::isnan(difference.mean)) continue;
    fmt::print("  {} - {}, {}: {:+.4f} [{:+.4f}, {:+.4f}]{}\n", printable(difference.a),
               printable(difference.b), difference.quantity, difference.mean, difference.low,
               difference.high, difference.excludes_zero() ? "" : ", not told apart");
  }
}

void ExperimentCommand::write(Report report) const {
  report.command_line = command_line();
  report.versions = {{"colla", COLLA_VERSION},
                     {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                                           EIGEN_MINOR_VERSION)}};
  for (const Figure& figure : report.figures) {
    for (const Study& study : figure.studies) print_study(study);
  }
  const bool has_ours =
      std::any_of(report.figures.begin(), report.figures.end(), [](const Figure& figure) {
        return std::any_of(figure.studies.begin(), figure.studies.end(), [](const Study& study) {
          return std::any_of(study.methods.begin(), study.methods.end(),
                             [](const MethodResult& method) { return method.is_ours; });
        });
      });
  fmt::print(
      "\n{}+- standard error over trials; [] 95 % confidence interval of a paired "
      "difference.\n",
      has_ours ? "* not in the paper. " : "");
  write_report(report, output);
  fmt::print("report:  {}\n", printable((fs::path(output) / "report.html").string()));
  fmt::print("results: {}\n", printable((fs::path(output) / "results.sqlite").string()));
}

void ExperimentCommand::run(ExperimentSpec spec) {
  if (app->count("--trials") > 0) spec.trials = trials;
  if (app->count("--seed") > 0) spec.seed = seed;
  check_threads(*app, engine, threads);
  const ExperimentData data = load(spec);
  const ExperimentPlan plan = make_plan(spec, data);
  if (ranks != nullptr) check_agreement(*ranks, plan.fingerprint);
  if (ranks != nullptr && !ranks->is_first()) return serve_evaluations(spec, plan, data, *ranks);
  std::optional<Helpers> helpers;
  if (ranks != nullptr) helpers.emplace(*ranks);
  make_folder();
  const auto start = Clock::now();
  ExperimentResults results;
  {
    ProgressLines lines;
    RunOptions options;
    options.database = (fs::path(output) / "results.sqlite").string();
    options.threads = threads;
    options.helpers = helpers ? &*helpers : nullptr;
    options.observer = [&lines](const Progress& progress) { lines.show(progress); };
    options.stop = [] { return is_interrupted.load(); };
    std::signal(SIGINT, interrupt);
    results = run_experiment(spec, plan, data, options);
    std::signal(SIGINT, SIG_DFL);
  }
  if (!results.is_complete) {
    throw Interrupted(
        fmt::format("interrupted with {} of {} results; run the same command again to continue",
                    results.done, results.total));
  }
  Report report = summarise(spec, plan, data, results);
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  write(std::move(report));
}

// "a,b" as {"a", "b"}
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream text(list);
  for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  return names;
}

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The figures and data sets that `--only` names; without it, all.
ExperimentSpec selected(ExperimentSpec spec, const std::vector<std::string>& only) {
  if (only.empty()) return spec;
  const std::string first_figure = spec.figures.front().key;
  std::vector<std::string> known;
  for (const FigureSpec& figure : spec.figures) {
    known.push_back(figure.key);
    for (const StudySpec& study : figure.studies) {
      if (!is_named(known, study.data)) known.push_back(study.data);
    }
  }
  for (const std::string& name : only) {
    if (is_named(known, name)) continue;
    throw OptionError("no figure or data set '" + name + "'", "--only",
                      fmt::format("give some of {}", fmt::join(known, ", ")));
  }
  const bool names_figures =
      std::any_of(spec.figures.begin(), spec.figures.end(),
                  [&only](const FigureSpec& figure) { return is_named(only, figure.key); });
  bool names_data = false;
  for (const std::string& name : only) {
    names_data = names_data ||
                 std::none_of(spec.figures.begin(), spec.figures.end(),
                              [&name](const FigureSpec& figure) { return figure.key == name; });
  }
  std::erase_if(spec.figures, [&](FigureSpec& figure) {
    if (names_figures && !is_named(only, figure.key)) return true;
    std::erase_if(figure.studies, [&](const StudySpec& study) {
      return names_data && !is_named(only, study.data);
    });
    return figure.studies.empty();
  });
  // Table 1 belongs to Figure 1.
  spec.jumpstart_table =
      spec.jumpstart_table && !spec.figures.empty() && spec.figures.front().key == first_figure;
  if (spec.figures.empty()) {
    throw OptionError("leaves nothing to do", "--only", "name a figure that has the data set");
  }
  return spec;
}

}  // namespace

void add_experiment(CLI::App& program, Ranks* ranks) {
  auto command = std::make_shared<ExperimentCommand>();
  command->ranks = ranks;
  command->app = program.add_subcommand("experiment",
                                        "Compare methods over many trials, from a specification");
  command->app->add_option("FILE.toml", command->file, "The specification; see docs/experiments.md")
      ->required()
      ->type_name("");
  command->add_options();
  command->app->get_option("--trials")
      ->description("Trials of every method; you can add more later (default: from the file)");
  command->app->get_option("--seed")->description(
      "Seed of all random numbers (default: from the file)");
  command->app->get_option("--output")
      ->description("Where results and report go (default: the file's name with -results)");
  command->app->footer(
      "Run the same command again to resume an interrupted run.\n"
      "Example:\n"
      "  colla experiment examples/quick.toml --output quick");
  command->app->callback([command] {
    const ExperimentSpec spec = read_specification(command->file);
    if (command->output.empty()) command->output = stem(command->file) + "-results";
    command->run(spec);
  });
}

void add_reproduce(CLI::App& program, Ranks* ranks) {
  auto command = std::make_shared<ExperimentCommand>();
  command->ranks = ranks;
  command->output = "colla-reproduction";
  command->trials = paper_specification().trials;
  command->seed = paper_specification().seed;
  command->app =
      program.add_subcommand("reproduce", "Reproduce the paper's Figure 1, Figure 2 and Table 1");
  command->add_options();
  add_text(*command->app, "--only", command->only,
           "Run only these figures (figure-1, figure-2) and data sets")
      ->type_name("NAME,...");
  command->app->footer(
      "Run the same command again to resume an interrupted run. `colla data list` shows which\n"
      "data sets are present.\n"
      "Example:\n"
      "  colla reproduce --trials 5 --only landmine,figure-1");
  command->app->callback([command] {
    try {
      command->run(selected(paper_specification(), names_in(command->only)));
    } catch (const DataError& error) {
      throw DataError(error.what(), "", "to skip this data set, name the others with --only");
    }
  });
}

}  // namespace colla::cli
