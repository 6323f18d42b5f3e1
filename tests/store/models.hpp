// SPDX-License-Identifier: Apache-2.0
// Models to store, and their comparison bit for bit.
#pragma once

#include "random_problems.hpp"
#include "store/model_file.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace colla::testing {

struct ModelShape {
  Problem problem = Problem::regression;
  CurvatureForm form = CurvatureForm::dense;
  Index features = 4;
  Index atoms = 3;  ///< 0 for single-task learning
  Index rows = 3;   ///< of each task
  std::vector<std::string> agents = {"agent-0"};
  std::vector<std::string> tasks = {"monday", "tuesday"};  ///< of each agent
};

/// Fitted tasks with random codes and dictionaries: what a trained network looks like to the store.
inline Model random_model(const ModelShape& shape = {}, std::uint64_t seed = 1) {
  Random random(seed);
  Model model;
  model.algorithm = shape.atoms == 0 ? "stl" : "ella";
  model.options.problem = shape.problem;
  model.options.features = shape.features;
  model.options.atoms = shape.atoms;
  model.options.seed = random.bits();  // half of them need the sign bit
  model.options.lambda = 0.1 + random.uniform();
  for (Index k = 0; k < shape.features; ++k) model.features.push_back("x" + std::to_string(k));
  for (const std::string& name : shape.agents) {
    AgentState state;
    state.step = random.below(100);
    state.dictionary = random.normal_matrix(shape.features, shape.atoms);
    for (const std::string& task : shape.tasks) {
      const Samples X = random_rows(random, shape.rows, shape.features);
      const Vector y = random_targets(random, shape.problem, shape.rows);
      state.records.push_back({task, fit(shape.problem, X, y, model.options.gamma, shape.form),
                               shape.atoms == 0 ? Vector(0) : random_code(random, shape.atoms)});
    }
    model.agents.push_back({name, std::move(state)});
  }
  return model;
}

/// Equal bits, not equal values: 0 and -0 differ.
template <typename Array>
void expect_same_bits(const Array& actual, const Array& expected) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  const auto bytes = static_cast<std::size_t>(expected.size()) * sizeof(double);
  if (bytes == 0) return;
  EXPECT_EQ(std::memcmp(actual.data(), expected.data(), bytes), 0);
}

inline void expect_same(const Curvature& actual, const Curvature& expected) {
  ASSERT_EQ(actual.form(), expected.form());
  if (expected.form() == CurvatureForm::dense) {
    expect_same_bits(Matrix(actual.dense_matrix().triangularView<Eigen::Lower>()),
                     Matrix(expected.dense_matrix().triangularView<Eigen::Lower>()));
    EXPECT_EQ(actual.dense_matrix(), actual.dense_matrix().transpose());
  } else {
    expect_same_bits(actual.factor(), expected.factor());
    EXPECT_EQ(actual.ridge(), expected.ridge());
  }
}

inline void expect_same(const TaskRecord& actual, const TaskRecord& expected) {
  EXPECT_EQ(actual.name, expected.name);
  EXPECT_EQ(actual.model.rows, expected.model.rows);
  expect_same_bits(actual.model.alpha, expected.model.alpha);
  expect_same(*actual.model.gamma, *expected.model.gamma);
  expect_same_bits(actual.code, expected.code);
}

inline void expect_same(const ModelAgent& actual, const ModelAgent& expected) {
  EXPECT_EQ(actual.name, expected.name);
  EXPECT_EQ(actual.state.step, expected.state.step);
  expect_same_bits(actual.state.dictionary, expected.state.dictionary);
  ASSERT_EQ(actual.state.records.size(), expected.state.records.size());
  for (std::size_t k = 0; k < expected.state.records.size(); ++k) {
    expect_same(actual.state.records[k], expected.state.records[k]);
  }
}

inline void expect_same(const Model& actual, const Model& expected) {
  EXPECT_EQ(actual.algorithm, expected.algorithm);
  EXPECT_EQ(actual.options.problem, expected.options.problem);
  EXPECT_EQ(actual.options.features, expected.options.features);
  EXPECT_EQ(actual.options.atoms, expected.options.atoms);
  EXPECT_EQ(actual.options.lambda, expected.options.lambda);
  EXPECT_EQ(actual.options.mu, expected.options.mu);
  EXPECT_EQ(actual.options.gamma, expected.options.gamma);
  EXPECT_EQ(actual.options.codes, expected.options.codes);
  EXPECT_EQ(actual.options.seed, expected.options.seed);
  EXPECT_EQ(actual.features, expected.features);
  EXPECT_EQ(actual.task_column, expected.task_column);
  EXPECT_EQ(actual.agent_column, expected.agent_column);
  EXPECT_EQ(actual.target_column, expected.target_column);
  EXPECT_EQ(actual.recipe, expected.recipe);
  ASSERT_EQ(actual.agents.size(), expected.agents.size());
  for (std::size_t i = 0; i < expected.agents.size(); ++i) {
    expect_same(actual.agents[i], expected.agents[i]);
  }
}

}  // namespace colla::testing
