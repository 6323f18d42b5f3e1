// SPDX-License-Identifier: Apache-2.0
#include "roster/network_folder.hpp"

#include "expectations.hpp"
#include "files/text.hpp"
#include "roster/accept.hpp"
#include "roster/home.hpp"
#include "roster/signature.hpp"
#include "sample_networks.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <thread>

namespace colla {
namespace {

namespace fs = std::filesystem;
using testing::expect_failure;
using testing::TemporaryDirectory;

/// Every file below a folder with its bytes.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder)] = testing::bytes_of(entry.path());
    }
  }
  return files;
}

class NetworkFolderTest : public ::testing::Test {
 protected:
  NetworkFolderTest() { provision(folder, living_clinics(), 365, now); }

  NetworkFolder open(std::time_t time = now) const { return {folder, time}; }
  void set_rows(const std::string& rows) const {
    open().change(
        [&rows](const Network& network) { return with_setting(network, "minimum_rows", rows); });
  }
  std::string text(const std::string& name) const { return testing::bytes_of(folder / name); }
  std::string certificate_of(const std::string& agent) const { return text(agent + "/agent.crt"); }
  std::string refusal_of(const std::string& certificate) const {
    return check_certificate(certificate, text("authority/ca.crt"), "", now,
                             read_network_folder(folder).revoked)
        .refusal;
  }
  // Every home works and has the folder's roster.
  void expect_sound(Index version) const {
    const Network network = read_network_folder(folder);
    EXPECT_EQ(network.version, version);
    EXPECT_EQ(check_signature(text("network.toml"), text("authority/ca.crt")), "");
    for (const RosterAgent& agent : network.agents) {
      EXPECT_EQ(text(agent.name + "/network.toml"), text("network.toml")) << agent.name;
      check_identity(read_home(folder / agent.name), now);
    }
    for (const auto& [name, bytes] : files_in(folder)) {
      EXPECT_EQ(name.find("unfinished"), std::string::npos) << name;
    }
  }

  TemporaryDirectory place;
  fs::path folder = place.file("clinics");
};

TEST_F(NetworkFolderTest, a_change_is_the_next_version_in_every_home) {
  expect_sound(1);
  set_rows("5");
  expect_sound(2);
  set_rows("6");
  expect_sound(3);
  EXPECT_EQ(read_network_folder(folder).minimum_rows, 6);
  EXPECT_TRUE(open().repairs().empty());
}

TEST_F(NetworkFolderTest, what_would_change_nothing_makes_no_version) {
  expect_failure<OptionError>([&] { set_rows("3"); }, {"clinics", "nothing would change"});
  expect_sound(1);
}

TEST_F(NetworkFolderTest, a_new_agent_gets_a_home_that_works) {
  const IssuedHome home = open().add({"east", "east.org:7400"}, {"clinic-a"}, 30);
  EXPECT_EQ(home.folder, folder / "east");
  EXPECT_EQ(home.not_after, now + 30 * day);
  expect_sound(2);
  EXPECT_EQ(read_home(home.folder).agent().address, "east.org:7400");
  struct stat status {};
  ASSERT_EQ(stat((home.folder / "agent.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  // A second of this name has no place.
  fs::create_directory(folder / "west");
  expect_failure<StoreError>(
      [&] {
        open().add({"west", "w:1"}, {"east"}, 30);
      },
      {"west", "exists already", "move it away"});
  expect_sound(2);
}

TEST_F(NetworkFolderTest, certificates_of_a_removed_agent_are_refused_even_if_its_name_returns) {
  const std::string first = certificate_of("clinic-c");
  open().renew({"clinic-c"}, 30);
  const std::string renewed = certificate_of("clinic-c");
  open().remove("clinic-c", {});
  expect_sound(2);
  fs::rename(folder / "clinic-c", folder / "away");
  open().add({"clinic-c", "[::1]:7400"}, {"clinic-b"}, 30);
  expect_sound(3);
  for (const std::string& old : {first, renewed}) {
    EXPECT_EQ(refusal_of(old), "its certificate was revoked");
  }
  EXPECT_EQ(refusal_of(certificate_of("clinic-c")), "");
}

TEST_F(NetworkFolderTest, revoking_replaces_all_certificates_that_an_agent_ever_had) {
  std::vector<std::string> old = {certificate_of("clinic-b")};
  open().renew({}, 30);
  old.push_back(certificate_of("clinic-b"));
  const std::string key = text("clinic-b/agent.key");
  EXPECT_EQ(open().revoke("clinic-b", 30).not_after, now + 30 * day);
  expect_sound(2);
  EXPECT_NE(text("clinic-b/agent.key"), key);
  for (const std::string& certificate : old) {
    EXPECT_EQ(refusal_of(certificate), "its certificate was revoked");
  }
  EXPECT_EQ(refusal_of(certificate_of("clinic-a")), "");
  open().revoke("clinic-b", 30);
  expect_sound(3);
}

TEST_F(NetworkFolderTest, an_agent_knows_that_its_certificate_was_revoked) {
  const fs::path stolen = place.file("stolen");
  fs::copy(folder / "clinic-b", stolen, fs::copy_options::recursive);
  open().revoke("clinic-b", 30);
  check_identity(read_home(stolen), now);  // it has the roster of before
  fs::copy_file(folder / "network.toml", stolen / "network.toml",
                fs::copy_options::overwrite_existing);
  expect_failure<DataError>([&] { check_identity(read_home(stolen), now); },
                            {"clinic-b", "was revoked", "renew"});
}

// A kill while files are renamed leaves some old and some new, in any combination here.
TEST_F(NetworkFolderTest, the_next_command_finishes_what_a_killed_one_began) {
  const std::vector<std::string> names = {"network.toml", "clinic-a/network.toml",
                                          "clinic-b/network.toml", "clinic-c/network.toml"};
  const std::string before = text("network.toml");
  set_rows("5");
  const std::string after = text("network.toml");
  for (unsigned renamed = 1; renamed < 16; ++renamed) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      std::ofstream(folder / names[k]) << (((renamed >> k) & 1U) != 0 ? after : before);
    }
    std::ofstream(folder / "clinic-a" / "network.toml.unfinished-99") << "x";
    EXPECT_EQ(open().repairs().empty(), renamed == 15) << renamed;
    EXPECT_EQ(text("network.toml"), after);
    expect_sound(2);
  }
}

TEST_F(NetworkFolderTest, an_agent_that_was_being_added_is_added_once_its_home_is_whole) {
  const auto before = files_in(folder);
  open().add({"east", "east.org:7400"}, {"clinic-a"}, 30);
  const auto restore = [&] {
    for (const auto& [name, bytes] : before) std::ofstream(folder / name) << bytes;
  };
  restore();
  fs::rename(folder / "east", folder / "east.unfinished-99");
  EXPECT_EQ(open().network().version, 1);
  expect_sound(1);
  open().add({"east", "east.org:7400"}, {"clinic-a"}, 30);
  restore();  // all but the home
  EXPECT_EQ(open().network().version, 2);
  expect_sound(2);
}

TEST_F(NetworkFolderTest, a_revoked_certificate_is_replaced_if_the_command_was_killed) {
  const std::string key = text("clinic-b/agent.key");
  const std::string certificate = certificate_of("clinic-b");
  open().revoke("clinic-b", 30);
  for (const bool is_key_old : {true, false}) {
    std::ofstream(folder / "clinic-b/agent.crt") << certificate;
    if (is_key_old) std::ofstream(folder / "clinic-b/agent.key") << key;
    const NetworkFolder opened = open();
    ASSERT_EQ(opened.repairs().size(), 1U);
    EXPECT_NE(opened.repairs()[0].find("agent.crt"), std::string::npos);
    expect_sound(2);
  }
}

TEST_F(NetworkFolderTest, a_roster_changed_by_hand_is_refused_and_nothing_is_lost) {
  const std::string good = text("network.toml");
  std::ofstream(folder / "network.toml") << good << "# a remark\n";
  const auto before = files_in(folder);
  expect_failure<DataError>([&] { set_rows("5"); },
                            {"clinics/network.toml", "sign", "an agent's home"});
  expect_failure<DataError>([&] { open().renew({}, 30); }, {"clinics/network.toml"});
  EXPECT_EQ(files_in(folder), before);
  // In a home it is no roster at all, and replaced.
  std::ofstream(folder / "network.toml") << good;
  std::ofstream(folder / "clinic-a/network.toml") << good << "# a remark\n";
  expect_failure<DataError>([&] { read_home(folder / "clinic-a"); },
                            {"clinic-a/network.toml", "sign"});
  EXPECT_EQ(open().repairs().size(), 1U);
  expect_sound(1);
}

TEST_F(NetworkFolderTest, two_rosters_of_one_version_are_refused) {
  const std::string first = text("network.toml");
  const fs::path copy = place.file("copy");
  fs::copy(folder, copy, fs::copy_options::recursive);
  set_rows("5");
  NetworkFolder(copy, now).change(
      [](const Network& network) { return with_setting(network, "minimum_rows", "6"); });
  fs::copy_file(copy / "network.toml", folder / "clinic-b" / "network.toml",
                fs::copy_options::overwrite_existing);
  expect_failure<DataError>([&] { set_rows("7"); },
                            {"clinic-b/network.toml", "same version 2", "keep the one"});
  // A later one settles it.
  NetworkFolder(copy, now).change(
      [](const Network& network) { return with_setting(network, "minimum_rows", "7"); });
  fs::copy_file(copy / "network.toml", folder / "clinic-c" / "network.toml",
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(open().network().minimum_rows, 7);
  expect_sound(3);
}

TEST_F(NetworkFolderTest, an_old_copy_of_the_folder_goes_on_from_a_newer_roster) {
  const fs::path copy = place.file("copy");
  fs::copy(folder, copy, fs::copy_options::recursive);
  set_rows("5");
  set_rows("6");
  fs::copy_file(folder / "network.toml", copy / "network.toml",
                fs::copy_options::overwrite_existing);
  folder = copy;
  set_rows("7");
  expect_sound(4);
}

TEST_F(NetworkFolderTest, commands_at_once_make_one_version_each) {
  const auto add_some = [this](const std::string& letter) {
    for (int k = 0; k < 5; ++k) {
      const std::string name = letter + std::to_string(k);
      open().add({name, name + ".org:7400"}, {"clinic-a"}, 30);
    }
  };
  std::thread other([&] { add_some("x"); });
  add_some("y");
  other.join();
  expect_sound(11);
  EXPECT_EQ(read_network_folder(folder).agents.size(), 13U);
}

TEST_F(NetworkFolderTest, homes_that_were_moved_away_need_not_be_there) {
  fs::remove_all(folder / "clinic-b");
  set_rows("5");
  EXPECT_FALSE(fs::exists(folder / "clinic-b"));
  open().revoke("clinic-b", 30);
  EXPECT_EQ(files_in(folder / "clinic-b").size(), 2U);
  EXPECT_EQ(refusal_of(certificate_of("clinic-b")), "");
}

TEST_F(NetworkFolderTest, what_the_authority_needs_must_be_there) {
  for (const char* name : {"authority/ca.key", "authority/ca.crt", "authority/issued"}) {
    fs::rename(folder / name, place.file("away"));
    const auto before = files_in(folder);
    expect_failure<DataError>([&] { open().revoke("clinic-b", 30); }, {name});
    EXPECT_EQ(files_in(folder), before);
    fs::rename(place.file("away"), folder / name);
  }
  std::ofstream(folder / "authority/issued") << "nonsense\n";
  expect_failure<DataError>([&] { open().revoke("clinic-b", 30); }, {"issued, line 1", "backup"});
}

TEST_F(NetworkFolderTest, only_living_networks_change) {
  Network network = three_clinics();
  network.mode = Mode::lockstep;
  const fs::path other = place.file("lockstep");
  provision(other, network, 365, now);
  expect_failure<OptionError>([&] { NetworkFolder(other, now).require_living(); },
                              {"is of mode lockstep", "cannot change", "--mode living"});
  open().require_living();
}

}  // namespace
}  // namespace colla
