// SPDX-License-Identifier: Apache-2.0
#include "data/sets/declaration.hpp"

#include <colla/error.hpp>

namespace colla::sets {

void number_tasks(DataSet& data, const std::string& noun) {
  std::size_t number = 0;
  for (Batch& batch : data.agents.front().batches) {
    batch.task = noun + "-" + std::to_string(++number);
  }
}

PreparedData without_groups(DataSet data, Index agents) {
  const std::size_t tasks = data.agents.front().batches.size();
  return {std::move(data), agents, std::vector<Index>(tasks, 0)};
}

void require_shape(const DataSet& data, std::size_t tasks, std::size_t features) {
  const std::size_t present = data.agents.front().batches.size();
  if (present == tasks && data.features.size() == features) return;
  throw DataError("has " + std::to_string(present) + " tasks of " +
                      std::to_string(data.features.size()) + " features, not " +
                      std::to_string(tasks) + " of " + std::to_string(features),
                  data.name, "give the file that was published");
}

}  // namespace colla::sets
