// SPDX-License-Identifier: Apache-2.0
#include "data/sets/declaration.hpp"

namespace colla::sets {
namespace {

constexpr std::size_t fields = 29;
constexpr std::size_t foliated_fields = 15;  // the first ones; the others are bare earth

PreparedData prepare_landmine(const std::string& path, std::uint64_t /*seed*/) {
  ReadOptions options;
  options.problem = Problem::classification;
  PreparedData prepared;
  prepared.data = read_mat(path, options);
  require_shape(prepared.data, fields, 9);
  number_tasks(prepared.data, "field");
  add_intercept(prepared.data);
  prepared.agents = 2;
  for (std::size_t k = 0; k < fields; ++k) prepared.group.push_back(k < foliated_fields ? 0 : 1);
  return prepared;
}

}  // namespace

Declaration landmine() {
  RegisteredSet set;
  set.name = "landmine";
  set.title = "Land Mine";
  set.summary = "29 fields, 14820 radar images, 9 features: is there a mine?";
  set.preparation =
      "The features as published, without scaling, and a bias; labels 0/1 as -1/+1. Two agents: "
      "one has the 15 foliated fields, one the 14 of bare earth.";
  set.file = "LandmineData.mat";
  set.sha256 = "2163ab20a80e33a8b65593c48cf283c540599dcb291105e63fa4af2ce24c2bea";
  set.bytes = 1085456;
  set.published =
      "Duke University, with Xue, Liao, Carin and Krishnapuram 2007 (JMLR 8), once as "
      "LandmineData.zip on www.ee.duke.edu/~lcarin, to be unpacked";
  return {set, &prepare_landmine};
}

}  // namespace colla::sets
