// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include <colla/single_task.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace colla {
namespace {

class SingleTaskOracle : public ::testing::TestWithParam<std::string> {};

TEST_P(SingleTaskOracle, every_alpha_and_gamma_is_reproduced_in_both_forms) {
  const auto json = oracle::load(GetParam());
  const double gamma = json["gamma"];
  for (std::size_t t = 0; t < json["steps"].size(); ++t) {
    for (const auto& task : json["steps"][t]) {
      const std::string name = task["task"];
      const auto& expect = json["expect"][t];
      for (const auto form : {CurvatureForm::dense, CurvatureForm::factored}) {
        const auto model = fit(oracle::problem(json), oracle::matrix(task["X"]),
                               oracle::vector(task["y"]), gamma, form);
        EXPECT_LT(oracle::distance(model.alpha, oracle::vector(expect["alpha"][name])), 1e-8);
        EXPECT_LT(oracle::distance(model.gamma->dense(), oracle::matrix(expect["gamma"][name])),
                  1e-8);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Oracles, SingleTaskOracle, ::testing::ValuesIn(oracle::networks),
                         [](const auto& instance) { return oracle::test_name(instance.param); });

}  // namespace
}  // namespace colla
