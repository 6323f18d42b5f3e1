// SPDX-License-Identifier: Apache-2.0
// `colla simulate`: how a network of living agents comes together, in virtual time.
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "experiment/simulation.hpp"
#include "files/text.hpp"
#include "files/unfinished_file.hpp"
#include "report/chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace colla::cli {
namespace {

struct SimulateCommand {
  std::string file;
  std::string output;
  std::string data_folder;

  void run() const;

 private:
  void check_output() const;
  void draw(const SimulationSpec& spec, const SimulationResult& result) const;
};

void SimulateCommand::check_output() const {
  if (output.empty()) return;
  if (!has_ending(output, ".svg")) {
    throw OptionError(in_quotes(output) + " is no picture", "--output",
                      "give a name that ends with .svg");
  }
  check_place(output, true);
}

std::string faults(const StormCounts& storm) {
  std::string text;
  const auto add = [&text](std::uint64_t count, const char* noun) {
    if (count == 0) return;
    text += (text.empty() ? "" : ", ") + counted(static_cast<long>(count), noun);
  };
  add(storm.pauses, "pause");
  add(storm.restarts, "restart");
  add(storm.restores, "restore");
  add(storm.joins, "join");
  add(storm.leaves, "leave");
  add(storm.partitions, "partition");
  return text.empty() ? "none" : text;
}

std::string exchanges(double count) {
  return std::isnan(count) ? "never" : fmt::format("after {:.1f} exchanges", count);
}

void print_result(const SimulationSpec& spec, const SimulationResult& result) {
  const SimulationCounts& counts = result.counts;
  fmt::print("{}: {} on a {} graph, {}, {}\n", printable(spec.name),
             counted(result.agents, "agent"), printable(spec.graph), counted(result.tasks, "task"),
             spec.has_prior ? "bayes" : "colla");
  fmt::print("faults:            {}\n", faults(result.storm));
  fmt::print("messages:          {} sent, {} lost ({:.0f} %), {} set aside\n", counts.messages,
             counts.lost,
             100.0 * static_cast<double>(counts.lost) /
                 static_cast<double>(std::max<std::uint64_t>(1, counts.messages)),
             counts.set_aside);
  fmt::print("calm from:         {:.0f}; then {:.1f} messages an edge\n", result.calm_from,
             static_cast<double>(result.messages_since_calm) /
                 static_cast<double>(std::max<Index>(1, result.edges)));
  fmt::print("agreement to 1e-3: {}\n", exchanges(result.exchanges_to_1e3));
  fmt::print("agreement to 1e-6: {}\n", exchanges(result.exchanges_to_1e6));
  const auto time = result.course.size();
  fmt::print("in the end:        {} at {}, the farthest agent {:.1e} from the optimum\n",
             result.is_settled ? "settled" : "not settled", time, result.course.back().farthest);
}

void SimulateCommand::draw(const SimulationSpec& spec, const SimulationResult& result) const {
  Chart chart;
  chart.id = "simulation";
  chart.title = spec.name;
  chart.horizontal = "time (unit: the mean pause of an agent before it wakes)";
  chart.vertical = "distance from the optimum of the tasks that are there";
  chart.is_logarithmic = true;
  chart.width = 860;
  chart.height = 440;
  Series farthest{"farthest", "farthest agent", 0, false, {}};
  Series median{"median", "median agent", 1, false, {}};
  for (const Distances& distances : result.course) {
    farthest.points.push_back({distances.farthest, 0.0});
    median.points.push_back({distances.median, 0.0});
  }
  chart.series = {farthest, median};
  write_file(output, colla::draw(chart));
  fmt::print("written:           {}\n", printable(output));
}

void SimulateCommand::run() const {
  check_output();
  const SimulationSpec spec = read_simulation(file);
  const SimulationResult result = simulate(spec, load_tasks(spec, data_folder));
  print_result(spec, result);
  if (!output.empty()) draw(spec, result);
  if (!result.is_settled) {
    throw Failure(fmt::format("the agents have not settled by {:g}", spec.most_time));
  }
}

}  // namespace

void add_simulate(CLI::App& program) {
  auto command = std::make_shared<SimulateCommand>();
  CLI::App* app = program.add_subcommand(
      "simulate", "Simulate a network of living agents: bad links, crashes, joins and leaves");
  app->add_option("FILE", command->file, "A TOML file; docs/simulate.md has all its keys")
      ->required()
      ->type_name("");
  add_text(*app, "--output", command->output, "Draw how the agents come together")
      ->type_name("FILE.svg");
  add_data_folder(*app, command->data_folder);
  app->footer(
      "The agents are those of a program (`colla agent run`); time and messages are simulated,\n"
      "and everything follows from the file's seed. An exchange is one wake of every agent.");
  app->callback([command] { command->run(); });
}

}  // namespace colla::cli
