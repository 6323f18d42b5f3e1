// SPDX-License-Identifier: Apache-2.0
#include "roster/membership.hpp"

#include "expectations.hpp"
#include "sample_networks.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <set>

namespace colla {
namespace {

using testing::expect_failure;

// What a network is to be: the same by names alone.
struct Members {
  std::map<std::string, std::string> addresses;
  std::set<std::set<std::string>> links;
  bool operator==(const Members&) const = default;

  bool are_joined() const {
    if (addresses.empty()) return false;
    std::set<std::string> reached = {addresses.begin()->first};
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const auto& link : links) {
        if (reached.contains(*link.begin()) || reached.contains(*link.rbegin())) {
          reached.insert(link.begin(), link.end());
        }
      }
    }
    return reached.size() == addresses.size();
  }
};

Members members_of(const Network& network) {
  Members members;
  for (const RosterAgent& agent : network.agents) members.addresses[agent.name] = agent.address;
  for (const Edge& edge : network.edges) {
    members.links.insert({network.agents[static_cast<std::size_t>(edge.i)].name,
                          network.agents[static_cast<std::size_t>(edge.j)].name});
  }
  return members;
}

std::string any_name() { return std::string(1, *rc::gen::inRange('a', 'h')); }

// A change of the network and, if it is allowed, what it makes of the members.
struct Step {
  std::function<Network(const Network&)> change;
  std::optional<Members> expected;
};

std::optional<Members> if_valid(const Members& members, bool is_allowed) {
  return is_allowed && members.are_joined() ? std::optional(members) : std::nullopt;
}

Step any_addition(Members members) {
  const RosterAgent agent = {any_name(), "h.org:" + std::to_string(*rc::gen::inRange(1, 9))};
  std::vector<std::string> neighbours;
  for (char name = 'a'; name < 'h'; ++name) {
    const bool is_known = members.addresses.contains(std::string(1, name));
    if (*rc::gen::inRange(0, is_known ? 3 : 30) == 0) neighbours.emplace_back(1, name);
  }
  bool is_allowed = !members.addresses.contains(agent.name);
  for (const auto& [name, address] : members.addresses) is_allowed &= address != agent.address;
  for (const std::string& neighbour : neighbours) {
    is_allowed &= members.addresses.contains(neighbour);
    members.links.insert({agent.name, neighbour});
  }
  members.addresses[agent.name] = agent.address;
  return {[=](const Network& network) { return with_agent(network, agent, neighbours); },
          if_valid(members, is_allowed)};
}

Step any_removal(Members members) {
  const std::string name = any_name();
  const AgentLink link = {any_name(), any_name()};
  const bool has_link = *rc::gen::arbitrary<bool>();
  bool is_allowed = members.addresses.erase(name) == 1;
  std::erase_if(members.links, [&name](const auto& ends) { return ends.contains(name); });
  if (has_link) {
    is_allowed &= link.a != link.b && members.addresses.contains(link.a) &&
                  members.addresses.contains(link.b) &&
                  members.links.insert({link.a, link.b}).second;
  }
  const auto links = has_link ? std::vector<AgentLink>{link} : std::vector<AgentLink>{};
  return {[=](const Network& network) { return without_agent(network, name, links); },
          if_valid(members, is_allowed)};
}

Step any_link(Members members) {
  const AgentLink link = {any_name(), any_name()};
  const bool is_allowed = link.a != link.b && members.addresses.contains(link.a) &&
                          members.addresses.contains(link.b) &&
                          members.links.insert({link.a, link.b}).second;
  return {[=](const Network& network) { return with_link(network, link); },
          if_valid(members, is_allowed)};
}

Step any_end_of_link(Members members) {
  const AgentLink link = {any_name(), any_name()};
  const bool is_allowed = members.links.erase({link.a, link.b}) == 1;
  return {[=](const Network& network) { return without_link(network, link); },
          if_valid(members, is_allowed)};
}

Step any_move(Members members) {
  const RosterAgent agent = {any_name(), "H.org:" + std::to_string(*rc::gen::inRange(1, 9))};
  const std::string address = "h.org" + agent.address.substr(5);
  bool is_allowed = members.addresses.contains(agent.name);
  for (const auto& [name, other] : members.addresses) {
    is_allowed &= name == agent.name || other != address;
  }
  members.addresses[agent.name] = address;
  return {[=](const Network& network) { return with_address(network, agent); },
          if_valid(members, is_allowed)};
}

Step any_step(const Members& members) {
  using Maker = Step (*)(Members);
  return (*rc::gen::element<Maker>(any_addition, any_addition, any_removal, any_link,
                                   any_end_of_link, any_move))(members);
}

RC_GTEST_PROP(Membership, any_sequence_of_changes_keeps_a_valid_network_or_refuses, ()) {
  Network network = living_clinics();
  network.agents = {{"a", "h.org:1"}};
  network.edges = {};
  for (int k = 0; k < 40; ++k) {
    const Step step = any_step(members_of(network));
    try {
      const Network changed = step.change(network);
      RC_ASSERT(step.expected.has_value());
      RC_ASSERT(members_of(changed) == *step.expected);
      const Network read = parse_network(to_toml(changed), "network.toml");
      RC_ASSERT(to_toml(read) == to_toml(changed));
      RC_ASSERT(forbidden_change(network, changed).empty());
      network = changed;
    } catch (const OptionError&) {
      RC_ASSERT(!step.expected.has_value());
    }
  }
}

TEST(Membership, what_would_split_the_network_is_refused_with_what_to_do) {
  const Network line = living_clinics();
  expect_failure<OptionError>(
      [&] {
        without_link(line, {"clinic-b", "clinic-c"});
      },
      {"'clinic-c' would have no path to 'clinic-a'", "another way first"});
  expect_failure<OptionError>([&] { without_agent(line, "clinic-b"); },
                              {"'clinic-c'", "--link clinic-a,clinic-c"});
  expect_failure<OptionError>(
      [&] {
        with_agent(line, {"d", "d:1"}, {});
      },
      {"'d'", "at least one neighbour"});
  EXPECT_EQ(without_agent(line, "clinic-b", {{"clinic-c", "clinic-a"}}).edges,
            (std::vector<Edge>{{0, 1}}));
}

TEST(Membership, the_links_that_are_advised_join_what_an_agent_had_joined) {
  Network star = living_clinics();
  star.edges = {{0, 1}, {0, 2}};
  star = with_link(with_agent(star, {"d", "d:1"}, {"clinic-a"}), {"clinic-b", "clinic-c"});
  // b and c are linked already.
  expect_failure<OptionError>([&] { without_agent(star, "clinic-a"); },
                              {"for instance with --link clinic-c,d"});
  without_agent(star, "clinic-a", {{"clinic-c", "d"}});
}

TEST(Membership, what_is_not_there_is_named) {
  const Network line = living_clinics();
  for (const std::function<void()>& change :
       std::vector<std::function<void()>>{[&] { without_agent(line, "east"); },
                                          [&] {
                                            with_address(line, {"east", "e:1"});
                                          },
                                          [&] {
                                            with_link(line, {"clinic-a", "east"});
                                          },
                                          [&] {
                                            without_link(line, {"east", "clinic-a"});
                                          },
                                          [&] {
                                            with_agent(line, {"west", "w:1"}, {"east"});
                                          }}) {
    expect_failure<OptionError>(change, {"'east'", "clinic-a, clinic-b, clinic-c"});
  }
  expect_failure<OptionError>(
      [&] {
        without_link(line, {"clinic-a", "clinic-c"});
      },
      {"'clinic-a' and 'clinic-c'", "not linked"});
  expect_failure<OptionError>(
      [&] {
        with_link(line, {"clinic-b", "clinic-a"});
      },
      {"linked already"});
  Network alone = line;
  alone.agents.resize(1);
  alone.edges = {};
  expect_failure<OptionError>([&] { without_agent(alone, "clinic-a"); }, {"the only agent"});
}

TEST(Membership, some_settings_may_change) {
  Network network = living_clinics();
  for (const auto& [key, value] : std::map<std::string, std::string>{
           {"minimum_rows", "7"}, {"lambda", "0.5"}, {"mu", "0"}, {"gamma", "2e-3"}}) {
    network = with_setting(network, key, value);
  }
  EXPECT_EQ(network.minimum_rows, 7);
  EXPECT_EQ(network.agent.lambda, 0.5);
  EXPECT_EQ(network.agent.mu, 0.0);
  EXPECT_EQ(network.agent.gamma, 2e-3);
  EXPECT_EQ(forbidden_change(living_clinics(), network), "");
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"minimum_rows", "0"},
                                                        {"minimum_rows", "2.5"},
                                                        {"lambda", "0"},
                                                        {"lambda", "x"},
                                                        {"mu", "-1"},
                                                        {"gamma", "inf"},
                                                        {"gamma", ""}}) {
    expect_failure<OptionError>([&, &k = key, &v = value] { with_setting(network, k, v); }, {key});
  }
  for (const char* key : {"atoms", "seed", "problem", "codes", "rho", "exchanges", "id", ""}) {
    expect_failure<OptionError>([&] { with_setting(network, key, "1"); },
                                {"no setting", "minimum_rows, lambda, mu, gamma"});
  }
}

TEST(Membership, a_collective_prior_has_few_settings) {
  Network network = living_clinics();
  network.feature_names.clear();
  network.recipe = std::string(64, 'a');
  network.agent.prior.emplace();
  EXPECT_EQ(with_setting(network, "minimum_rows", "9").minimum_rows, 9);
  expect_failure<OptionError>([&] { with_setting(network, "lambda", "1"); },
                              {"'lambda'", "set minimum_rows;"});
}

TEST(Membership, everything_else_is_the_same_for_ever) {
  const Network before = living_clinics();
  const std::map<std::string, std::function<void(Network&)>> changes = {
      {"id", [](Network& network) { network.id = random_network_id(); }},
      {"mode", [](Network& network) { network.mode = Mode::lockstep; }},
      {"algorithm", [](Network& network) { network.agent.prior.emplace(); }},
      {"features", [](Network& network) { network.feature_names[0] = "AGE"; }},
      {"intercept", [](Network& network) { network.intercept = false; }},
      {"target_column", [](Network& network) { network.target_column = "z"; }},
      {"recipe", [](Network& network) { network.recipe = std::string(64, 'a'); }},
      {"first_dictionary", [](Network& network) { network.start = std::string(64, 'a'); }},
      {"problem", [](Network& network) { network.agent.problem = Problem::classification; }},
      {"atoms", [](Network& network) { network.agent.atoms = 5; }},
      {"codes", [](Network& network) { network.agent.codes = Codes::stored; }},
      {"seed", [](Network& network) { network.agent.seed = 2; }}};
  for (const auto& [key, change] : changes) {
    Network after = before;
    change(after);
    EXPECT_NE(forbidden_change(before, after).find(" " + key + " differs"), std::string::npos)
        << key;
  }
}

TEST(Membership, a_certificate_is_revoked_once) {
  const std::string one(64, '1');
  const std::string two(64, '2');
  const Network network = with_revoked(with_revoked(living_clinics(), {one}), {two, one});
  EXPECT_EQ(network.revoked, (std::vector<std::string>{one, two}));
}

}  // namespace
}  // namespace colla
