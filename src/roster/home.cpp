// SPDX-License-Identifier: Apache-2.0
#include "roster/home.hpp"

#include "data/dataset.hpp"
#include "files/file_type.hpp"
#include "files/sha256.hpp"
#include "files/text.hpp"
#include "files/toml_section.hpp"
#include "roster/address.hpp"
#include "roster/certificates.hpp"
#include "roster/signature.hpp"

#include <colla/error.hpp>

#include <sys/stat.h>

namespace colla {
namespace {

namespace fs = std::filesystem;

constexpr Index longest_look_every = 86'400;  // seconds
constexpr char copy_the_folder[] =
    "copy the agent's whole folder from where `colla network init` made it";

void require_file(const fs::path& file) {
  std::error_code error;
  if (fs::is_regular_file(file, error)) return;
  if (error == std::errc::permission_denied) {
    throw DataError("may not be read", file.string(), "run this as the agent's user");
  }
  is_file_at(file, copy_the_folder);
  throw DataError("no such file", file.string(), copy_the_folder);
}

void check_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  throw DataError("no such folder", folder.string(),
                  "give an agent's folder, made by `colla network init`");
}

void check_private(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    throw DataError("cannot be read", file.string(), "check its permissions");
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
  throw DataError("others can read or write this private key", file.string(),
                  "chmod 600 it; if others could have read it, `colla network renew` the agent");
}

// A file whose hash stands in network.toml.
std::string read_named_file(const fs::path& file, const std::string& hash) {
  require_file(file);
  std::string text = read_text_file(file.string());
  if (sha256_of_bytes(text) == hash) return text;
  throw DataError("is not the one that network.toml names", file.string(), copy_the_folder);
}

void read_start(Home& home) {
  const Network& network = home.network;
  if (network.start.empty()) return;
  read_named_file(home.start(), network.start);
  const std::string file = home.start().string();
  home.first_dictionary = read_matrix_csv(file);
  if (home.first_dictionary.rows() != network.agent.features ||
      home.first_dictionary.cols() != network.agent.atoms) {
    throw DataError("does not have the network's size", file,
                    "make the network again with `colla network init`");
  }
}

void read_recipe_file(Home& home) {
  const Network& network = home.network;
  if (network.recipe.empty()) return;
  const std::string file = home.recipe_file().string();
  const Recipe recipe = parse_recipe(read_named_file(home.recipe_file(), network.recipe), file);
  check_for_network(recipe, file);
  if (recipe.target_column != network.target_column ||
      recipe.target.problem != network.agent.problem ||
      std::ssize(feature_names(recipe)) != network.columns) {
    throw DataError("does not have the network's target and features", file,
                    "make the network again with `colla network init`");
  }
  home.recipe = recipe;
  if (network.agent.prior) use_prior(home.network, recipe);
}

void read_roster(Home& home) {
  const std::string file = (home.folder / "network.toml").string();
  const std::string text = read_text_file(file);
  home.network = parse_network(text, file);
  if (home.network.mode != Mode::living) return;
  const std::string fault = check_signature(text, read_text_file(home.authority().string()));
  if (fault.empty()) return;
  throw DataError(fault, file, "take network.toml from the network's folder or a neighbour");
}

void read_agent(Home& home) {
  const std::string path = (home.folder / "agent.toml").string();
  const toml::table table = parse_toml(read_text_file(path), path);
  TomlSection root(table, path);
  root.require("name", "name the agent that lives here");
  std::string name;
  root.text("name", name);
  home.position = home.network.position_of(name);
  if (home.position < 0) {
    root.refuse(root.take("name"), "name",
                "no agent " + colla::in_quotes(name) + " in network.toml",
                "take both files from the same `colla network init`");
  }
  home.listen = home.agent().address;
  root.text("listen", home.listen);
  home.listen = to_string(parse_address(home.listen, root.where(root.take("listen"), "listen")));
  root.word("log", home.log);
  root.whole_number("look_every", home.look_every, 2, longest_look_every);
  root.finish();
}

}  // namespace

Home read_home(const fs::path& folder) {
  check_folder(folder);
  Home home;
  home.folder = folder;
  for (const fs::path& file : {folder / "agent.toml", folder / "network.toml", home.authority(),
                               home.certificate(), home.key()}) {
    require_file(file);
  }
  check_private(home.key());
  read_roster(home);
  read_start(home);
  read_recipe_file(home);
  read_agent(home);
  return home;
}

void check_for_network(const Recipe& recipe, const std::string& where) {
  if (model_count(recipe.target) == 1) return;
  throw DataError("the target " + in_quotes(recipe.target_column) + " has " +
                      counted(recipe.target.labels.size(), "label") + ", and a network learns two",
                  where, "give targets with two labels, or make one network per label");
}

void check_identity(const Home& home, std::time_t now) {
  const std::string certificate = read_text_file(home.certificate().string());
  const std::string remedy = "`colla network renew` the agent and copy agent.crt and agent.key";
  const CertificateCheck check =
      check_certificate(certificate, read_text_file(home.authority().string()), home.agent().name,
                        now, home.network.revoked);
  if (!check.refusal.empty()) {
    const bool is_doubtful = is_clock_doubtful(check.not_before, check.not_after, now);
    const std::string clock =
        "set the clock if it is wrong (`timedatectl set-ntp true`); if it is right, ";
    throw DataError(check.refusal, home.agent().name, is_doubtful ? clock + remedy : remedy);
  }
  const std::string mismatch = check_key(read_text_file(home.key().string()), certificate);
  if (!mismatch.empty()) throw DataError(mismatch, home.agent().name, remedy);
}

std::string agent_toml(const std::string& name, const std::string& listen, LogFormat log) {
  std::string text = "name = " + toml_text(name) + "\n";
  text += listen.empty() ? "# listen = \"0.0.0.0:7400\"  # default: the address in network.toml\n"
                         : "listen = " + toml_text(listen) + "\n";
  text += "log = " + toml_text(name_of(log)) + "\n";
  return text;
}

}  // namespace colla
