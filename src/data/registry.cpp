// SPDX-License-Identifier: Apache-2.0
#include "data/registry.hpp"

#include "data/sets/declaration.hpp"
#include "files/sha256.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace colla {
namespace {

namespace fs = std::filesystem;

const std::vector<sets::Declaration>& declarations() {
  static const std::vector<sets::Declaration> all = {
      sets::landmine(),          sets::london_schools(),       sets::computer_survey(),
      sets::facial_expression(), sets::synthetic_regression(), sets::synthetic_classification()};
  return all;
}

// How to get a file that is missing or wrong, for messages.
std::string way_to_get(const RegisteredSet& set) {
  if (set.address.empty()) return "place it there by hand; it was published by " + set.published;
  return "run `colla data get " + set.name + "`, or place it by hand; it was published by " +
         set.published;
}

}  // namespace

const std::vector<RegisteredSet>& registered_sets() {
  static const std::vector<RegisteredSet> sets = [] {
    std::vector<RegisteredSet> result;
    for (const sets::Declaration& declaration : declarations()) result.push_back(declaration.set);
    return result;
  }();
  return sets;
}

const RegisteredSet* find_registered(const std::string& name) {
  for (const RegisteredSet& set : registered_sets()) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

const RegisteredSet& registered_set(const std::string& name) {
  if (const RegisteredSet* set = find_registered(name)) return *set;
  std::vector<std::string> names;
  for (const RegisteredSet& set : registered_sets()) names.push_back(set.name);
  throw OptionError("no data set has this name", name, "use one of " + listed(names));
}

std::string data_folder_or_default(const std::string& folder) {
  if (!folder.empty()) return folder;
  const char* const variable = std::getenv("COLLA_DATA");
  return variable == nullptr ? "" : variable;
}

std::string file_of(const RegisteredSet& set, const std::string& folder) {
  const std::string where = data_folder_or_default(folder);
  if (where.empty()) {
    throw SettingError(
        "data_dir",
        "no data folder is named, and " + in_quotes(set.name) + " needs the file " + set.file,
        "name its folder here or in the variable COLLA_DATA; the file was "
        "published by " +
            set.published);
  }
  return (fs::path(where) / set.file).string();
}

void verify_file(const RegisteredSet& set, const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    throw DataError("is not there", path, way_to_get(set));
  }
  if (error) {
    throw DataError("cannot be read (" + error.message() + ")", path, "check its permissions");
  }
  if (!fs::is_regular_file(status)) throw DataError("is not a file", path, way_to_get(set));
  const std::uintmax_t size = fs::file_size(path, error);
  if (size != set.bytes) {
    throw DataError("has " + std::to_string(size) + " bytes, and the published file has " +
                        std::to_string(set.bytes),
                    path, way_to_get(set));
  }
  const std::string found = sha256_of(path);
  if (found != set.sha256) {
    throw DataError("is not the published file: its SHA-256 is " + found + ", not " + set.sha256,
                    path, way_to_get(set));
  }
}

PreparedData load_registered(const std::string& name, const std::string& folder,
                             std::uint64_t seed) {
  const RegisteredSet& set = registered_set(name);
  std::string path;
  if (!set.is_synthetic) {
    path = file_of(set, folder);
    verify_file(set, path);
  }
  const auto is_it = [&name](const sets::Declaration& each) { return each.set.name == name; };
  PreparedData prepared =
      std::find_if(declarations().begin(), declarations().end(), is_it)->prepare(path, seed);
  prepared.data.name = name;
  check(prepared.data);
  return prepared;
}

DataSet deal(PreparedData prepared) {
  const Index groups = 1 + *std::max_element(prepared.group.begin(), prepared.group.end());
  if (groups == 1) return deal(std::move(prepared.data), prepared.agents);
  if (prepared.agents < groups) {
    throw OptionError(
        "its tasks are of " + std::to_string(groups) + " kinds, each with its own agents",
        prepared.data.name, "ask for " + std::to_string(groups) + " agents or more");
  }
  // Deals each group separately, then puts its agents in their places among all.
  std::vector<Stream> streams(static_cast<std::size_t>(prepared.agents));
  for (Index group = 0; group < groups; ++group) {
    DataSet part = prepared.data;
    std::vector<Batch>& batches = part.agents.front().batches;
    batches.clear();
    for (std::size_t task = 0; task < prepared.group.size(); ++task) {
      if (prepared.group[task] == group) {
        batches.push_back(prepared.data.agents.front().batches[task]);
      }
    }
    const Index agents = (prepared.agents - group + groups - 1) / groups;
    part = deal(std::move(part), agents);
    for (Index k = 0; k < agents; ++k) {
      const Index place = group + k * groups;
      streams[static_cast<std::size_t>(place)] = {
          "agent-" + std::to_string(place),
          std::move(part.agents[static_cast<std::size_t>(k)].batches)};
    }
  }
  prepared.data.agents = std::move(streams);
  return std::move(prepared.data);
}

}  // namespace colla
