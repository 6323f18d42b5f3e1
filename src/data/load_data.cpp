// SPDX-License-Identifier: Apache-2.0
#include "data/load_data.hpp"

#include "data/registry.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <filesystem>

namespace colla {
namespace {

DataSet load_prepared(const std::string& name, const ReadOptions& options, std::uint64_t seed) {
  PreparedData prepared = load_registered(name, options.data_folder, seed);
  if (options.problem && *options.problem != prepared.data.problem) {
    throw SettingError("problem", in_quotes(name) + " is made for another problem", "leave it out");
  }
  if (options.agents) prepared.agents = *options.agents;
  return deal(std::move(prepared));
}

}  // namespace

void check_exists(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return;
  std::vector<std::string> names;
  for (const RegisteredSet& set : registered_sets()) names.push_back(set.name);
  throw DataError("no such file or data set", path,
                  "check the path, or use one of " + listed(names));
}

DataSet load_data(const std::string& name_or_path, const ReadOptions& options, std::uint64_t seed) {
  if (find_registered(name_or_path) != nullptr) return load_prepared(name_or_path, options, seed);
  check_exists(name_or_path);
  if (has_ending(name_or_path, ".mat")) return read_mat(name_or_path, options);
  return read_csv(name_or_path, options);
}

}  // namespace colla
