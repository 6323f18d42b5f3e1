// SPDX-License-Identifier: Apache-2.0
#include "expectations.hpp"
#include "files/sha256.hpp"
#include "sample_networks.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace colla {
namespace {

using testing::expect_failure;

// Everything except the hash, which is that of the file.
void expect_same(const Network& a, const Network& b) {
  RC_ASSERT(a.id == b.id);
  RC_ASSERT(a.mode == b.mode);
  RC_ASSERT(a.version == b.version);
  RC_ASSERT(a.revoked == b.revoked);
  RC_ASSERT(a.agents == b.agents);
  RC_ASSERT(a.edges == b.edges);
  RC_ASSERT(algorithm_of(a) == algorithm_of(b));
  for (const Setting<NetworkOptions>& setting : network_settings()) {
    RC_ASSERT(!stands_in_file(setting, a) || setting.get(a) == setting.get(b));
  }
  RC_ASSERT(a.start == b.start);
  RC_ASSERT(a.recipe == b.recipe);
  RC_ASSERT(a.feature_names == b.feature_names);
  RC_ASSERT(a.columns == b.columns);
  RC_ASSERT(a.intercept == b.intercept);
  RC_ASSERT(a.target_column == b.target_column);
  RC_ASSERT(a.minimum_rows == b.minimum_rows);
}

// Any positive double of moderate size, with all its digits.
double any_positive() {
  const auto mantissa = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 53);
  return std::ldexp(static_cast<double>(mantissa), *rc::gen::inRange(-500, 500));
}

Network any_network() {
  Network network;
  network.id = random_network_id();
  network.mode = *rc::gen::element(Mode::lockstep, Mode::living);
  const auto count = *rc::gen::inRange(1, 9);
  for (int k = 0; k < count; ++k) {
    network.agents.push_back({"a" + std::to_string(k), "h.org:" + std::to_string(7000 + k)});
  }
  const bool is_living = network.mode == Mode::living;
  const auto graph = is_living ? "random" : *rc::gen::elementOf(graph_names());
  if (is_living) {
    network.version = *rc::gen::inRange<Index>(1, Index{1} << 53);
    for (int k = *rc::gen::inRange(0, 4); k > 0; --k) {
      network.revoked.push_back(sha256_of_bytes(std::to_string(k)));
    }
  }
  network.agent.seed = *rc::gen::arbitrary<std::uint64_t>();
  network.edges = make_graph(graph, count, network.agent.seed).edges();
  network.agent.problem = *rc::gen::element(Problem::regression, Problem::classification);
  network.agent.codes = *rc::gen::element(Codes::fresh, Codes::stored);
  network.agent.atoms = *rc::gen::inRange<Index>(1, 1000);
  network.agent.lambda = any_positive();
  network.agent.gamma = any_positive();
  network.agent.mu = *rc::gen::arbitrary<bool>() ? any_positive() : 0.0;
  network.rho = any_positive();
  network.exchanges =
      parse_exchange_plan(*rc::gen::element<std::string>("20", "20+100/t", "0+7/t", "50,20,10"));
  network.refresh = *rc::gen::inRange<Index>(0, 1001);
  network.target_column = *rc::gen::element<std::string>("y", "Umsatz in €", "a\"b\\c", "#=[]\n");
  network.minimum_rows = *rc::gen::inRange<Index>(1, 100);
  network.columns = *rc::gen::inRange<Index>(1, 20);
  if (*rc::gen::arbitrary<bool>()) {
    for (Index k = 0; k < network.columns; ++k) {
      network.feature_names.push_back("x \"" + std::to_string(k) + "\" \\ 'ü'");
    }
  }
  network.intercept = *rc::gen::arbitrary<bool>();
  if (network.feature_names.empty() && *rc::gen::arbitrary<bool>()) {
    network.recipe = sha256_of_bytes("recipe of " + network.id);
    if (*rc::gen::arbitrary<bool>()) network.agent.prior.emplace();
  }
  if (!network.agent.prior && *rc::gen::arbitrary<bool>()) {
    network.start = sha256_of_bytes(network.id);
  }
  network.agent.features = network.columns + (network.intercept ? 1 : 0);
  return network;
}

RC_GTEST_PROP(Network, what_is_written_is_read_again, ()) {
  const Network network = any_network();
  const std::string text = to_toml(network);
  const Network read = parse_network(text, "network.toml");
  expect_same(network, read);
  RC_ASSERT(to_toml(read) == text);
}

TEST(Network, the_hash_is_that_of_the_files_bytes) {
  const testing::TemporaryDirectory folder;
  const std::string text = to_toml(three_clinics());
  const std::string file = folder.write("network.toml", text);
  EXPECT_EQ(read_network(file).hash, sha256_of(file));
  EXPECT_NE(parse_network(text + "\n", "").hash, sha256_of(file));
}

TEST(Network, an_agent_is_found_by_its_name) {
  const Network network = three_clinics();
  EXPECT_EQ(network.position_of("clinic-c"), 2);
  EXPECT_EQ(network.position_of("clinic-d"), -1);
  EXPECT_EQ(network.graph().degree(1), 2);
}

TEST(Network, ids_differ) { EXPECT_NE(random_network_id(), random_network_id()); }

// The text of three clinics with one line replaced, or removed if the replacement is empty.
std::string with_line(const std::string& start, const std::string& replacement) {
  std::string text = to_toml(three_clinics());
  const std::size_t first = text.find("\n" + start) + 1;
  EXPECT_NE(first, 0U) << start;
  text.replace(first, text.find('\n', first) + 1 - first,
               replacement.empty() ? "" : replacement + "\n");
  return text;
}

void expect_refused(const std::string& text, const std::vector<std::string>& parts) {
  expect_failure<Error>([&] { parse_network(text, "n.toml"); }, parts);
}

TEST(Network, every_key_is_needed) {
  for (const char* key : {"format",       "id",       "mode",      "algorithm",
                          "problem",      "features", "intercept", "target_column",
                          "minimum_rows", "recipe",   "atoms",     "lambda",
                          "mu",           "gamma",    "rho",       "exchanges",
                          "refresh",      "codes",    "seed",      "first_dictionary"}) {
    expect_refused(with_line(std::string(key) + " = ", ""), {"n.toml", key, "is missing"});
  }
  expect_refused("", {"is missing"});
  std::string text = to_toml(three_clinics());
  expect_refused(text.substr(0, text.find("edges")), {"edges"});
  expect_refused(text.substr(0, text.find("[[agent]]")), {"agent"});
}

TEST(Network, values_outside_their_range_are_refused_with_line_and_key) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"format", "0"},
                                                        {"format", "\"1\""},
                                                        {"id", "\"12\""},
                                                        {"id", "7"},
                                                        {"mode", "\"closed\""},
                                                        {"algorithm", "\"ella\""},
                                                        {"algorithm", "1"},
                                                        {"problem", "\"ranking\""},
                                                        {"features", "0"},
                                                        {"features", "[]"},
                                                        {"features", "[1]"},
                                                        {"features", "[\"\"]"},
                                                        {"features", "[\" a\"]"},
                                                        {"features", "[\"a\", \"a\"]"},
                                                        {"features", "[\"y\"]"},
                                                        {"features", "2.5"},
                                                        {"features", "[\"(intercept)\"]"},
                                                        {"intercept", "1"},
                                                        {"target_column", "\"\""},
                                                        {"minimum_rows", "0"},
                                                        {"minimum_rows", "2.5"},
                                                        {"atoms", "0"},
                                                        {"atoms", "-1"},
                                                        {"lambda", "0"},
                                                        {"lambda", "nan"},
                                                        {"lambda", "\"1\""},
                                                        {"mu", "-0.1"},
                                                        {"gamma", "0.0"},
                                                        {"gamma", "inf"},
                                                        {"rho", "0"},
                                                        {"rho", "-1"},
                                                        {"exchanges", "20"},
                                                        {"exchanges", "\"0\""},
                                                        {"refresh", "1001"},
                                                        {"codes", "\"old\""},
                                                        {"seed", "-1"},
                                                        {"seed", "\"x\""},
                                                        {"seed", "\"18446744073709551616\""},
                                                        {"first_dictionary", "\"ab\""},
                                                        {"first_dictionary", "1"},
                                                        {"recipe", "\"seed\""},
                                                        {"recipe", "1"}}) {
    expect_refused(with_line(key + " = ", key + " = " + value), {"n.toml, line", key});
  }
}

TEST(Network, newer_and_older_formats_are_refused_by_name) {
  expect_refused(with_line("format = ", "format = 8"), {"format", "is 8", "newer version"});
  expect_refused(with_line("format = ", "format = 6"), {"format", "is 6", "colla network init"});
}

TEST(Network, bayes_needs_a_recipe_and_has_no_dictionary) {
  expect_refused(with_line("algorithm = ", "algorithm = \"bayes\""),
                 {"n.toml, line", "recipe", "bayes needs one"});
  Network network = three_clinics();
  network.feature_names.clear();
  network.recipe = sha256_of_bytes("recipe");
  network.agent.prior.emplace();
  const std::string text = to_toml(network);
  EXPECT_EQ(algorithm_of(parse_network(text, "n.toml")), AgentAlgorithm::bayes);
  for (const char* line : {"atoms = 4\n", "lambda = 0.1\n", "first_dictionary = \"seed\"\n"}) {
    std::string more = text;
    expect_refused(more.insert(more.find("problem = "), line), {"n.toml, line", "no such key"});
  }
  for (const char* key : {"rho", "exchanges", "refresh", "seed", "problem"}) {
    std::string less = text;
    const std::size_t first = less.find(std::string("\n") + key + " = ") + 1;
    expect_refused(less.erase(first, less.find('\n', first) + 1 - first), {key, "is missing"});
  }
}

TEST(Network, features_of_a_recipe_have_no_names_of_their_own) {
  const std::string hash = sha256_of_bytes("recipe");
  expect_refused(with_line("recipe = ", "recipe = \"" + hash + "\""),
                 {"features", "has names, and the recipe has its own"});
}

TEST(Network, a_living_network_has_a_version_and_no_settings_of_exchanges) {
  Network network = three_clinics();
  network.mode = Mode::living;
  const std::string text = to_toml(network);
  for (const char* key : {"version", "revoked"}) {
    std::string less = text;
    const std::size_t first = less.find(std::string("\n") + key + " = ") + 1;
    expect_refused(less.erase(first, less.find('\n', first) + 1 - first), {key, "is missing"});
    expect_refused(with_line("mode = ", std::string("mode = \"lockstep\"\n") + key + " = 1"),
                   {key, "no such key"});
  }
  for (const char* line : {"rho = 0.1\n", "exchanges = \"20\"\n", "refresh = 0\n"}) {
    std::string more = text;
    expect_refused(more.insert(more.find("problem = "), line), {"n.toml, line", "no such key"});
  }
  for (const char* line : {"version = 0", "version = 1.0", "version = \"1\"", "version = -1"}) {
    std::string other = text;
    expect_refused(other.replace(other.find("version = 1"), 11, line), {"n.toml, line", "version"});
  }
  for (const char* line : {"revoked = 1", "revoked = [1]", "revoked = [\"ab\"]"}) {
    std::string other = text;
    expect_refused(other.replace(other.find("revoked = []"), 12, line),
                   {"n.toml, line", "revoked"});
  }
}

TEST(Network, a_living_network_joins_all_its_agents) {
  Network network = three_clinics();
  network.mode = Mode::living;
  network.edges = {};
  expect_refused(to_toml(network), {"n.toml, line", "edges", "without a path"});
  network.agents.resize(1);
  EXPECT_EQ(parse_network(to_toml(network), "n.toml").agents.size(), 1U);
}

TEST(Network, unknown_keys_are_refused) {
  expect_refused(with_line("atoms = ", "atoms = 4\natom = 5"), {"atom", "no such key"});
  expect_refused(to_toml(three_clinics()) + "port = 7\n", {"port", "no such key"});
}

TEST(Network, edges_join_all_agents_or_none) {
  const auto with_edges = [](const std::string& edges) {
    const std::string text = to_toml(three_clinics());
    const std::size_t first = text.find("edges");
    return text.substr(0, first) + "edges = " + edges + text.substr(text.find("\n\n[[agent]]"));
  };
  EXPECT_FALSE(parse_network(with_edges("[]"), "n.toml").plan().has_edges);
  for (const char* edges :
       {R"([["clinic-a", "clinic-b"]])", R"([["clinic-a", "clinic-d"], ["clinic-b", "clinic-c"]])",
        R"([["clinic-a", "clinic-a"], ["clinic-b", "clinic-c"]])",
        R"([["clinic-a", "clinic-b"], ["clinic-b", "clinic-a"]])", R"([["clinic-a"]])", "[[0, 1]]",
        "[1]", "3", "\"line\""}) {
    expect_refused(with_edges(edges), {"n.toml, line", "edges"});
  }
}

void expect_agent_refused(const RosterAgent& agent, const std::vector<std::string>& parts) {
  const std::vector<RosterAgent> before = {{"clinic-a", "a:7400"}, {"b", "h:7400"}};
  expect_failure<OptionError>([&] { checked_agent(agent, before, "--agents"); }, parts);
}

TEST(Network, names_of_agents_are_names_of_hosts) {
  for (const std::string& name :
       {std::string(), std::string("Clinic"), std::string("-a"), std::string("a-"),
        std::string("a b"), std::string("a.b"), std::string("../a"), std::string("a_b"),
        std::string(64, 'a'), std::string("\xc3\xa4"), std::string("a\0b", 3),
        std::string("authority")}) {
    expect_agent_refused({name, "x:1"}, {"--agents"});
  }
  EXPECT_EQ(checked_agent({std::string(63, 'a'), "X:1"}, {}, "").address, "x:1");
}

TEST(Network, agents_are_told_apart_by_name_and_address) {
  expect_agent_refused({"clinic-a", "x:7400"}, {"clinic-a", "duplicate"});
  expect_agent_refused({"c", "A:7400"}, {"a:7400", "duplicate"});
  expect_agent_refused({"c", "0.0.0.0:7400"}, {"0.0.0.0:7400"});
}

// Otherwise its certificate, which names its host, would be valid for the other agent.
TEST(Network, no_agents_host_is_another_agents_name) {
  expect_agent_refused({"c", "b:7401"}, {"'c'", "'b'"});
  expect_agent_refused({"h", "x:7401"}, {"'b'", "'h'"});
  EXPECT_EQ(checked_agent({"c", "c:7401"}, {{"b", "b:7401"}}, "").name, "c");
}

}  // namespace
}  // namespace colla
