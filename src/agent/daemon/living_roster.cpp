// SPDX-License-Identifier: Apache-2.0
// How an agent that lives follows its network's roster, and what it says of itself.
#include "agent/daemon/identity.hpp"
#include "agent/daemon/living_daemon.hpp"
#include "files/new_file.hpp"
#include "files/staged_files.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace colla {

// A command on this machine may have replaced the file.
void LivingDaemon::read_roster_file() {
  const auto file = home_.folder / "network.toml";
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file, error);
  if (error || time == roster_time_) return;
  roster_time_ = time;
  try {
    const std::string text = read_text_file(file.string());
    if (text != roster_) take_roster(text, file.string());
  } catch (const Error& error_of_file) {
    log_.warning(error_of_file.what());
  }
}

// The newest valid roster counts, wherever it comes from. Not within an event of a connection,
// which it may end.
RosterCheck LivingDaemon::take_roster(const std::string& text, const std::string& from) {
  RosterCheck check = judge(text, from);
  if (check.verdict != RosterVerdict::newer) return check;
  const Index position = check.network.position_of(home_.agent().name);
  if (position < 0) {
    throw NetworkError(
        fmt::format("this agent was removed from the network (roster {})", check.network.version),
        home_.folder.string(), "what it has learned can still be used");
  }
  save_roster(text);
  follow(check.network, position);
  return check;
}

// Refusals are said and counted.
RosterCheck LivingDaemon::judge(const std::string& text, const std::string& from) {
  RosterCheck check =
      accept_roster(home_.network, text, read_text_file(home_.authority().string()));
  const bool is_sound =
      check.verdict == RosterVerdict::newer || check.verdict == RosterVerdict::same;
  if (!is_sound) {
    note_refused_roster("the roster from " + from + " " + check.reason);
  }
  return check;
}

void LivingDaemon::note_refused_roster(const std::string& reason) {
  ++rosters_refused_;
  roster_refusal_ = reason;
  of_others_.warning("roster", "not taken: " + roster_refusal_);
}

// With another graph or other settings the two would never agree.
void LivingDaemon::check_same_roster(const std::string& neighbour, const Hello& hello) {
  const auto version = static_cast<std::uint64_t>(home_.network.version);
  if (hello.living->version != version || hello.network_hash == home_.network.hash) return;
  note_refused_roster(
      fmt::format("the roster of {} differs from the known one of the same version "
                  "{}: the authority's folder exists twice, or an old copy of it "
                  "was used",
                  neighbour, version));
  throw NetworkError(
      fmt::format("its roster differs from the one here, of the same version {}", version), "",
      "give all agents the next version");
}

void LivingDaemon::save_roster(const std::string& text) {
  const auto file = home_.folder / "network.toml";
  std::error_code error;
  const bool is_there = std::filesystem::is_regular_file(file, error);
  if (!is_there || read_text_file(file.string()) != text) {
    StagedFiles staged;
    staged.add(file, text, Readers::all);
    staged.replace();
  }
  roster_time_ = std::filesystem::last_write_time(file);
  roster_ = text;
}

void LivingDaemon::follow(const Network& network, Index position) {
  const AgentOptions before = home_.network.agent;
  home_.network = network;
  home_.position = position;
  if (home_.recipe && network.agent.prior) use_prior(home_.network, *home_.recipe);
  roster_refusal_.clear();
  log_.info(fmt::format("the roster is version {} now", network.version));
  credentials_.revoke(network.revoked);
  const bool same_method = before.lambda == network.agent.lambda && before.mu == network.agent.mu &&
                           before.gamma == network.agent.gamma;
  if (!same_method) agent_ = make_agent(agent_.state());
  meet_neighbours();
  neighbours_.follow_roster();
  loop_.post([this] { proceed(); });
}

// From a neighbour, or from a member that the newer roster may make one.
void LivingDaemon::take_roster(const std::string& member, const RosterText& roster) {
  if (roster.text.size() > longest_roster) throw NetworkError("a roster that is too long", "", "");
  loop_.post([this, member, text = roster.text] {
    try {
      take_roster(text, member);
    } catch (const StoreError& error) {
      log_.warning(std::string("cannot save the newer roster: ") + error.what());
    } catch (const DataError& error) {
      log_.warning(std::string("cannot check the newer roster: ") + error.what());
    }
  });
}

std::string LivingDaemon::update(const std::string& roster) {
  check_is_not_stopping();
  const RosterCheck check = take_roster(roster, "you");
  if (check.verdict == RosterVerdict::newer) {
    return fmt::format("roster {}: taken, and told to the neighbours", check.network.version);
  }
  if (check.verdict == RosterVerdict::same) {
    return fmt::format("roster {} is known already", home_.network.version);
  }
  throw DataError("the roster " + check.reason, "", "take network.toml from the network's folder");
}

// How far what was learned here has come.
std::string LivingDaemon::agreement() const {
  if (neighbours_.size() == 0) return "it has no neighbours";
  bool is_alone = true;
  std::vector<std::string> unaware;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const Neighbours::Neighbour& neighbour = neighbours_[n];
    is_alone = is_alone && !neighbour.is_connected;
    if (!agent_.knows_newest(neighbour.name)) unaware.push_back(neighbour.name);
  }
  if (is_alone) return "no neighbour is connected: what is learned here does not spread";
  if (agent_.is_settled()) return "the neighbours agree";
  std::string text = "coming to agree";
  if (agent_.distance() > LivingOptions().tolerance) {
    text += fmt::format(", {:.0e} apart", agent_.distance());
  }
  return unaware.empty() ? text : text + "; yet to hear the newest: " + listed(unaware);
}

// One line per reason that what was learned here has not reached everybody.
std::vector<std::string> LivingDaemon::waits() {
  std::vector<std::string> lines;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const Neighbours::Neighbour& neighbour = neighbours_[n];
    if (neighbour.is_connected) continue;
    lines.push_back(fmt::format("{} is away for {:.0f} s ({})", neighbour.name,
                                seconds_since(neighbour.since), neighbour.reason));
  }
  const Learner& learner = agent_.learner();
  const std::size_t unreleased = learner.has_prior() ? learner.prior_agent().unreleased() : 0;
  if (unreleased > 0) {
    lines.push_back(fmt::format("{} task(s) are told of with the next batch of {}", unreleased,
                                home_.network.release_batch));
  }
  lines.push_back(agreement());
  return lines;
}

void LivingDaemon::add_status(nlohmann::ordered_json& object) {
  object["version"] = home_.network.version;
  object["tasks"] = agent_.learner().records().size();
  object["requests"] = store_.requests();
  object["lost_requests"] = lost_;
  object["settled"] = agent_.is_settled() && !has_moved_;
  object["apart"] = agent_.distance();
  object["agreement"] = agreement();
  object["waiting"] = waits();
  object["rosters_refused"] = rosters_refused_;
  object["roster_refusal"] = roster_refusal_;
  object["numerics"] = as_map<nlohmann::ordered_json>(agent_.learner().numerics());
}

void LivingDaemon::add_status(nlohmann::ordered_json& object, const std::string& neighbour) const {
  const Acquaintance& known = acquaintances_.at(neighbour);
  object["version"] = known.version;
  object["heard"] = agent_.is_heard(neighbour);
  object["refused_frames"] = known.refused;
  object["set_aside"] = known.set_aside;
  object["copies"] = !known.copies_told.empty();
}

}  // namespace colla
