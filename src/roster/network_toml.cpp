// SPDX-License-Identifier: Apache-2.0
// network.toml. Every key is required: agents of different versions must not fill gaps differently.
#include "data/sha256.hpp"
#include "data/text.hpp"
#include "data/toml_section.hpp"
#include "roster/network.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <charconv>
#include <limits>
#include <map>

namespace colla {
namespace {

constexpr Index newest_format = 2;
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

// TOML's whole numbers end at 2^63 - 1.
std::string seed_text(std::uint64_t seed) {
  const std::string digits = std::to_string(seed);
  return seed <= std::numeric_limits<std::int64_t>::max() ? digits : toml_text(digits);
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
  if (format == newest_format) return;
  root.refuse(root.take("format"), "format",
              fmt::format("is {}, and this program knows {}", format, newest_format),
              format > newest_format ? "use a newer version of colla"
                                     : "make the network anew with `colla network init`");
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

void read_seed(TomlSection& root, std::uint64_t& seed) {
  const toml::node* node = root.take("seed");
  if (const auto digits = node->value_exact<std::string>()) {
    const char* end = digits->data() + digits->size();
    const auto [stop, error] = std::from_chars(digits->data(), end, seed);
    if (error == std::errc() && stop == end) return;
    root.refuse(node, "seed", "is not a whole number", "give one from 0 to 18446744073709551615");
  }
  Index value = 0;
  root.whole_number("seed", value, 0, std::numeric_limits<Index>::max());
  seed = static_cast<std::uint64_t>(value);
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
  AgentOptions& agent = network.agent;
  agent.problem = root.is_first("problem", "regression", "classification")
                      ? Problem::regression
                      : Problem::classification;
  agent.codes = root.is_first("codes", "fresh", "stored") ? Codes::fresh : Codes::stored;
  root.whole_number("atoms", agent.atoms, 1, many);
  root.number("lambda", agent.lambda, TomlRange::positive);
  root.number("mu", agent.mu, TomlRange::not_negative);
  root.number("gamma", agent.gamma, TomlRange::positive);
  root.number("rho", network.rho, TomlRange::not_negative);
  std::string iterations;
  root.text("iterations", iterations);
  network.plan.exchanges =
      parse_exchange_plan(iterations, root.where(root.take("iterations"), "iterations"));
  root.whole_number("refresh", network.plan.refresh, 0, 1000);
  read_seed(root, agent.seed);
  read_start(root, network.start);
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
  try {
    network.edges = network.graph().edges();
  } catch (const OptionError& error) {
    root.refuse(node, "edges", error.what(), "");
  }
  network.plan.has_edges = !network.edges.empty();
  if (network.plan.has_edges) check_connected(network.graph(), root.where(node, "edges"));
  if (network.plan.has_edges && network.rho == 0.0) {
    root.refuse(root.take("rho"), "rho", "must be above 0 where agents exchange", "try 1");
  }
}

}  // namespace

std::string to_toml(const Network& network) {
  const AgentOptions& agent = network.agent;
  std::string text = fmt::format(
      "# A network of colla's agents. Every agent has the same bytes of this file.\n"
      "format = {}\n"
      "id = {}\n"
      "mode = {}\n\n",
      newest_format, toml_text(network.id), toml_text(network.lockstep ? "lockstep" : "open"));
  text += fmt::format(
      "problem = {}\n"
      "features = {}\n"
      "intercept = {}\n"
      "target_column = {}\n"
      "minimum_rows = {}\n\n",
      toml_text(agent.problem == Problem::regression ? "regression" : "classification"),
      features_text(network), network.intercept, toml_text(network.target_column),
      network.minimum_rows);
  text += fmt::format(
      "atoms = {}\n"
      "lambda = {}\n"
      "mu = {}\n"
      "gamma = {}\n"
      "rho = {}\n"
      "iterations = {}\n"
      "refresh = {}\n"
      "codes = {}\n"
      "seed = {}\n"
      "first_dictionary = {}\n\n",
      agent.atoms, agent.lambda, agent.mu, agent.gamma, network.rho,
      toml_text(to_string(network.plan.exchanges)), network.plan.refresh,
      toml_text(agent.codes == Codes::fresh ? "fresh" : "stored"), seed_text(agent.seed),
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
  for (const char* key :
       {"format",        "id",           "mode",    "problem", "features", "intercept",
        "target_column", "minimum_rows", "atoms",   "lambda",  "mu",       "gamma",
        "rho",           "iterations",   "refresh", "codes",   "seed",     "first_dictionary",
        "edges",         "agent"}) {
    root.require(key, take_original);
  }
  Network network;
  network.hash = sha256_of_bytes(text);
  read_id(root, network.id);
  network.lockstep = !root.is_first("mode", "open", "lockstep");
  root.text("target_column", network.target_column);
  root.flag("intercept", network.intercept);
  root.whole_number("minimum_rows", network.minimum_rows, 1, many);
  read_features(root, network);
  read_method(root, network);
  network.agent.features = network.columns + (network.intercept ? 1 : 0);
  check_size(network.agent, name);
  read_agents(root, network);
  read_edges(root, network);
  root.finish();
  return network;
}

Network read_network(const std::string& path) { return parse_network(read_text_file(path), path); }

}  // namespace colla
