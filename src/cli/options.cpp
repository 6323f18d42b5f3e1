// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include "data/dataset.hpp"
#include "data/edge_file.hpp"
#include "roster/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace colla::cli {

const std::map<std::string, Problem> problem_names = {{"regression", Problem::regression},
                                                      {"classification", Problem::classification}};
const std::map<std::string, Codes> codes_names = {{"fresh", Codes::fresh},
                                                  {"stored", Codes::stored}};
const std::map<std::string, Solver> solver_names = {{"automatic", Solver::automatic},
                                                    {"dense", Solver::dense},
                                                    {"matrix-free", Solver::matrix_free}};
const std::map<std::string, EngineKind> engine_names = {{"inprocess", EngineKind::inprocess},
                                                        {"mpi", EngineKind::mpi}};

namespace {

template <typename Value>
bool parse(const std::string& text, Value& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

bool is_in(Range range, double value) {
  if (!std::isfinite(value) || value < 0.0) return false;
  if (range == Range::positive) return value > 0.0;
  return range != Range::fraction || value < 1.0;
}

const char* rule_of(Range range) {
  switch (range) {
    case Range::positive:
      return "give a number above 0";
    case Range::not_negative:
      return "give a number of 0 or above";
    case Range::fraction:
      return "give a number of 0 or above and below 1";
  }
  return "";
}

std::string with_default(const std::string& help, const std::string& value) {
  return help + " (default " + value + ")";
}

}  // namespace

CLI::Option* add_whole_number(CLI::App& app, const std::string& option, Index& value, Index least,
                              Index most, const std::string& help) {
  return app
      .add_option_function<std::string>(
          option,
          [option, least, most, &value](const std::string& text) {
            Index number = 0;
            if (!parse(text, number) || number < least || number > most) {
              throw OptionError("'" + text + "' will not do", option,
                                fmt::format("give a whole number from {} to {}", least, most));
            }
            value = number;
          },
          with_default(help, std::to_string(value)))
      ->type_name("N");
}

CLI::Option* add_init(CLI::App& app, std::string& file) {
  return add_text(app, "--init", file, "The first dictionary: d x u numbers, no header")
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
  return app
      .add_option_function<std::string>(
          "--seed",
          [&seed](const std::string& text) {
            if (!parse(text, seed)) {
              throw OptionError("'" + text + "' will not do", "--seed",
                                "give a whole number from 0 to 18446744073709551615");
            }
          },
          with_default("Everything random follows from it", std::to_string(seed)))
      ->type_name("N");
}

CLI::Option* add_number(CLI::App& app, const std::string& option, double& value, Range range,
                        const std::string& help) {
  return app
      .add_option_function<std::string>(
          option,
          [option, range, &value](const std::string& text) {
            double number = 0.0;
            if (!parse(text, number) || !is_in(range, number)) {
              throw OptionError("'" + text + "' will not do", option, rule_of(range));
            }
            value = number;
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
                  "The folder with the files of registered sets (default: the variable COLLA_DATA)")
      ->type_name("DIR");
}

void add_agent_settings(CLI::App& app, AgentOptions& agent, const std::string& group) {
  add_whole_number(app, "--atoms", agent.atoms, 1, 1'000'000, "u, atoms of the dictionary")
      ->group(group);
  add_number(app, "--lambda", agent.lambda, Range::positive, "Penalty on the dictionary's size")
      ->group(group);
  add_number(app, "--mu", agent.mu, Range::not_negative,
             "Penalty on a code's size; larger gives sparser codes")
      ->group(group);
  add_number(app, "--gamma", agent.gamma, Range::positive,
             "Ridge penalty of the single-task learner")
      ->group(group);
  add_choice(app, "--codes", agent.codes, codes_names,
             "Models use the code on the newest dictionary, or the one from the task's arrival "
             "(default fresh)")
      ->group(group);
}

void add_exchange_settings(CLI::App& app, ExchangeSettings& settings, double& rho, Index& refresh,
                           const std::string& group) {
  add_text(app, "--graph", settings.graph,
           "Who exchanges with whom; a file has one edge i,j per line, from 0 (default line)")
      ->type_name("line|star|ring|complete|random|none|FILE")
      ->group(group);
  add_number(app, "--rho", rho, Range::not_negative, "Penalty on disagreement between neighbours")
      ->group(group);
  add_text(app, "--iterations", settings.iterations, "Exchanges at each time step t")
      ->type_name("K|K1+K2/t|K,K,...")
      ->group(group);
  add_whole_number(app, "--refresh", refresh, 0, 1000,
                   "After a step, encode old tasks anew and exchange again, N times")
      ->group(group);
}

std::vector<Edge> choose_edges(const std::string& graph, Index agents, std::uint64_t seed,
                               double rho) {
  std::vector<Edge> edges;
  const auto& names = graph_names();
  if (std::find(names.begin(), names.end(), graph) != names.end()) {
    edges = make_graph(graph, agents, seed).edges();
  } else {
    for (const auto& [i, j] : read_edges(graph)) edges.push_back({i, j});
    try {
      edges = Graph(agents, edges).edges();
    } catch (const OptionError& error) {
      throw OptionError(error.what(), graph, "");
    }
    check_connected(Graph(agents, edges), graph);
  }
  if (!edges.empty() && rho == 0.0) {
    throw OptionError("must be above 0 where agents exchange", "--rho", "try 1");
  }
  return edges;
}

void add_row_settings(CLI::App& app, std::string& target_column, bool& no_intercept,
                      const std::string& group) {
  add_text(app, "--target-column", target_column, "The column to predict")->group(group);
  app.add_flag("--no-intercept", no_intercept, "Learn without a column of ones")->group(group);
}

CLI::Option* add_engine(CLI::App& app, EngineKind& engine, const std::string& spread) {
  return add_choice(app, "--engine", engine, engine_names,
                    "mpi: " + spread +
                        " are spread over the ranks of `mpirun -n R colla ...`; the result is the "
                        "same (default inprocess)");
}

void check_threads(const CLI::App& app, EngineKind engine, Index threads) {
  if (engine != EngineKind::mpi || app.count("--threads") == 0 || threads == 1) return;
  throw OptionError("a rank of MPI is one thread", "--threads",
                    "leave it out, and give mpirun more ranks");
}

}  // namespace colla::cli
