// SPDX-License-Identifier: Apache-2.0
// Each file of this folder declares one registered set.
#pragma once

#include "data/registry.hpp"

namespace colla::sets {

struct Declaration {
  RegisteredSet set;
  /// From the set's verified file, or from the seed if the set is synthetic.
  PreparedData (*prepare)(const std::string& path, std::uint64_t seed);
};

Declaration landmine();
Declaration london_schools();
Declaration computer_survey();
Declaration facial_expression();
Declaration synthetic_regression();
Declaration synthetic_classification();

/// Names the tasks of the only stream "<noun>-1", "<noun>-2", ...
void number_tasks(DataSet& data, const std::string& noun);

/// Any agent may have any task.
PreparedData without_groups(DataSet data, Index agents);

/// Throws DataError if the verified file's tasks or features are not those declared: a bug here or
/// in the reader, never the user's.
void require_shape(const DataSet& data, std::size_t tasks, std::size_t features);

}  // namespace colla::sets
