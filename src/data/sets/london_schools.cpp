// SPDX-License-Identifier: Apache-2.0
#include "data/sets/declaration.hpp"

#include <colla/error.hpp>

namespace colla::sets {
namespace {

// Columns as the file has them, from 0. All others are 0 or 1.
constexpr Index percent_free_meals = 3;
constexpr Index percent_highest_band = 4;
constexpr Index bias = 27;

// Indicators of one category are adjacent and sum to 1, or to 0 where it is unknown.
std::vector<std::string> feature_names() {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& category, int values) {
    for (int k = 1; k <= values; ++k) names.push_back(category + "_" + std::to_string(k));
  };
  add("year", 3);
  names.emplace_back("share_free_meals");
  names.emplace_back("share_highest_band");
  add("gender", 2);
  add("reasoning_band", 3);
  add("ethnic_group", 11);
  add("school_gender", 3);
  add("school_denomination", 3);
  names.emplace_back(intercept_name);
  return names;
}

PreparedData prepare_schools(const std::string& path, std::uint64_t /*seed*/) {
  ReadOptions options;
  options.problem = Problem::regression;
  DataSet data = read_mat(path, options);
  data.features = feature_names();
  require_shape(data, 139, bias + 1);
  number_tasks(data, "school");
  for (Batch& batch : data.agents.front().batches) {
    batch.X.col(percent_free_meals) /= 100.0;
    batch.X.col(percent_highest_band) /= 100.0;
    if ((batch.X.col(bias).array() != 1.0).any()) {
      throw DataError("the last column is not a bias", batch.origin, "give the published file");
    }
  }
  data.has_intercept = true;
  return without_groups(std::move(data), 6);
}

}  // namespace

Declaration london_schools() {
  RegisteredSet set;
  set.name = "london-schools";
  set.title = "London Schools";
  set.summary = "139 schools, 15362 pupils, 27 features: the examination score";
  set.preparation =
      "The two percentages divided by 100, indicators 0/1 as published, and the file's own bias; "
      "scores 1 to 70 as published. Six agents; any school may be with any of them.";
  set.file = "school.mat";
  set.sha256 = "57fb3238fdd03a9aa17276e2ce18d9bbb5d128c3261e794fe6233b58b6909068";
  set.bytes = 44759;
  set.published =
      "the Inner London Education Authority; this file is data/school.mat of the MALSAR toolbox, "
      "github.com/jiayuzhou/MALSAR";
  set.address = "https://raw.githubusercontent.com/jiayuzhou/MALSAR/master/data/school.mat";
  return {set, &prepare_schools};
}

}  // namespace colla::sets
