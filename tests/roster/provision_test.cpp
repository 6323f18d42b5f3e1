// SPDX-License-Identifier: Apache-2.0
#include "roster/provision.hpp"

#include "expectations.hpp"
#include "files/sha256.hpp"
#include "files/text.hpp"
#include "roster/home.hpp"
#include "roster/network_folder.hpp"
#include "sample_networks.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>

namespace colla {
namespace {

namespace fs = std::filesystem;
using testing::expect_failure;
using testing::TemporaryDirectory;

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

std::vector<std::string> entries(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// Sets the process's umask while it lives.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  ~Umask() { umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

class Provision : public ::testing::Test {
 protected:
  void make(Index days = 365) { provision(folder, network, days, now); }
  fs::path home(const std::string& name) const { return folder / name; }

  TemporaryDirectory place;
  fs::path folder = place.file("clinics");
  Network network = three_clinics();
};

TEST_F(Provision, a_first_dictionary_is_in_every_home_and_must_be_the_one) {
  network.agent.atoms = 2;
  const std::string text = "1,2\n3,4\n5,6\n7,8.5\n";
  network.start = sha256_of_bytes(text);
  for (const IssuedHome& issued : provision(folder, network, 30, now, {text, ""})) {
    const Home found = read_home(issued.folder);
    EXPECT_EQ(found.first_dictionary(3, 1), 8.5);
    std::ofstream(found.start()) << "1,2\n3,4\n5,6\n7,8\n";
    expect_failure<DataError>([&] { read_home(issued.folder); },
                              {"first-dictionary.csv", "not the one that network.toml names"});
    fs::remove(found.start());
    expect_failure<DataError>([&] { read_home(issued.folder); },
                              {"first-dictionary.csv", "no such file"});
  }
}

TEST_F(Provision, a_first_dictionary_of_another_size_is_refused) {
  const std::string text = "1,2\n";
  network.start = sha256_of_bytes(text);
  provision(folder, network, 30, now, {text, ""});
  expect_failure<DataError>([&] { read_home(home("clinic-a")); },
                            {"first-dictionary.csv", "the network's size"});
}

// From a table with words and missing cells.
Recipe recipe_of_stays(const std::string& targets) {
  std::string text = "ward,age,unit,stay\n";
  for (int k = 0; k < 30; ++k) {
    text += "w," + (k % 7 == 0 ? "NA" : std::to_string(20 + k)) + (k % 3 == 0 ? ",icu," : ",day,") +
            targets[static_cast<std::size_t>(k) % targets.size()] + "\n";
  }
  RecipeOptions options;
  options.task_column = "ward";
  options.target_column = "stay";
  options.problem = Problem::classification;
  const Table table = parse_table(text, "stays.csv", table_options(options));
  return learn_recipe(table, all_rows(table), options);
}

Network with_recipe(Network network, const Recipe& recipe) {
  network.feature_names.clear();
  network.recipe = sha256_of_bytes(to_toml(recipe));
  network.columns = std::ssize(feature_names(recipe));
  network.agent.features = network.columns + 1;
  network.agent.problem = recipe.target.problem;
  network.target_column = recipe.target_column;
  return network;
}

TEST_F(Provision, a_recipe_is_in_every_home_and_must_be_the_one) {
  const Recipe recipe = recipe_of_stays("sl");
  network = with_recipe(network, recipe);
  for (const IssuedHome& issued : provision(folder, network, 30, now, {"", to_toml(recipe)})) {
    const Home found = read_home(issued.folder);
    ASSERT_TRUE(found.recipe.has_value());
    EXPECT_EQ(*found.recipe, recipe);
    Recipe edited = recipe;
    edited.columns[0].number.mean += 1.0;
    std::ofstream(found.recipe_file()) << to_toml(edited);
    expect_failure<DataError>([&] { read_home(issued.folder); },
                              {"recipe.toml", "not the one that network.toml names"});
    fs::remove(found.recipe_file());
    expect_failure<DataError>([&] { read_home(issued.folder); }, {"recipe.toml", "no such file"});
  }
}

TEST_F(Provision, a_recipe_of_another_network_is_refused) {
  const Recipe recipe = recipe_of_stays("sl");
  network = with_recipe(network, recipe);
  network.target_column = "y";
  provision(folder, network, 30, now, {"", to_toml(recipe)});
  expect_failure<DataError>([&] { read_home(home("clinic-a")); },
                            {"recipe.toml", "the network's target and features"});
}

TEST_F(Provision, a_recipe_with_three_labels_is_refused) {
  const Recipe recipe = recipe_of_stays("slm");
  network = with_recipe(network, recipe);
  provision(folder, network, 30, now, {"", to_toml(recipe)});
  expect_failure<DataError>([&] { read_home(home("clinic-a")); },
                            {"'stay' has 3 labels", "one network per label"});
}

TEST_F(Provision, every_agent_gets_a_home_that_works) {
  const auto homes = provision(folder, network, 30, now);
  EXPECT_EQ(entries(folder), (std::vector<std::string>{"authority", "clinic-a", "clinic-b",
                                                       "clinic-c", "network.toml"}));
  ASSERT_EQ(homes.size(), 3U);
  for (std::size_t k = 0; k < homes.size(); ++k) {
    EXPECT_EQ(homes[k].agent, network.agents[k]);
    EXPECT_EQ(homes[k].not_after, now + 30 * day);
    const Home found = read_home(homes[k].folder);
    EXPECT_EQ(found.position, static_cast<Index>(k));
    EXPECT_EQ(found.listen, network.agents[k].address);
    EXPECT_EQ(found.log, LogFormat::text);
    EXPECT_EQ(found.network.hash, read_network_folder(folder).hash);
    check_identity(found, now);
    check_identity(found, now + 30 * day - 1);
    expect_failure<DataError>([&] { check_identity(found, now + 30 * day); },
                              {found.agent().name, "expired on 2026-12-01", "renew"});
  }
}

TEST_F(Provision, secrets_are_their_owners_whatever_the_umask) {
  const Umask none(0);
  make();
  for (const char* name : {"authority", "clinic-a", "clinic-b", "clinic-c"}) {
    EXPECT_EQ(mode_of(home(name)), 0700U);
  }
  EXPECT_EQ(mode_of(folder / "authority" / "ca.key"), 0600U);
  EXPECT_EQ(mode_of(home("clinic-a") / "agent.key"), 0600U);
  EXPECT_EQ(mode_of(folder / "network.toml"), 0644U);
  NetworkFolder(folder, now).renew({}, 365);
  EXPECT_EQ(mode_of(home("clinic-a") / "agent.key"), 0600U);
}

TEST_F(Provision, no_key_is_given_twice) {
  make();
  std::map<std::string, int> seen;
  for (const char* name : {"clinic-a", "clinic-b", "clinic-c"}) {
    ++seen[read_text_file(home(name) / "agent.key")];
  }
  ++seen[read_text_file(folder / "authority" / "ca.key")];
  EXPECT_EQ(seen.size(), 4U);
}

TEST_F(Provision, an_empty_folder_is_used_and_any_other_is_left_alone) {
  fs::create_directory(folder);
  make();
  const auto before = entries(folder);
  expect_failure<StoreError>([&] { make(); }, {"clinics", "not an empty folder"});
  EXPECT_EQ(entries(folder), before);
  folder = place.write("file", "text");
  expect_failure<StoreError>([&] { make(); }, {"file", "not a folder"});
  folder = place.file("none/deep");
  expect_failure<StoreError>([&] { make(); }, {"none", "no such folder"});
  EXPECT_FALSE(fs::exists(place.file("none")));
}

TEST_F(Provision, what_could_not_be_read_again_is_not_written) {
  network.agents[2].name = "Clinic C";
  expect_failure<Error>([&] { make(); }, {"network.toml", "Clinic C"});
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(Provision, renewing_replaces_keys_and_certificates_of_those_named) {
  make(1);
  const std::string old_key = read_text_file(home("clinic-b") / "agent.key");
  const std::string other_key = read_text_file(home("clinic-a") / "agent.key");
  const auto homes = NetworkFolder(folder, now + 10 * day).renew({"clinic-b", "clinic-b"}, 30);
  ASSERT_EQ(homes.size(), 1U);
  EXPECT_EQ(homes[0].not_after, now + 40 * day);
  EXPECT_NE(read_text_file(home("clinic-b") / "agent.key"), old_key);
  EXPECT_EQ(read_text_file(home("clinic-a") / "agent.key"), other_key);
  check_identity(read_home(home("clinic-b")), now + 20 * day);
  EXPECT_EQ(
      entries(home("clinic-b")),
      (std::vector<std::string>{"agent.crt", "agent.key", "agent.toml", "ca.crt", "network.toml"}));
}

TEST_F(Provision, a_home_that_was_moved_away_is_renewed_too) {
  make();
  fs::remove_all(home("clinic-b"));
  NetworkFolder(folder, now).renew({"clinic-b"}, 30);
  EXPECT_EQ(entries(home("clinic-b")), (std::vector<std::string>{"agent.crt", "agent.key"}));
  EXPECT_EQ(mode_of(home("clinic-b")), 0700U);
}

TEST_F(Provision, no_certificate_outlives_the_authority) {
  make();
  const std::time_t end = now + authority_days * day;
  EXPECT_EQ(NetworkFolder(folder, end - day).renew({}, 365).front().not_after, end);
  expect_failure<DataError>([&] { NetworkFolder(folder, end).renew({}, 365); },
                            {"authority", "expired"});
}

TEST_F(Provision, renewing_needs_the_authority_and_known_names) {
  expect_failure<DataError>([&] { NetworkFolder(folder, now).renew({}, 365); },
                            {"clinics", "network init"});
  make();
  expect_failure<OptionError>([&] { NetworkFolder(folder, now).renew({"clinic-d"}, 365); },
                              {"clinic-d", "clinic-a, clinic-b, clinic-c"});
  expect_failure<DataError>([&] { NetworkFolder(home("clinic-a"), now).renew({}, 365); },
                            {"clinic-a", "the folder of one agent", "around it"});
  const fs::path certificate = folder / "authority" / "ca.crt";
  fs::rename(certificate, place.file("away"));
  expect_failure<DataError>([&] { NetworkFolder(folder, now).renew({}, 365); },
                            {"ca.crt", "no such file"});
  fs::rename(place.file("away"), certificate);
  const fs::path key = folder / "authority" / "ca.key";
  fs::copy_file(home("clinic-a") / "agent.key", key, fs::copy_options::overwrite_existing);
  expect_failure<DataError>([&] { NetworkFolder(folder, now).renew({}, 365); },
                            {"authority", "not match"});
}

TEST_F(Provision, a_home_misses_each_of_its_files) {
  make();
  for (const char* name : {"agent.toml", "network.toml", "ca.crt", "agent.crt", "agent.key"}) {
    const fs::path file = home("clinic-a") / name;
    fs::rename(file, place.file("away"));
    expect_failure<DataError>([&] { read_home(home("clinic-a")); }, {name, "no such file"});
    fs::rename(place.file("away"), file);
  }
  expect_failure<DataError>([&] { read_home(home("clinic-d")); }, {"clinic-d", "no such folder"});
}

TEST_F(Provision, a_key_that_others_may_read_is_refused) {
  make();
  const fs::path key = home("clinic-a") / "agent.key";
  for (const mode_t mode : {0640U, 0604U, 0620U, 0602U, 0644U, 0777U}) {
    ASSERT_EQ(chmod(key.c_str(), mode), 0);
    expect_failure<DataError>([&] { read_home(home("clinic-a")); }, {"agent.key", "chmod 600"});
  }
  ASSERT_EQ(chmod(key.c_str(), 0400), 0);
  read_home(home("clinic-a"));
}

TEST_F(Provision, an_agents_file_is_read_strictly) {
  make();
  const auto read_with = [this](const std::string& text) {
    std::ofstream(home("clinic-b") / "agent.toml") << text;
    return read_home(home("clinic-b"));
  };
  const Home found = read_with(agent_toml("clinic-b", "0.0.0.0:7400", LogFormat::json));
  EXPECT_EQ(found.listen, "0.0.0.0:7400");
  EXPECT_EQ(found.log, LogFormat::json);
  EXPECT_EQ(found.look_every, 10);
  EXPECT_EQ(read_with("name = \"clinic-b\"\nlook_every = 2\n").look_every, 2);
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "name"},
           {"name = 7\n", "name"},
           {"name = \"clinic-d\"\n", "no agent 'clinic-d'"},
           {"name = \"clinic-b\"\nlisten = \"7400\"\n", "listen"},
           {"name = \"clinic-b\"\nlisten = 7400\n", "listen"},
           {"name = \"clinic-b\"\nlog = \"xml\"\n", "log"},
           {"name = \"clinic-b\"\nlook_every = 1\n", "look_every"},
           {"name = \"clinic-b\"\nlook_every = 2.5\n", "look_every"},
           {"name = \"clinic-b\"\nport = 7400\n", "port"},
           {"name = \n", "not TOML"}}) {
    expect_failure<Error>([&, &content = text] { read_with(content); }, {"agent.toml", part});
  }
}

TEST_F(Provision, an_agent_knows_when_its_neighbours_would_refuse_it) {
  make();
  const auto put = [this](const char* from, const char* to) {
    fs::copy_file(folder / from, folder / to, fs::copy_options::overwrite_existing);
  };
  put("clinic-a/agent.key", "clinic-b/agent.key");
  expect_failure<DataError>([&] { check_identity(read_home(home("clinic-b")), now); },
                            {"clinic-b", "key does not match"});
  put("clinic-a/agent.crt", "clinic-b/agent.crt");
  expect_failure<DataError>([&] { check_identity(read_home(home("clinic-b")), now); },
                            {"is for clinic-a, not clinic-b"});
}

}  // namespace
}  // namespace colla
