// SPDX-License-Identifier: Apache-2.0
// network.toml. Every key is required: agents of different programs must not fill gaps differently.
#include "files/sha256.hpp"
#include "files/text.hpp"
#include "files/toml_section.hpp"
#include "roster/network.hpp"
#include "roster/signature.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <limits>
#include <map>

namespace colla {
namespace {

constexpr Index known_format = 7;
constexpr Index most_versions = Index{1} << 53;
constexpr Index many = 1'000'000;
constexpr char take_original[] = "take the file as `colla network init` wrote it";

std::string features_text(const Network& network) {
  if (network.feature_names.empty()) return std::to_string(network.columns);
  std::string text;
  for (const std::string& name : network.feature_names) {
    text += (text.empty() ? "" : ", ") + toml_text(name);
  }
  return "[" + text + "]";
}

constexpr std::uint64_t largest_in_toml = std::numeric_limits<std::int64_t>::max();

// A whole number that is too large for TOML is written as text, and a real number so that it cannot
// be taken for a whole one.
std::string toml_value(const SettingValue& value) {
  const std::string text = to_text(value);
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
    return *whole <= largest_in_toml ? text : toml_text(text);
  }
  if (std::holds_alternative<std::string>(value)) return toml_text(text);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string settings_text(const Network& network) {
  std::string text;
  for (const Setting<NetworkOptions>& setting : network_settings()) {
    if (!stands_in_file(setting, network)) continue;
    text += setting.key + " = " + toml_value(setting.get(network)) + "\n";
  }
  return text;
}

std::string edges_text(const Network& network) {
  std::string text;
  for (const Edge& edge : network.edges) {
    text += fmt::format("  [{}, {}],\n",
                        toml_text(network.agents[static_cast<std::size_t>(edge.i)].name),
                        toml_text(network.agents[static_cast<std::size_t>(edge.j)].name));
  }
  return text.empty() ? "[]" : "[\n" + text + "]";
}

std::string revoked_text(const Network& network) {
  std::string text;
  for (const std::string& certificate : network.revoked) {
    text += fmt::format("  {},\n", toml_text(certificate));
  }
  return text.empty() ? "[]" : "[\n" + text + "]";
}

void check_format(TomlSection& root) {
  root.require("format", take_original);
  Index format = known_format;
  root.whole_number("format", format, 1, std::numeric_limits<Index>::max());
  if (format == known_format) return;
  root.refuse(root.take("format"), "format",
              fmt::format("is {}, and this program knows {}", format, known_format),
              format > known_format ? "use a newer version of colla"
                                    : "make the network again with `colla network init`");
}

void read_id(TomlSection& root, std::string& id) {
  root.text("id", id);
  const bool is_hexadecimal = id.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (id.size() == 32 && is_hexadecimal) return;
  root.refuse(root.take("id"), "id", "is not 32 hexadecimal digits", take_original);
}

void read_features(TomlSection& root, Network& network) {
  const toml::node* node = root.take("features");
  const toml::array* names = node->as_array();
  if (names == nullptr) {
    root.whole_number("features", network.columns, 1, many);
    return;
  }
  for (const toml::node& entry : *names) {
    const auto name = entry.value_exact<std::string>();
    if (!name) root.refuse(&entry, "features", "is not a text", "write it in quotes");
    network.feature_names.push_back(*name);
  }
  if (names->empty()) root.refuse(node, "features", "is empty", "name at least one feature");
  check_feature_names(network.feature_names, network.target_column, root.where(node, "features"));
  network.columns = std::ssize(network.feature_names);
}

void read_setting(TomlSection& root, const Setting<NetworkOptions>& setting, Network& network) {
  root.require(setting.key, take_original);
  root.setting(setting.key, [&](const SettingValue& value) {
    const auto* whole = std::get_if<WholeNumbers>(&setting.domain);
    const auto* text = std::get_if<std::string>(&value);
    const bool may_be_digits = whole != nullptr && whole->most > largest_in_toml;
    setting.set(network,
                text != nullptr && may_be_digits ? parse_value(setting.domain, *text) : value);
  });
}

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

constexpr char from_seed[] = "seed";
constexpr char no_recipe[] = "none";

// The hash of a file beside this one; empty if the word stands there instead.
void read_hash(TomlSection& root, const std::string& key, const std::string& word,
               std::string& hash) {
  root.require(key, take_original);
  root.text(key, hash);
  if (hash == word) {
    hash.clear();
  } else if (!is_sha256(hash)) {
    root.refuse(root.take(key), key, "is neither \"" + word + "\" nor 64 hexadecimal digits",
                take_original);
  }
}

// The features of a recipe have their names in its own file.
void read_recipe_hash(TomlSection& root, Network& network) {
  read_hash(root, "recipe", no_recipe, network.recipe);
  if (network.recipe.empty() || network.feature_names.empty()) return;
  root.refuse(root.take("features"), "features", "has names, and the recipe has its own",
              take_original);
}

void read_algorithm(TomlSection& root, Network& network) {
  auto algorithm = AgentAlgorithm::colla;
  root.word("algorithm", algorithm);
  if (algorithm == AgentAlgorithm::colla) return;
  network.agent.prior.emplace();
  if (!network.recipe.empty()) return;
  root.refuse(root.take("recipe"), "recipe", "is none, and bayes needs one", take_original);
}

void read_release_batch(TomlSection& root, Network& network) {
  if (!can_release_batches(network)) return;
  root.require("release_batch", take_original);
  root.whole_number("release_batch", network.release_batch, 0, largest_release_batch);
}

// The key is there if there is privacy.
void read_privacy(TomlSection& root, Network& network) {
  const toml::node* node = root.take("privacy");
  if (node == nullptr) return;
  try {
    network.privacy = parse_privacy(node->value_exact<std::string>().value_or(""));
    check_privacy(network);
  } catch (const SettingError& error) {
    root.refuse(node, "privacy", error.problem(), error.remedy());
  }
}

void read_method(TomlSection& root, Network& network) {
  for (const Setting<NetworkOptions>& setting : network_settings()) {
    if (stands_in_file(setting, network)) read_setting(root, setting, network);
  }
  network.agent.features = network.columns + (network.intercept ? 1 : 0);
  if (network.agent.prior) return;
  read_hash(root, "first_dictionary", from_seed, network.start);
  root.setting("atoms", [&network](const SettingValue&) { check_size(network.agent); });
}

// What only a roster has.
void read_version(TomlSection& root, Network& network) {
  if (network.mode != Mode::living) return;
  root.require("version", take_original);
  root.whole_number("version", network.version, 1, most_versions);
  root.require("revoked", take_original);
  const toml::node* node = root.take("revoked");
  const toml::array* array = node->as_array();
  if (array == nullptr) root.refuse(node, "revoked", "is not a list", take_original);
  for (const toml::node& entry : *array) {
    network.revoked.push_back(entry.value_exact<std::string>().value_or(""));
    if (is_sha256(network.revoked.back())) continue;
    root.refuse(&entry, "revoked", "is not 64 hexadecimal digits", take_original);
  }
}

void read_agents(TomlSection& root, Network& network) {
  for (TomlSection& section : root.sections("agent")) {
    section.require("name", take_original);
    section.require("address", take_original);
    RosterAgent agent;
    section.text("name", agent.name);
    section.text("address", agent.address);
    section.finish();
    network.agents.push_back(
        checked_agent(agent, network.agents, section.where(section.take("name"), "name")));
  }
  if (network.agents.empty()) {
    root.refuse(root.take("agent"), "agent", "is empty", "write an [[agent]] for each agent");
  }
}

Index end_of_edge(const TomlSection& root, const toml::node& node,
                  const std::map<std::string, Index>& positions) {
  const auto name = node.value_exact<std::string>();
  const auto found = positions.find(name.value_or(""));
  if (found == positions.end()) {
    root.refuse(&node, "edges", "no agent " + in_quotes(name.value_or("")),
                "give the name of an agent of this file");
  }
  return found->second;
}

void check_and_sort_edges(const TomlSection& root, Network& network, const toml::node* node) {
  try {
    network.edges = network.graph().edges();
    check_edges(network);
  } catch (const SettingError& error) {
    root.refuse(node, "edges", error.problem(), error.remedy());
  } catch (const OptionError& error) {
    root.refuse(node, "edges", error.what(), "");
  }
}

void read_edges(TomlSection& root, Network& network) {
  std::map<std::string, Index> positions;
  for (const RosterAgent& agent : network.agents) {
    positions.emplace(agent.name, static_cast<Index>(positions.size()));
  }
  const toml::node* node = root.take("edges");
  const toml::array* array = node->as_array();
  if (array == nullptr) root.refuse(node, "edges", "is not a list", "give [[\"a\", \"b\"], ...]");
  for (const toml::node& entry : *array) {
    const toml::array* ends = entry.as_array();
    if (ends == nullptr || ends->size() != 2) {
      root.refuse(&entry, "edges", "is not an edge", "give the names of two agents");
    }
    network.edges.push_back(
        {end_of_edge(root, *ends->get(0), positions), end_of_edge(root, *ends->get(1), positions)});
  }
  check_and_sort_edges(root, network, node);
  if (network.mode == Mode::living) return;
  root.setting("rho",
               [&network](const SettingValue&) { check_rho(network, !network.edges.empty()); });
}

}  // namespace

std::string to_toml(const Network& network) {
  std::string text = fmt::format(
      "# A network of colla's agents. Every agent has the same bytes of this file.\n"
      "format = {}\n"
      "id = {}\n"
      "mode = {}\n"
      "algorithm = {}\n",
      known_format, toml_text(network.id), toml_text(name_of(network.mode)),
      toml_text(name_of(algorithm_of(network))));
  if (network.mode == Mode::living) text += fmt::format("version = {}\n", network.version);
  text += fmt::format(
      "\nfeatures = {}\n"
      "intercept = {}\n"
      "target_column = {}\n"
      "minimum_rows = {}\n",
      features_text(network), network.intercept, toml_text(network.target_column),
      network.minimum_rows);
  if (can_release_batches(network)) {
    text += fmt::format("release_batch = {}\n", network.release_batch);
  }
  if (network.privacy) text += fmt::format("privacy = {}\n", toml_text(to_text(*network.privacy)));
  text += fmt::format("recipe = {}\n\n",
                      toml_text(network.recipe.empty() ? no_recipe : network.recipe));
  text += settings_text(network);
  if (!network.agent.prior) {
    text += fmt::format("first_dictionary = {}\n",
                        toml_text(network.start.empty() ? from_seed : network.start));
  }
  text += fmt::format("\nedges = {}\n", edges_text(network));
  if (network.mode == Mode::living) text += fmt::format("revoked = {}\n", revoked_text(network));
  for (const RosterAgent& entry : network.agents) {
    text += fmt::format("\n[[agent]]\nname = {}\naddress = {}\n", toml_text(entry.name),
                        toml_text(entry.address));
  }
  return text;
}

Network parse_network(std::string_view text, const std::string& name) {
  const toml::table table = parse_toml(text, name);
  TomlSection root(table, name);
  check_format(root);
  for (const char* key : {"id", "mode", "algorithm", "features", "intercept", "target_column",
                          "minimum_rows", "edges", "agent"}) {
    root.require(key, take_original);
  }
  Network network;
  network.hash = sha256_of_bytes(signed_part(text));
  read_id(root, network.id);
  root.word("mode", network.mode);
  if (network.mode == Mode::living) make_living(network);
  read_version(root, network);
  root.text("target_column", network.target_column);
  root.flag("intercept", network.intercept);
  root.setting("minimum_rows", [&network](const SettingValue& value) {
    minimum_rows_setting().set(network, value);
  });
  read_features(root, network);
  read_recipe_hash(root, network);
  read_algorithm(root, network);
  read_release_batch(root, network);
  read_privacy(root, network);
  read_method(root, network);
  read_agents(root, network);
  read_edges(root, network);
  root.finish();
  return network;
}

Network read_network(const std::string& path) { return parse_network(read_text_file(path), path); }

}  // namespace colla
