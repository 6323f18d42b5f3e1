// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include "data/dataset.hpp"
#include "data/edge_file.hpp"
#include "roster/network.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace colla::cli {

namespace {

std::string with_default(const std::string& help, const std::string& value) {
  return help + " (default " + value + ")";
}

// The placeholder for a value of the domain in a command's help.
std::string placeholder(const Domain& domain) {
  if (std::holds_alternative<WholeNumbers>(domain)) return "N";
  if (const auto* notation = std::get_if<Notation>(&domain)) return notation->form;
  return std::holds_alternative<RealNumbers>(domain) ? "X" : description(domain);
}

std::uint64_t whole_number_in(const std::string& option, const WholeNumbers& domain,
                              const std::string& text) {
  try {
    return std::get<std::uint64_t>(accepted(option, domain, parse_value(domain, text)));
  } catch (const SettingError& error) {
    throw error.named(option);
  }
}

template <typename Options>
void add_setting(CLI::App& app, const Setting<Options>& setting, Options& options,
                 const std::string& group) {
  const auto read = [&setting, &options](const std::string& text) {
    setting.set(options, parse_value(setting.domain, text));
  };
  const std::string help = with_default(setting.help, to_text(setting.get(options)));
  app.add_option_function<std::string>(option_of(setting.key), read, help)
      ->type_name(placeholder(setting.domain))
      ->group(group);
  if (setting.former_key.empty()) return;
  const std::string hidden;
  app.add_option_function<std::string>(option_of(setting.former_key), read)->group(hidden);
}

}  // namespace

std::string option_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

CLI::Option* add_whole_number(CLI::App& app, const std::string& option, Index& value, Index least,
                              Index most, const std::string& help) {
  const WholeNumbers domain = {static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)};
  return app
      .add_option_function<std::string>(
          option,
          [option, domain, &value](const std::string& text) {
            value = static_cast<Index>(whole_number_in(option, domain, text));
          },
          with_default(help, std::to_string(value)))
      ->type_name("N");
}

CLI::Option* add_init(CLI::App& app, std::string& file) {
  return add_text(app, "--init", file, "Initial dictionary: d x u numbers, no header")
      ->type_name("FILE.csv");
}

Matrix read_first_dictionary(const std::string& file, Index features, Index atoms, bool intercept) {
  Matrix first = read_matrix_csv(file);
  if (atoms == 0) atoms = first.cols();
  if (first.rows() != features || first.cols() != atoms) {
    throw OptionError(
        fmt::format("has {} x {} numbers, and {} x {} are needed (features{} x atoms)",
                    first.rows(), first.cols(), features, atoms, intercept ? " and intercept" : ""),
        file, "give a matrix of that size to --init");
  }
  return first;
}

CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed) {
  const WholeNumbers any = {0, std::numeric_limits<std::uint64_t>::max()};
  return app
      .add_option_function<std::string>(
          "--seed",
          [any, &seed](const std::string& text) { seed = whole_number_in("--seed", any, text); },
          with_default("Seed of all random numbers", std::to_string(seed)))
      ->type_name("N");
}

CLI::Option* add_fraction(CLI::App& app, const std::string& option, double& value,
                          const std::string& help) {
  return app
      .add_option_function<std::string>(
          option,
          [option, &value](const std::string& text) {
            const SettingValue read = parse_value(RealNumbers::not_negative, text);
            const auto* number = std::get_if<double>(&read);
            if (number == nullptr || !(*number >= 0.0 && *number < 1.0)) {
              throw OptionError("invalid value '" + text + "'", option,
                                "give a number of 0 or above and below 1");
            }
            value = *number;
          },
          with_default(help, fmt::format("{:g}", value)))
      ->type_name("X");
}

CLI::Option* add_text(CLI::App& app, const std::string& option, std::string& value,
                      const std::string& help) {
  return app
      .add_option_function<std::string>(
          option,
          [option, &value](const std::string& text) {
            if (text.empty()) throw OptionError("is empty", option, "give a name");
            value = text;
          },
          value.empty() ? help : with_default(help, value))
      ->type_name("NAME");
}

CLI::Option* add_data_folder(CLI::App& app, std::string& folder) {
  return add_text(app, "--data-dir", folder,
                  "Folder with the files of registered sets (default: the variable COLLA_DATA)")
      ->type_name("DIR");
}

void add_settings(CLI::App& app, NetworkOptions& options, Place place) {
  for (const Setting<AgentOptions>& setting : agent_settings()) {
    if (setting.stands(place)) add_setting(app, setting, options.agent, method_group);
  }
  for (const Setting<NetworkOptions>& setting : exchange_settings()) {
    if (setting.stands(place)) add_setting(app, setting, options, network_group);
  }
}

namespace {

std::string why_bayes_refuses(const std::string& key) {
  if (key == "rho") return "bayes takes it from the graph";
  if (key == "gamma") return "bayes learns how much tasks differ instead";
  return "bayes has no dictionary";
}

}  // namespace

void refuse_settings_without_prior(const CLI::App& app, Place place) {
  std::vector<std::string> keys = {"init", "rho"};
  for (const Setting<AgentOptions>& setting : agent_settings()) {
    // `train` compares with each task on its own, which has a ridge penalty.
    const bool is_heeded = place == on_command_line && setting.key == "gamma";
    if (!setting.stands(place) || setting.stands(with_prior) || is_heeded) continue;
    keys.push_back(setting.key);
  }
  for (const std::string& key : keys) {
    if (app.count(option_of(key)) == 0) continue;
    throw OptionError(why_bayes_refuses(key), option_of(key), instead_of_bayes);
  }
}

void add_graph(CLI::App& app, std::string& graph) {
  std::string names;
  for (const std::string& name : graph_names()) names += name + "|";
  add_text(app, "--graph", graph,
           "Which agents exchange; a file has one edge i,j per line, counted from 0 (default line)")
      ->type_name(names + "FILE")
      ->group(network_group);
}

namespace {

Graph graph_of_file(const std::string& file, Index agents) {
  std::vector<Edge> edges;
  for (const auto& [i, j] : read_edges(file)) edges.push_back({i, j});
  try {
    Graph graph(agents, edges);
    check_connected(graph);
    return graph;
  } catch (const SettingError& error) {
    throw error.named(file);
  } catch (const OptionError& error) {
    throw OptionError(error.what(), file, "");
  }
}

}  // namespace

std::vector<Edge> choose_edges(const std::string& graph, Index agents,
                               const NetworkOptions& options) {
  const auto& names = graph_names();
  const bool is_name = std::find(names.begin(), names.end(), graph) != names.end();
  const Graph chosen =
      is_name ? make_graph(graph, agents, options.agent.seed) : graph_of_file(graph, agents);
  check_rho(options, !chosen.edges().empty());
  return chosen.edges();
}

void add_row_settings(CLI::App& app, std::string& target_column, bool& no_intercept,
                      const std::string& group) {
  add_text(app, "--target-column", target_column, "The column to predict")->group(group);
  app.add_flag("--no-intercept", no_intercept, "Learn without a column of ones")->group(group);
}

CLI::Option* add_engine(CLI::App& app, EngineKind& engine, const std::string& spread) {
  return add_choice<EngineKind>(
      app, "--engine", engine,
      "mpi: spread " + spread +
          " over the ranks of `mpirun -n R colla ...`; the result is the same (default inprocess)");
}

void check_threads(const CLI::App& app, EngineKind engine, Index threads) {
  if (engine != EngineKind::mpi || app.count("--threads") == 0 || threads == 1) return;
  throw OptionError("a rank of MPI is one thread", "--threads",
                    "leave it out, and give mpirun more ranks");
}

}  // namespace colla::cli
