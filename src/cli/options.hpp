// SPDX-License-Identifier: Apache-2.0
// Strict options: the error for a value out of range names the option and says what to do.
#pragma once

#include "training/training.hpp"

#include <colla/error.hpp>
#include <colla/network_options.hpp>

#include <CLI/CLI.hpp>

#include <limits>
#include <string>
#include <vector>

namespace colla::cli {

/// `--data-dir` for the key data_dir.
std::string option_of(std::string key);

/// One of the names of `Enum`. The target may be an optional one.
template <typename Enum, typename Target>
CLI::Option* add_choice(CLI::App& app, const std::string& option, Target& target,
                        const std::string& help) {
  return app
      .add_option_function<std::string>(
          option,
          [option, &target](const std::string& text) {
            const auto found = from_name<Enum>(text);
            if (!found) {
              throw OptionError("invalid value '" + text + "'", option, "give " + choices<Enum>());
            }
            target = *found;
          },
          help)
      ->type_name(choices<Enum>());
}

/// A whole number in decimal digits, from `least` to `most`.
CLI::Option* add_whole_number(CLI::App& app, const std::string& option, Index& value, Index least,
                              Index most, const std::string& help);
/// --seed of a command without the other settings.
CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed);
/// --init, a file with the first dictionary.
CLI::Option* add_init(CLI::App& app, std::string& file);
/// What --init names. Throws OptionError unless it has this many rows and, if `atoms` is not 0,
/// columns.
Matrix read_first_dictionary(const std::string& file, Index features, Index atoms, bool intercept);

/// A number of 0 or above and below 1.
CLI::Option* add_fraction(CLI::App& app, const std::string& option, double& value,
                          const std::string& help);

/// A name or path that must not be empty.
CLI::Option* add_text(CLI::App& app, const std::string& option, std::string& value,
                      const std::string& help);

/// --data-dir, where the files of registered sets are.
CLI::Option* add_data_folder(CLI::App& app, std::string& folder);

/// The settings of the agents and of the exchanges that can be given in `place`, one group each.
void add_settings(CLI::App& app, NetworkOptions& options, Place place);
/// Throws OptionError for the first given option of `place` that bayes would not heed.
void refuse_settings_without_prior(const CLI::App& app, Place place);
inline constexpr char instead_of_bayes[] = "leave it out, or use --algorithm colla";
inline constexpr char method_group[] = "Method";
inline constexpr char network_group[] = "Network";

/// --graph, which stays empty if it is not given.
void add_graph(CLI::App& app, std::string& graph);
/// The edges of a graph given by its name or file. Throws OptionError or DataError if the graph
/// does not fit the number of agents, or if rho does not fit the graph.
std::vector<Edge> choose_edges(const std::string& graph, Index agents,
                               const NetworkOptions& options);

/// --target-column and --no-intercept.
void add_row_settings(CLI::App& app, std::string& target_column, bool& no_intercept,
                      const std::string& group);

/// What runs the agents or the trials.
enum class EngineKind { inprocess, mpi };

/// --engine; `spread` says what MPI's ranks share.
CLI::Option* add_engine(CLI::App& app, EngineKind& engine, const std::string& spread);
/// Throws OptionError for more than one thread in a rank of MPI.
void check_threads(const CLI::App& app, EngineKind engine, Index threads);

}  // namespace colla::cli

template <>
struct colla::Names<colla::cli::EngineKind> {
  static constexpr Named<cli::EngineKind> all[] = {{cli::EngineKind::inprocess, "inprocess"},
                                                   {cli::EngineKind::mpi, "mpi"}};
};
