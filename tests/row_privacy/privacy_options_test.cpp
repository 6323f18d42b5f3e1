// SPDX-License-Identifier: Apache-2.0
#include "row_privacy/privacy_options.hpp"

#include <colla/error.hpp>

#include <gtest/gtest.h>

namespace colla {
namespace {

TEST(PrivacyOptions, text_is_read_back) {
  for (const PrivacyOptions& options :
       {PrivacyOptions{1.0, 1e-6, 4.0, 1}, PrivacyOptions{0.1, 0.001, 3.25, 7}}) {
    EXPECT_EQ(parse_privacy(to_text(options)), options) << to_text(options);
  }
  EXPECT_EQ(parse_privacy("bound=4, delta=1e-6 ,epsilon=1"), (PrivacyOptions{1.0, 1e-6, 4.0, 1}));
}

TEST(PrivacyOptions, values_that_promise_nothing_are_refused) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "NAME=NUMBER"},
      {"epsilon", "NAME=NUMBER"},
      {"epsilon=1,delta=1e-6", "no bound"},
      {"delta=1e-6,bound=4", "no epsilon"},
      {"epsilon=1,bound=4", "no delta"},
      {"epsilon=0,delta=1e-6,bound=4", "epsilon is 0"},
      {"epsilon=-1,delta=1e-6,bound=4", "epsilon is -1"},
      {"epsilon=nan,delta=1e-6,bound=4", "not a number"},
      {"epsilon=inf,delta=1e-6,bound=4", "not a number"},
      {"epsilon=1,delta=1,bound=4", "delta is 1"},
      {"epsilon=1,delta=0,bound=4", "delta is 0"},
      {"epsilon=1,delta=1e-6,bound=0", "bound is 0"},
      {"epsilon=1,delta=1e-6,bound=-4", "bound is -4"},
      {"epsilon=1,epsilon=2,delta=1e-6,bound=4", "given twice"},
      {"epsilon=1,delta=1e-6,bound=4,gamma=2", "no such part"},
      {"epsilon=1,delta=1e-6,bound=4,rows_per_person=0", "rows_per_person"},
      {"epsilon=1,delta=1e-6,bound=4,rows_per_person=1.5", "whole number"}};
  for (const auto& [text, reason] : wrong) {
    try {
      parse_privacy(text);
      ADD_FAILURE() << text;
    } catch (const OptionError& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace colla
