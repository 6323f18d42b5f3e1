// SPDX-License-Identifier: Apache-2.0
// The problems in tests/oracle: inputs with answers computed by an independent implementation.
#pragma once

#include "tests_dir.hpp"

#include <colla/graph.hpp>
#include <colla/lifelong_agent.hpp>
#include <colla/matrix.hpp>
#include <colla/problem.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace colla::oracle {

using Json = nlohmann::json;

inline Json load(const std::string& name) {
  std::ifstream file(std::string(tests_dir) + "/oracle/" + name + ".json");
  return Json::parse(file);
}

inline Vector vector(const Json& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

inline Samples matrix(const Json& json) {
  const Index rows = static_cast<Index>(json.size());
  Samples result(rows, rows == 0 ? 0 : static_cast<Index>(json[0].size()));
  for (Index i = 0; i < rows; ++i) {
    result.row(i) = vector(json[static_cast<std::size_t>(i)]).transpose();
  }
  return result;
}

inline Problem problem(const Json& json) {
  return json["problem"] == "regression" ? Problem::regression : Problem::classification;
}

inline Graph graph(const Json& json) {
  std::vector<Edge> edges;
  for (const auto& edge : json["edges"]) edges.push_back({edge[0], edge[1]});
  return {json["agents"], edges};
}

inline AgentOptions agent_options(const Json& json) {
  AgentOptions options;
  options.problem = problem(json);
  options.features = json["d"];
  options.atoms = json["u"];
  options.lambda = json["lambda"];
  options.mu = json["mu"];
  options.gamma = json["gamma"];
  return options;
}

/// Every problem with a network, one agent included.
inline const std::vector<std::string> networks = {
    "ella-regression",           "colla-line-regression", "colla-revisit",
    "colla-star-classification", "colla-uneven-random",   "converged-line"};

/// The name of a test on one of them: gtest allows no '-'.
inline std::string test_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// |actual - expected| relative to the largest entry expected.
inline double distance(const MatrixView& actual, const MatrixView& expected) {
  return (actual - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

}  // namespace colla::oracle
