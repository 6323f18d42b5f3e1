// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/network_commands.hpp"
#include "cli/options.hpp"
#include "cli/privacy_choice.hpp"
#include "cli/recipe_options.hpp"
#include "cli/terminal.hpp"
#include "files/sha256.hpp"
#include "files/text.hpp"
#include "roster/home.hpp"
#include "roster/provision.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <memory>

namespace colla::cli {
namespace {

namespace fs = std::filesystem;

std::string earliest_end(const std::vector<IssuedHome>& homes) {
  const auto earliest = std::min_element(
      homes.begin(), homes.end(),
      [](const IssuedHome& a, const IssuedHome& b) { return a.not_after < b.not_after; });
  return date_of(earliest->not_after);
}

std::size_t longest_name(const Network& network) {
  std::size_t longest = 0;
  for (const RosterAgent& agent : network.agents) longest = std::max(longest, agent.name.size());
  return longest;
}

struct InitCommand {
  std::string folder;
  std::string agents;
  std::string features;
  std::string like_file;
  std::string recipe_file;
  RecipeOptions wishes;  // for a recipe like that file
  std::string init_file;
  AgentAlgorithm algorithm = AgentAlgorithm::bayes;
  Network network;
  std::optional<Recipe> recipe;
  std::string graph;
  bool no_intercept = false;
  Index days = agent_days;
  bool trusts_neighbours = false;
  Index release_batch = 1;
  PrivacyChoice privacy;
  CLI::App* app = nullptr;

  void add_options();
  void run();

 private:
  void add_row_options();
  void add_privacy_options();
  void check_trust();
  void read_agents();
  void check_mode();
  void check_algorithm() const;
  void choose_features();
  void read_features();
  Recipe learn_like_file();
  void use(const Recipe& chosen);
  void use_bayes();
  std::string read_start();
  void report_recipe() const;
  void report_trust() const;
  void report(const std::vector<IssuedHome>& homes) const;
};

void InitCommand::add_options() {
  network.mode = Mode::living;
  network.metric = MetricKind::scale;
  add_text(*app, "DIR", folder, "The folder to make; it must be new or empty")
      ->required()
      ->type_name("");
  const char* const group = network_group;
  add_text(*app, "--agents", agents,
           "The agents and their addresses; of two neighbours the first one calls the other")
      ->required()
      ->type_name("NAME=HOST:PORT,...")
      ->group(group);
  add_choice<Mode>(
      *app, "--mode", network.mode,
      "living: an agent learns a task at once, waits for nobody, and agents can be added and "
      "removed; lockstep: every agent learns one task in every step, as in the paper "
      "(default living)")
      ->group(group);
  add_graph(*app, graph);
  add_choice<AgentAlgorithm>(
      *app, "--algorithm", algorithm,
      "bayes: agents exchange means and learn what tasks have in common as a prior; colla: agents "
      "exchange dictionaries (default bayes)")
      ->group(method_group);
  add_settings(*app, network, in_network_file);
  add_init(*app, init_file)->group(method_group);
  add_row_options();
  add_privacy_options();
  add_days(*app, days);
}

void InitCommand::add_privacy_options() {
  const char* const group = "Privacy (docs/privacy.md)";
  app->add_flag(
         "--trust-neighbours", trusts_neighbours,
         "Neighbours may know each other's task models, and rows of small tasks: asked for by "
         "colla and lockstep; with bayes, agents tell all they can, correlations too")
      ->group(group);
  add_whole_number(*app, "--release-batch", release_batch, 1, largest_release_batch,
                   "How many of its tasks an agent tells of together; 3 or more hide single tasks "
                   "(default 1)")
      ->group(group);
}

void InitCommand::add_row_options() {
  const char* const rows = "Rows";
  add_text(*app, "--like", like_file,
           "Learn a recipe from this CSV file: how every site's table becomes features")
      ->type_name("FILE")
      ->group(rows);
  add_text(*app, "--recipe", recipe_file, "Use this recipe instead")
      ->type_name("FILE")
      ->group(rows);
  add_text(*app, "--features", features,
           "Without a recipe, rows hold the features: their number or their names")
      ->type_name("D|NAME,NAME,...")
      ->group(rows);
  add_text(*app, "--task-column", wishes.task_column,
           "The column of --like that names a row's task")
      ->group(rows);
  add_row_settings(*app, network.target_column, no_intercept, rows);
  add_recipe_options(*app, wishes, rows);
  add_whole_number(*app, "--minimum-rows", network.minimum_rows, 1, 1'000'000,
                   "Fewest rows that agents learn at a time; neighbours could reconstruct fewer")
      ->group(rows);
  privacy.add_to(*app, rows);
}

void InitCommand::read_agents() {
  const std::string where = "--agents";
  for (const std::string& part : split(agents, ',')) {
    network.agents.push_back(checked_agent(parse_agent(part, where), network.agents, where));
  }
}

// Agents that live have no common steps.
void InitCommand::check_mode() {
  const bool is_living = network.mode == Mode::living;
  if (!is_living && app->count("--metric") > 0) {
    throw OptionError("belongs to the rule of living networks", "--metric", "leave it out");
  }
  if (!is_living) return;
  make_living(network);
  for (const Setting<NetworkOptions>& setting : exchange_settings()) {
    const bool is_option = setting.stands(in_network_file) && setting.key != "metric";
    if (!is_option || app->count(option_of(setting.key)) == 0) continue;
    throw OptionError("a living network has nothing to set there", option_of(setting.key),
                      "leave it out, or give --mode lockstep");
  }
  if (graph == "none") {
    throw OptionError("a living network joins all its agents", "--graph", "choose another one");
  }
}

// Where neighbours can find out models and rows, all parties must know it.
void InitCommand::check_trust() {
  const bool is_living = network.mode == Mode::living;
  const bool has_batches = is_living && algorithm == AgentAlgorithm::bayes;
  const bool gives_batch = app->count("--release-batch") > 0;
  if (gives_batch && (!has_batches || trusts_neighbours)) {
    throw OptionError(has_batches ? "trusted neighbours are told of each task alone"
                                  : "belongs to living networks of bayes",
                      "--release-batch",
                      has_batches ? "give it or --trust-neighbours" : "leave it out");
  }
  if (!has_batches && !trusts_neighbours) {
    throw OptionError(
        "neighbours in such a network can find out each other's task models, and "
        "rows of small tasks",
        is_living ? "--algorithm colla" : "--mode lockstep",
        "give --trust-neighbours if all parties may know them, or leave that out");
  }
  network.release_batch = trusts_neighbours ? 0 : release_batch;
}

// Options of dictionaries do nothing with a collective prior.
void InitCommand::check_algorithm() const {
  if (algorithm == AgentAlgorithm::colla) return;
  refuse_settings_without_prior(*app, in_network_file);
  if (features.empty()) return;
  throw OptionError("bayes needs features of unit size, as a recipe makes them", "--features",
                    "give --like FILE or --recipe FILE instead, or --algorithm colla");
}

// From one source; options that it would not heed are refused.
void InitCommand::choose_features() {
  const int sources = !features.empty() + !like_file.empty() + !recipe_file.empty();
  if (sources != 1) {
    throw OptionError("what the agents' features are is given " +
                          std::string(sources == 0 ? "nowhere" : "more than once"),
                      "--like, --recipe, --features", "give one of them");
  }
  if (like_file.empty()) {
    std::vector<const char*> unheeded(std::begin(recipe_options), std::end(recipe_options));
    unheeded.push_back("--task-column");
    if (features.empty()) unheeded.insert(unheeded.end(), {"--target-column", "--problem"});
    const std::string option = first_given(*app, unheeded);
    if (!option.empty()) {
      throw OptionError(features.empty() ? "the recipe says it" : "needs --like", option,
                        "leave it out");
    }
  }
  if (!features.empty()) return read_features();
  use(like_file.empty() ? read_recipe(recipe_file) : learn_like_file());
}

Recipe InitCommand::learn_like_file() {
  wishes.target_column = network.target_column;
  if (app->count("--problem") > 0) wishes.problem = network.agent.problem;
  if (wishes.expand == Expansion::automatic && algorithm != AgentAlgorithm::bayes) {
    wishes.expand = Expansion::none;
  }
  const Table table = read_table(like_file, table_options(wishes));
  return learn_recipe(table, all_rows(table), wishes);
}

void InitCommand::use(const Recipe& chosen) {
  check_for_network(chosen, like_file.empty() ? recipe_file : like_file);
  recipe = chosen;
  network.recipe = sha256_of_bytes(to_toml(chosen));
  network.target_column = chosen.target_column;
  network.agent.problem = chosen.target.problem;
  network.columns = std::ssize(feature_names(chosen));
}

void InitCommand::read_features() {
  const char* end = features.data() + features.size();
  const auto [stop, error] = std::from_chars(features.data(), end, network.columns);
  const bool is_number = stop == end;
  if (is_number) {
    constexpr Index most = 1'000'000;
    if (error != std::errc() || network.columns < 1 || network.columns > most) {
      throw OptionError(
          "invalid value " + colla::in_quotes(features), "--features",
          fmt::format("give a whole number from 1 to {}, or the features' names with commas",
                      most));
    }
    return;
  }
  network.feature_names = split(features, ',');
  check_feature_names(network.feature_names, network.target_column, "--features");
  network.columns = std::ssize(network.feature_names);
}

void InitCommand::use_bayes() {
  use_prior(network, *recipe);
  if (!network.edges.empty()) network.rho = averaging_penalty(network.graph());
  if (app->count("--refresh") == 0) network.refresh = refresh_of_prior;
}

// The text of the first dictionary's file, if there is one.
std::string InitCommand::read_start() {
  if (init_file.empty()) return "";
  AgentOptions& agent = network.agent;
  agent.atoms = read_first_dictionary(init_file, agent.features,
                                      app->count("--atoms") > 0 ? agent.atoms : 0, !no_intercept)
                    .cols();
  std::string text = read_text_file(init_file);
  network.start = sha256_of_bytes(text);
  return text;
}

void InitCommand::report_recipe() const {
  if (!recipe) return;
  fmt::print("Recipe, recipe.toml in every folder:\n");
  for (const std::string& line : description(*recipe)) fmt::print("  {}\n", line);
  fmt::print("It tells every agent about the {} that it was learned from:\n",
             counted(static_cast<long>(recipe->rows), "row"));
  for (const std::string& line : disclosures(*recipe)) fmt::print("  {}\n", line);
  fmt::print("\n");
}

void InitCommand::report_trust() const {
  if (trusts_neighbours) {
    fmt::print(
        "This network is for parties who may know each other's task models, and rows of small "
        "tasks.\n\n");
    return;
  }
  fmt::print("Neighbours are told sums over {}, computed from rows once.\n\n",
             counted(release_batch, "task"));
}

void InitCommand::report(const std::vector<IssuedHome>& homes) const {
  fmt::print("network {}: {}, {}, {}, {}\n\n", network.id, name_of(algorithm),
             counted(std::ssize(network.agents), "agent"),
             counted(std::ssize(network.edges), "edge"), name_of(network.mode));
  report_trust();
  report_recipe();
  if (network.privacy) {
    fmt::print("What agents tell of rows is private: {}; the recipe is not.\n\n",
               to_text(*network.privacy));
  }
  const std::size_t width = fs::path(folder).string().size() + 1 + longest_name(network);
  fmt::print("Copy each folder to its agent's machine, and to no other:\n");
  for (const IssuedHome& home : homes) {
    fmt::print("  {:<{}}  ->  {}\n", home.folder.string(), width, home.agent.address);
  }
  fmt::print(
      "and start it there with `colla agent run --home FOLDER`.\n\n"
      "Keep {} here, and secret: anyone who has it can admit members to the network.\n"
      "Certificates are valid until {}; `colla network renew {}` makes new ones.\n"
      "`colla network run {}` tries the network out on this machine.\n",
      (fs::path(folder) / "authority").string(), earliest_end(homes), folder, folder);
}

void InitCommand::run() {
  read_agents();
  check_mode();
  check_trust();
  check_algorithm();
  choose_features();
  network.intercept = !no_intercept;
  network.agent.features = network.columns + (network.intercept ? 1 : 0);
  const std::string first_dictionary = read_start();
  check_size(network.agent);
  network.edges = choose_edges(graph.empty() ? "line" : graph, std::ssize(network.agents), network);
  network.privacy = privacy.chosen();
  if (algorithm == AgentAlgorithm::bayes) use_bayes();
  check_privacy(network);
  network.id = random_network_id();
  report(provision(folder, network, days, std::time(nullptr),
                   {first_dictionary, recipe ? to_toml(*recipe) : ""}));
}

void add_network_init(CLI::App& parent) {
  auto command = std::make_shared<InitCommand>();
  command->app = parent.add_subcommand(
      "init", "Make a network: what its agents agree on, their keys and certificates");
  command->add_options();
  command->app->footer(
      "Example, three clinics in a line, whose tables have the columns of sample.csv:\n"
      "  colla network init clinics --like sample.csv --target-column dose \\\n"
      "    --agents north=north.example.org:7400,south=south.example.org:7400,"
      "west=10.0.3.9:7400\n\n"
      "--rho, --exchanges and --refresh are for lockstep, --metric is for dictionaries where "
      "agents\n"
      "live. A living network joins all its agents.\n\n"
      "Every agent gets the recipe, which tells means, spreads and words of the sample.\n"
      "docs/privacy.md says what neighbours can find out about each other's tasks.");
  command->app->callback([command] { command->run(); });
}

}  // namespace

void add_network(CLI::App& program) {
  CLI::App* network = program.add_subcommand(
      "network", "Make a network of agents that run on separate machines, and change it");
  network->require_subcommand(1);
  add_network_init(*network);
  add_network_run(*network);
  add_network_changes(*network);
  network->footer(
      "To try three clinics on this machine:\n"
      "  colla network init clinics --like sample.csv \\\n"
      "    --agents north=localhost:7401,south=localhost:7402,west=localhost:7403\n"
      "  colla network run clinics");
}

}  // namespace colla::cli
