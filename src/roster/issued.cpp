// SPDX-License-Identifier: Apache-2.0
#include "roster/issued.hpp"

#include "files/staged_files.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <sstream>

namespace colla {

namespace fs = std::filesystem;

std::string issued_line(const std::string& fingerprint, const std::string& agent) {
  return fingerprint + " " + agent + "\n";
}

std::vector<std::string> issued_to(const std::string& agent, const fs::path& folder) {
  const std::string file = (folder / issued_file).string();
  std::istringstream lines(read_text_file(file));
  std::vector<std::string> fingerprints;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::size_t space = line.find(' ');
    if (space != 64) {
      throw DataError("is not a fingerprint and a name", file + ", line " + std::to_string(number),
                      "take the file from a backup of the network's folder");
    }
    if (line.substr(space + 1) == agent) fingerprints.push_back(line.substr(0, space));
  }
  return fingerprints;
}

void add_issued(const std::string& lines, const fs::path& folder) {
  const fs::path file = folder / issued_file;
  StagedFiles staged;
  staged.add(file, read_text_file(file.string()) + lines, Readers::all);
  staged.replace();
}

}  // namespace colla
