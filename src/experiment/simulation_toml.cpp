// SPDX-License-Identifier: Apache-2.0
// Simulations as TOML files. Every error names the file, the line and the key.
#include "experiment/simulation.hpp"
#include "files/text.hpp"
#include "files/toml_section.hpp"
#include "training/algorithm.hpp"

#include <colla/error.hpp>

#include <limits>

namespace colla {
namespace {

constexpr Index many = 100'000;
constexpr Index large = 10'000;

void read_chance(TomlSection& section, const char* key, double& value) {
  section.number(key, value, TomlRange::not_negative);
  if (value >= 1.0) section.refuse(section.take(key), key, "is not below 1", "give a share");
}

void read_method(TomlSection& root, SimulationSpec& spec) {
  auto algorithm = Algorithm::colla;
  root.word("algorithm", algorithm);
  if (algorithm != Algorithm::colla && algorithm != Algorithm::bayes) {
    root.refuse(root.take("algorithm"), "algorithm", "its agents do not live",
                "give \"colla\" or \"bayes\"");
  }
  spec.has_prior = algorithm == Algorithm::bayes;
  for (const char* key : {"atoms", "lambda", "mu", "gamma", "metric", "refresh"}) {
    const auto& setting = setting_named(network_settings(), key);
    if (spec.has_prior && !setting.stands(with_prior)) continue;
    root.setting(key, [&](const SettingValue& value) { setting.set(spec.network, value); });
  }
  read_chance(root, "tolerance", spec.living.tolerance);
  if (spec.living.tolerance == 0.0) {
    root.refuse(root.take("tolerance"), "tolerance", "is 0", "give a number above 0");
  }
}

void read_synthetic(TomlSection section, SimulationSpec& spec) {
  SyntheticOptions& synthetic = spec.synthetic.emplace();
  synthetic.seed = spec.seed;
  synthetic.agents = spec.agents;
  section.whole_number("tasks", synthetic.tasks_per_agent, 1, large);
  section.whole_number("rows", synthetic.rows, 2, large);
  section.whole_number("features", synthetic.features, 1, large);
  section.whole_number("atoms", synthetic.atoms, 1, large);
  section.whole_number("active", synthetic.active, 1, large);
  section.number("noise", synthetic.noise, TomlRange::not_negative);
  section.word("problem", synthetic.problem);
  section.finish();
}

void read_data(TomlSection& root, SimulationSpec& spec) {
  root.whole_number("agents", spec.agents, 2, many);
  root.text("data", spec.data);
  const toml::node* node = root.take("synthetic");
  if (node == nullptr) {
    root.require("data", "name a data set or a file, or describe tasks in [synthetic]");
    return;
  }
  if (!spec.data.empty()) {
    root.refuse(node, "synthetic", "stands beside 'data'", "leave one of them out");
  }
  if (node->as_table() == nullptr) {
    root.refuse(node, "synthetic", "is not a table", "write [synthetic]");
  }
  root.require("agents", "give the number of agents that have such tasks");
  read_synthetic(TomlSection(*node->as_table(), root.file(), root.path_of("synthetic")), spec);
}

void read_storm(TomlSection section, SimulationSpec& spec) {
  StormOptions& storm = spec.storm;
  section.require("until", "give the time when disturbances end");
  section.number("until", spec.storm_until, TomlRange::not_negative);
  read_chance(section, "loss", storm.links.loss);
  read_chance(section, "duplicates", storm.links.duplicates);
  section.number("delay", storm.links.delay, TomlRange::not_negative);
  read_chance(section, "pauses", storm.pauses);
  read_chance(section, "restarts", storm.restarts);
  read_chance(section, "restores", storm.restores);
  section.number("absence", storm.absence, TomlRange::positive);
  section.number("keeping", storm.keeping, TomlRange::positive);
  read_chance(section, "joins", storm.joins);
  read_chance(section, "leaves", storm.leaves);
  read_chance(section, "partitions", storm.partitions);
  section.finish();
}

void read_root(TomlSection& root, SimulationSpec& spec) {
  root.text("name", spec.name);
  Index seed = static_cast<Index>(spec.seed);
  root.whole_number("seed", seed, 0, std::numeric_limits<Index>::max());
  spec.seed = static_cast<std::uint64_t>(seed);
  root.text("graph", spec.graph);
  read_data(root, spec);
  root.number("every", spec.every, TomlRange::not_negative);
  root.number("most_time", spec.most_time, TomlRange::positive);
  read_method(root, spec);
  if (const toml::node* node = root.take("storm")) {
    if (node->as_table() == nullptr) root.refuse(node, "storm", "is not a table", "write [storm]");
    read_storm(TomlSection(*node->as_table(), root.file(), root.path_of("storm")), spec);
  }
  root.finish();
  root.setting("graph",
               [&](const SettingValue&) { check_connected(make_graph(spec.graph, 3, spec.seed)); });
}

}  // namespace

SimulationSpec parse_simulation(std::string_view text, const std::string& name) {
  const toml::table table = parse_toml(text, name);
  TomlSection root(table, name);
  SimulationSpec spec;
  spec.name = stem(name);
  read_root(root, spec);
  return spec;
}

SimulationSpec read_simulation(const std::string& path) {
  SimulationSpec spec = parse_simulation(read_text_file(path), path);
  spec.folder = path.substr(0, path.rfind('/') + 1);  // nothing if there is no slash
  return spec;
}

}  // namespace colla
