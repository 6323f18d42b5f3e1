// SPDX-License-Identifier: Apache-2.0
#include "experiment/study_data.hpp"

#include "data/load_data.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <filesystem>
#include <set>

namespace colla {

PreparedData prepared(DataSet data) {
  PreparedData result;
  result.agents = static_cast<Index>(data.agents.size());
  Stream all{"all", {}};
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    std::set<std::string> names;
    for (Batch& batch : data.agents[i].batches) {
      if (!names.insert(batch.task).second) {
        throw DataError("task " + colla::in_quotes(batch.task) + " appears twice", batch.origin,
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

StudyData load_study_data(const std::string& name_or_path, const std::string& folder,
                          const std::string& data_folder, std::uint64_t seed) {
  if (const RegisteredSet* set = find_registered(name_or_path)) {
    return {load_registered(set->name, data_folder, seed), set->title, set->summary,
            set->is_synthetic};
  }
  DataSet data = load_data((std::filesystem::path(folder) / name_or_path).string(), {}, seed);
  add_intercept(data);
  StudyData result{prepared(std::move(data)), stem(name_or_path), "", false};
  result.summary = counted(result.prepared.group.size(), "task") + " of " + name_or_path;
  return result;
}

}  // namespace colla
