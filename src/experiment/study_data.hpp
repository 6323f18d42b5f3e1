// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/registry.hpp"

#include <map>

namespace colla {

/// A data set as a study uses it.
struct StudyData {
  PreparedData prepared;
  std::string title;
  std::string summary;  ///< one line: what the data are
  bool is_synthetic = false;
};

/// By `StudySpec::data`.
using ExperimentData = std::map<std::string, StudyData>;

/// A registered set by its name, whose file is in the data folder, or else a file with an
/// intercept; its path, if relative, starts in `folder`. Files with an agent column keep their
/// tasks with their agents: each agent is a group. Throws DataError.
StudyData load_study_data(const std::string& name_or_path, const std::string& folder,
                          const std::string& data_folder, std::uint64_t seed);

/// One stream with every task once, of a data set with one stream per agent. Throws DataError if a
/// task comes twice.
PreparedData prepared(DataSet data);

}  // namespace colla
