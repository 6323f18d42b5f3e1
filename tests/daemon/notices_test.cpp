// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/notices.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace colla {
namespace {

class NoticesTest : public ::testing::Test {
 protected:
  // What is written while it runs.
  template <typename Action>
  std::string written(const Action& action) {
    ::testing::internal::CaptureStderr();
    {
      const Log log("north", false);
      action(log);
    }
    return ::testing::internal::GetCapturedStderr();
  }

  static auto lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
};

TEST_F(NoticesTest, a_kind_that_comes_often_does_not_hide_another) {
  const std::string text = written([](const Log& log) {
    Notices notices(log, Rate(100, 0));
    for (int k = 0; k < 1000; ++k) notices.warning("door", "caller " + std::to_string(k));
    notices.info("link", "connected");
  });
  EXPECT_EQ(lines(text), 4);
  EXPECT_NE(text.find("caller 2\n"), std::string::npos);
  EXPECT_EQ(text.find("caller 3"), std::string::npos);
  EXPECT_NE(text.find("connected"), std::string::npos);
}

TEST_F(NoticesTest, all_kinds_together_have_a_limit) {
  const std::string text = written([](const Log& log) {
    Notices notices(log, Rate(6, 0));
    for (int k = 0; k < 1000; ++k) notices.warning("kind " + std::to_string(k), "a line");
  });
  EXPECT_EQ(lines(text), 6);
}

TEST_F(NoticesTest, a_line_stays_a_line_whatever_others_put_into_it) {
  const std::string text = written([](const Log& log) {
    Notices notices(log, Rate(6, 0));
    notices.warning("door", "two\nlines, \x1b[2J and \xff\xfe");
  });
  EXPECT_EQ(lines(text), 1);
  EXPECT_NE(text.find(R"(two\x0alines, \x1b[2J and \xff\xfe)"), std::string::npos);
}

}  // namespace
}  // namespace colla
