// SPDX-License-Identifier: Apache-2.0
// `colla network add`, `remove`, `move`, `link`, `unlink`, `set`, `revoke` and `renew`.
#include "cli/network_commands.hpp"
#include "cli/options.hpp"
#include "cli/recipe_options.hpp"
#include "cli/terminal.hpp"
#include "files/text.hpp"
#include "roster/network_folder.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <ctime>
#include <filesystem>
#include <memory>
#include <set>

namespace colla::cli {
namespace {

namespace fs = std::filesystem;

struct ChangeCommand {
  std::string folder;
  std::string subject;  // an agent, with its address or without, or a link
  std::string neighbours;
  std::vector<std::string> others;  // links, settings or agents
  Index days = agent_days;
};

// Makes the change and says what it was.
using Change = std::string (*)(const ChangeCommand&, NetworkFolder&);

void report_repairs(const NetworkFolder& folder) {
  for (const std::string& repair : folder.repairs()) {
    fmt::print("An interrupted command is finished: {}.\n", printable(repair));
  }
}

void make_change(const ChangeCommand& command, Change change) {
  NetworkFolder folder(command.folder, std::time(nullptr));
  folder.require_living();
  const std::string what = change(command, folder);
  report_repairs(folder);
  fmt::print("network {}, version {}: {}\n", folder.network().id.substr(0, 8),
             folder.network().version, what);
  fmt::print(
      "Hand {0} to any one agent; it tells the others:\n"
      "  colla agent update {0} --home HOME\n",
      (fs::path(command.folder) / "network.toml").string());
}

AgentLink link_at(const std::string& text, std::size_t position) {
  return {text.substr(0, position), text.substr(position + 1)};
}

// "a,b", or "a-b" if that can be read in one way only: names may have a - too.
AgentLink parse_link(const std::string& text, const Network& network) {
  const std::size_t comma = text.find(',');
  if (comma != std::string::npos) return link_at(text, comma);
  std::vector<AgentLink> readings;
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1)) {
    const AgentLink link = link_at(text, at);
    if (network.position_of(link.a) >= 0 && network.position_of(link.b) >= 0) {
      readings.push_back(link);
    }
  }
  if (readings.size() == 1) return readings.front();
  throw OptionError(
      colla::in_quotes(text) + (readings.empty() ? " does not name two agents of the network"
                                                 : " can be read in several ways"),
      "", "give A,B");
}

std::string in_words(const AgentLink& link) { return link.a + " and " + link.b; }

std::string add(const ChangeCommand& command, NetworkFolder& folder) {
  const RosterAgent agent = parse_agent(command.subject, "");
  const std::vector<std::string> neighbours = split(command.neighbours, ',');
  const IssuedHome home = folder.add(agent, neighbours, command.days);
  return fmt::format(
      "{} ({}) added, linked with {}\n"
      "Copy {} to its agent's machine, and to no other, and start it there with\n"
      "  colla agent run --home FOLDER",
      home.agent.name, home.agent.address, listed(neighbours), home.folder.string());
}

std::string remove(const ChangeCommand& command, NetworkFolder& folder) {
  std::vector<AgentLink> links;
  for (const std::string& text : command.others) {
    links.push_back(parse_link(text, folder.network()));
  }
  folder.remove(command.subject, links);
  std::string what = command.subject + " removed, and its certificates revoked";
  for (const AgentLink& link : links) what += "; " + in_words(link) + " linked";
  const fs::path home = fs::path(command.folder) / command.subject;
  if (fs::exists(home))
    what += "\nDelete " + home.string() + " once nothing in it is needed any more.";
  return what;
}

std::string move(const ChangeCommand& command, NetworkFolder& folder) {
  const RosterAgent agent = parse_agent(command.subject, "");
  folder.change([&agent](const Network& network) { return with_address(network, agent); });
  const Index position = folder.network().position_of(agent.name);
  return agent.name + " is at " +
         folder.network().agents[static_cast<std::size_t>(position)].address;
}

std::string link(const ChangeCommand& command, NetworkFolder& folder) {
  const AgentLink link = parse_link(command.subject, folder.network());
  folder.change([&link](const Network& network) { return with_link(network, link); });
  return in_words(link) + " linked";
}

std::string unlink(const ChangeCommand& command, NetworkFolder& folder) {
  const AgentLink link = parse_link(command.subject, folder.network());
  folder.change([&link](const Network& network) { return without_link(network, link); });
  return in_words(link) + " no longer linked";
}

Network with_settings(Network network, const std::vector<std::string>& settings) {
  std::set<std::string> seen;
  for (const std::string& text : settings) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) {
      throw OptionError(colla::in_quotes(text) + " is not a setting", "", "give KEY=VALUE");
    }
    const std::string key = text.substr(0, sign);
    if (!seen.insert(key).second) {
      throw OptionError(colla::in_quotes(key) + " is given twice", "", "give it once");
    }
    network = with_setting(std::move(network), key, text.substr(sign + 1));
  }
  return network;
}

std::string set(const ChangeCommand& command, NetworkFolder& folder) {
  const auto& settings = command.others;
  folder.change([&](const Network& network) { return with_settings(network, settings); });
  return listed(settings);
}

std::string where_to_copy(const std::vector<IssuedHome>& homes) {
  std::string text = "Copy agent.crt and agent.key of each folder to its agent's machine:";
  for (const IssuedHome& home : homes) {
    text += fmt::format("\n  {}  (valid until {})", home.folder.string(), date_of(home.not_after));
  }
  return text;
}

std::string revoke(const ChangeCommand& command, NetworkFolder& folder) {
  const IssuedHome home = folder.revoke(command.subject, command.days);
  return "all certificates that " + command.subject + " had are revoked\n" + where_to_copy({home});
}

void renew(const ChangeCommand& command) {
  NetworkFolder folder(command.folder, std::time(nullptr));
  const auto homes = folder.renew(command.others, command.days);
  report_repairs(folder);
  fmt::print("{}\n", where_to_copy(homes));
}

struct ChangeApp {
  CLI::App* app;
  std::shared_ptr<ChangeCommand> command;

  CLI::Option* subject(const char* name, const char* help) const {
    return add_text(*app, name, command->subject, help)->required()->type_name("");
  }
};

ChangeApp add_command(CLI::App& network, const char* name, const char* help) {
  auto command = std::make_shared<ChangeCommand>();
  CLI::App* app = network.add_subcommand(name, help);
  add_network_folder(*app, command->folder);
  return {app, command};
}

ChangeApp add_change(CLI::App& network, const char* name, const char* help, Change change) {
  ChangeApp added = add_command(network, name, help);
  added.app->callback([command = added.command, change] { make_change(*command, change); });
  return added;
}

void add_agents_commands(CLI::App& network) {
  const ChangeApp added = add_change(network, "add", "Add an agent to a living network", add);
  added.subject("AGENT", "The new agent, as NAME=HOST:PORT");
  add_text(*added.app, "--neighbours", added.command->neighbours,
           "The agents that it exchanges with")
      ->required()
      ->type_name("NAME,...");
  add_days(*added.app, added.command->days);

  const ChangeApp removed =
      add_change(network, "remove", "Remove an agent from a living network", remove);
  removed.subject("NAME", "The agent");
  removed.app
      ->add_option("--link", removed.command->others,
                   "Link two others in the same step; may be given several times")
      ->expected(1)
      ->take_all()
      ->type_name("A-B");

  const ChangeApp moved =
      add_change(network, "move", "Give an agent of a living network another address", move);
  moved.subject("AGENT", "The agent and its new address, as NAME=HOST:PORT");
}

void add_links_commands(CLI::App& network) {
  const char* const help = "The two agents, as A-B, or as A,B where a name has a - too";
  add_change(network, "link", "Let two agents of a living network exchange", link)
      .subject("LINK", help);
  add_change(network, "unlink", "End the exchange of two agents of a living network", unlink)
      .subject("LINK", help);
}

}  // namespace

RosterAgent parse_agent(const std::string& text, const std::string& where) {
  const std::size_t sign = text.find('=');
  if (sign != std::string::npos) return {text.substr(0, sign), text.substr(sign + 1)};
  throw OptionError(colla::in_quotes(text) + " is not an agent", where, "give NAME=HOST:PORT");
}

void add_days(CLI::App& app, Index& days) {
  add_whole_number(app, "--days", days, 1, authority_days, "Validity of the certificates in days");
}

void add_network_folder(CLI::App& app, std::string& folder) {
  add_text(app, "DIR", folder, "The folder that `colla network init` made")
      ->required()
      ->type_name("");
}

void add_network_changes(CLI::App& network) {
  add_agents_commands(network);
  add_links_commands(network);
  const ChangeApp changed = add_change(network, "set", "Change settings of a living network", set);
  changed.app
      ->add_option("SETTING", changed.command->others,
                   "KEY=VALUE, for minimum_rows and, with colla, lambda, mu and gamma")
      ->required()
      ->type_name("");
  const ChangeApp revoked = add_change(network, "revoke",
                                       "Revoke all certificates of an agent of a living network, "
                                       "and give it a new key and certificate",
                                       revoke);
  revoked.subject("NAME", "The agent");
  add_days(*revoked.app, revoked.command->days);
  const ChangeApp renewed = add_command(network, "renew", "Give agents new keys and certificates");
  renewed.app->callback([command = renewed.command] { renew(*command); });
  renewed.app->add_option("NAME", renewed.command->others, "The agents (default: all)")
      ->type_name("");
  add_days(*renewed.app, renewed.command->days);
}

}  // namespace colla::cli
