// SPDX-License-Identifier: Apache-2.0
#include "roster/home.hpp"

#include "data/dataset.hpp"
#include "files/sha256.hpp"
#include "files/text.hpp"
#include "files/toml_section.hpp"
#include "roster/address.hpp"
#include "roster/certificates.hpp"

#include <colla/error.hpp>

#include <sys/stat.h>

namespace colla {
namespace {

namespace fs = std::filesystem;

void require_file(const fs::path& file) {
  std::error_code error;
  if (fs::is_regular_file(file, error)) return;
  if (error == std::errc::permission_denied) {
    throw DataError("may not be read", file.string(), "run this as the agent's user");
  }
  throw DataError("no such file", file.string(),
                  "copy the agent's whole folder from where `colla network init` made it");
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

void read_start(Home& home) {
  const Network& network = home.network;
  if (network.start.empty()) return;
  require_file(home.start());
  const std::string file = home.start().string();
  if (sha256_of(file) != network.start) {
    throw DataError("is not the one that network.toml names", file,
                    "copy the agent's whole folder from where `colla network init` made it");
  }
  home.first_dictionary = read_matrix_csv(file);
  if (home.first_dictionary.rows() != network.agent.features ||
      home.first_dictionary.cols() != network.agent.atoms) {
    throw DataError("does not have the network's size", file,
                    "make the network again with `colla network init`");
  }
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
  root.finish();
}

}  // namespace

Home read_home(const fs::path& folder) {
  check_folder(folder);
  Home home;
  home.folder = folder;
  const fs::path network = folder / "network.toml";
  for (const fs::path& file :
       {folder / "agent.toml", network, home.authority(), home.certificate(), home.key()}) {
    require_file(file);
  }
  check_private(home.key());
  home.network = read_network(network.string());
  read_start(home);
  read_agent(home);
  return home;
}

void check_identity(const Home& home, std::time_t now) {
  const std::string certificate = read_text_file(home.certificate().string());
  const std::string remedy = "`colla network renew` the agent and copy agent.crt and agent.key";
  const CertificateCheck check = check_certificate(
      certificate, read_text_file(home.authority().string()), home.agent().name, now);
  if (!check.refusal.empty()) throw DataError(check.refusal, home.agent().name, remedy);
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
