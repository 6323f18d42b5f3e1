// SPDX-License-Identifier: Apache-2.0
// network.toml. Every key is required: agents of different versions must not fill gaps differently.
#include "files/sha256.hpp"
#include "files/text.hpp"
#include "files/toml_section.hpp"
#include "roster/network.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <limits>
#include <map>

namespace colla {
namespace {

constexpr Index newest_format = 3;
constexpr Index oldest_format = 2;  // has `iterations` for `exchanges`
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
    if (!setting.stands(in_network_file)) continue;
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

void read_format(TomlSection& root) {
  Index format = newest_format;
  root.whole_number("format", format, 1, std::numeric_limits<Index>::max());
  if (format >= oldest_format && format <= newest_format) return;
  root.refuse(
      root.take("format"), "format",
      fmt::format("is {}, and this program knows {} and {}", format, oldest_format, newest_format),
      format > newest_format ? "use a newer version of colla"
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

// The setting's key in the file.
std::string key_in(TomlSection& root, const Setting<NetworkOptions>& setting) {
  const bool has_former = !setting.former_key.empty() && root.take(setting.key) == nullptr &&
                          root.take(setting.former_key) != nullptr;
  return has_former ? setting.former_key : setting.key;
}

void read_setting(TomlSection& root, const Setting<NetworkOptions>& setting, Network& network) {
  const std::string key = key_in(root, setting);
  root.require(key, take_original);
  root.setting(key, [&](const SettingValue& value) {
    const auto* whole = std::get_if<WholeNumbers>(&setting.domain);
    const auto* text = std::get_if<std::string>(&value);
    const bool may_be_digits = whole != nullptr && whole->most > largest_in_toml;
    setting.set(network,
                text != nullptr && may_be_digits ? parse_value(setting.domain, *text) : value);
  });
}

constexpr char from_seed[] = "seed";

void read_start(TomlSection& root, std::string& start) {
  root.text("first_dictionary", start);
  const bool is_hexadecimal = start.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (start == from_seed) {
    start.clear();
  } else if (start.size() != 64 || !is_hexadecimal) {
    root.refuse(root.take("first_dictionary"), "first_dictionary",
                "is neither \"seed\" nor 64 hexadecimal digits", take_original);
  }
}

void read_method(TomlSection& root, Network& network) {
  for (const Setting<NetworkOptions>& setting : network_settings()) {
    if (setting.stands(in_network_file)) read_setting(root, setting, network);
  }
  read_start(root, network.start);
  network.agent.features = network.columns + (network.intercept ? 1 : 0);
  root.setting("atoms", [&network](const SettingValue&) { check_size(network.agent); });
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

// Also sorts them.
void check_edges(const TomlSection& root, Network& network, const toml::node* node) {
  try {
    const Graph graph = network.graph();
    if (!graph.edges().empty()) check_connected(graph);
    network.edges = graph.edges();
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
  check_edges(root, network, node);
  root.setting("rho",
               [&network](const SettingValue&) { check_rho(network.rho, !network.edges.empty()); });
}

}  // namespace

std::string to_toml(const Network& network) {
  std::string text = fmt::format(
      "# A network of colla's agents. Every agent has the same bytes of this file.\n"
      "format = {}\n"
      "id = {}\n"
      "mode = {}\n\n",
      newest_format, toml_text(network.id), toml_text(name_of(network.mode)));
  text += fmt::format(
      "features = {}\n"
      "intercept = {}\n"
      "target_column = {}\n"
      "minimum_rows = {}\n\n",
      features_text(network), network.intercept, toml_text(network.target_column),
      network.minimum_rows);
  text += settings_text(network);
  text += fmt::format("first_dictionary = {}\n\n",
                      toml_text(network.start.empty() ? from_seed : network.start));
  text += fmt::format("edges = {}\n", edges_text(network));
  for (const RosterAgent& entry : network.agents) {
    text += fmt::format("\n[[agent]]\nname = {}\naddress = {}\n", toml_text(entry.name),
                        toml_text(entry.address));
  }
  return text;
}

Network parse_network(std::string_view text, const std::string& name) {
  const toml::table table = parse_toml(text, name);
  TomlSection root(table, name);
  read_format(root);
  for (const char* key : {"format", "id", "mode", "features", "intercept", "target_column",
                          "minimum_rows", "first_dictionary", "edges", "agent"}) {
    root.require(key, take_original);
  }
  Network network;
  network.hash = sha256_of_bytes(text);
  read_id(root, network.id);
  root.word("mode", network.mode);
  root.text("target_column", network.target_column);
  root.flag("intercept", network.intercept);
  root.whole_number("minimum_rows", network.minimum_rows, 1, many);
  read_features(root, network);
  read_method(root, network);
  read_agents(root, network);
  read_edges(root, network);
  root.finish();
  return network;
}

Network read_network(const std::string& path) { return parse_network(read_text_file(path), path); }

}  // namespace colla
