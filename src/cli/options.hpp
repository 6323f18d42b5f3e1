// SPDX-License-Identifier: Apache-2.0
// Options that are read strictly: a value out of its range is refused by name, with what to do.
#pragma once

#include "experiment/training.hpp"

#include <colla/error.hpp>
#include <colla/graph.hpp>
#include <colla/lifelong_agent.hpp>

#include <CLI/CLI.hpp>

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace colla::cli {

extern const std::map<std::string, Problem> problem_names;
extern const std::map<std::string, Codes> codes_names;
extern const std::map<std::string, Solver> solver_names;

/// Who runs the agents, or the trials.
enum class EngineKind { inprocess, mpi };
extern const std::map<std::string, EngineKind> engine_names;

template <typename Value>
const std::string& name_of(const std::map<std::string, Value>& names, Value value) {
  for (const auto& [name, candidate] : names) {
    if (candidate == value) return name;
  }
  static const std::string none;
  return none;
}

template <typename Value>
std::string choices(const std::map<std::string, Value>& names) {
  std::string text;
  for (const auto& entry : names) text += (text.empty() ? "" : "|") + entry.first;
  return text;
}

/// One of the names.
template <typename Value>
CLI::Option* add_choice(CLI::App& app, const std::string& option, Value& value,
                        const std::map<std::string, Value>& names, const std::string& help) {
  return app
      .add_option_function<std::string>(
          option,
          [option, &value, &names](const std::string& text) {
            const auto found = names.find(text);
            if (found == names.end()) {
              throw OptionError("'" + text + "' is not one of its values", option,
                                "give " + choices(names));
            }
            value = found->second;
          },
          help)
      ->type_name(choices(names));
}

/// A whole number in decimal digits, from `least` to `most`.
CLI::Option* add_whole_number(CLI::App& app, const std::string& option, Index& value, Index least,
                              Index most, const std::string& help);
CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed);
/// --init, a file with the first dictionary.
CLI::Option* add_init(CLI::App& app, std::string& file);
/// What --init names. Throws OptionError unless it has this many rows and, if `atoms` is not 0,
/// columns.
Matrix read_first_dictionary(const std::string& file, Index features, Index atoms, bool intercept);

/// What a number must be.
enum class Range { positive, not_negative, fraction };
CLI::Option* add_number(CLI::App& app, const std::string& option, double& value, Range range,
                        const std::string& help);

/// A name or path that must not be empty.
CLI::Option* add_text(CLI::App& app, const std::string& option, std::string& value,
                      const std::string& help);

/// --data-dir, where the files of registered sets are.
CLI::Option* add_data_folder(CLI::App& app, std::string& folder);

/// --atoms, --lambda, --mu, --gamma, --codes.
void add_agent_settings(CLI::App& app, AgentOptions& agent, const std::string& group);

/// How agents exchange, as the options say it.
struct ExchangeSettings {
  std::string graph;  ///< empty: not given
  std::string iterations = "20";
};
/// --graph, --rho, --iterations, --refresh.
void add_exchange_settings(CLI::App& app, ExchangeSettings& settings, double& rho, Index& refresh,
                           const std::string& group);
/// The edges of a graph given by its name or file. Throws OptionError or DataError if the graph is
/// none for so many agents, or if rho does not fit it.
std::vector<Edge> choose_edges(const std::string& graph, Index agents, std::uint64_t seed,
                               double rho);

/// --target-column and --no-intercept.
void add_row_settings(CLI::App& app, std::string& target_column, bool& no_intercept,
                      const std::string& group);

/// --engine; `spread` says what MPI's ranks share.
CLI::Option* add_engine(CLI::App& app, EngineKind& engine, const std::string& spread);
/// Throws OptionError for more than one thread in a rank of MPI.
void check_threads(const CLI::App& app, EngineKind engine, Index threads);

}  // namespace colla::cli
