// SPDX-License-Identifier: Apache-2.0
#include "experiment/study_data.hpp"

#include "data/catalogue.hpp"
#include "data/text.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <set>

namespace colla {
namespace {

StudyData registered(const RegisteredSet& set, const std::string& folder, std::uint64_t seed) {
  return {load_registered(set.name, folder, seed), set.title, set.summary, set.is_synthetic};
}

bool is_built_in(const std::string& name) {
  const std::vector<BuiltIn> all = built_in_data();
  return std::any_of(all.begin(), all.end(),
                     [&name](const BuiltIn& set) { return set.name == name; });
}

}  // namespace

PreparedData prepared(DataSet data) {
  PreparedData result;
  result.agents = static_cast<Index>(data.agents.size());
  Stream all{"all", {}};
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    std::set<std::string> names;
    for (Batch& batch : data.agents[i].batches) {
      if (!names.insert(batch.task).second) {
        throw DataError("task " + quoted(batch.task) + " comes twice", batch.origin,
                        "an experiment needs the rows of a task together");
      }
      all.batches.push_back(std::move(batch));
      result.group.push_back(static_cast<Index>(i));
    }
  }
  data.agents = {std::move(all)};
  result.data = std::move(data);
  return result;
}

StudyData load_study_data(const std::string& name_or_path, const std::string& data_folder,
                          std::uint64_t seed) {
  for (const RegisteredSet& set : registered_sets()) {
    if (set.name == name_or_path) return registered(set, data_folder, seed);
  }
  DataSet data = load_data(name_or_path, {}, seed);
  add_intercept(data);
  const bool is_synthetic = is_built_in(name_or_path);
  StudyData result{prepared(std::move(data)), stem(name_or_path), "", is_synthetic};
  const std::size_t tasks = result.prepared.group.size();
  result.summary = counted(tasks, "task") + (is_synthetic ? ", synthetic" : " of " + name_or_path);
  return result;
}

}  // namespace colla
