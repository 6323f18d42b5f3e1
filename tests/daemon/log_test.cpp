// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <sstream>
#include <string>

namespace colla {
namespace {

constexpr int smallest_pipe = 4096;

// Standard error goes into a small pipe that nobody reads.
class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    reading_ = ends[0];
    ::fcntl(ends[1], F_SETPIPE_SZ, smallest_pipe);
    before_ = ::dup(STDERR_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
  }
  void TearDown() override {
    put_back();
    ::close(reading_);
  }

  // The pipe's end comes when the log's thread has left it too.
  void put_back() {
    if (before_ < 0) return;
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    before_ = -1;
  }

  std::string read_some() const {
    std::array<char, smallest_pipe> buffer{};
    const auto count = ::read(reading_, buffer.data(), buffer.size());
    return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }

 private:
  int reading_ = -1;
  int before_ = -1;
};

struct Lines {
  int seen = 0;
  int missing = 0;
};

// Of the whole lines.
Lines lines_in(const std::string& text) {
  Lines lines;
  std::istringstream whole(text.substr(0, text.rfind('\n') + 1));
  for (std::string line; std::getline(whole, line);) {
    if (line.ends_with(" info    line")) ++lines.seen;
    const std::size_t found = line.find("warning ");
    if (found != std::string::npos) lines.missing += std::stoi(line.substr(found + 8));
  }
  return lines;
}

// However the log's thread is scheduled: it may say more than once how many are missing so far.
TEST_F(LogTest, lines_that_nobody_reads_are_counted_and_the_count_is_said_where_they_are_missing) {
  const Log log("north", false);
  const int said = 5000;
  for (int k = 1; k <= said; ++k) log.info("line");
  std::string text;
  Lines lines;
  while (lines.seen + lines.missing < said) {
    text += read_some();
    lines = lines_in(text);
  }
  EXPECT_EQ(lines.seen + lines.missing, said);
  EXPECT_GT(lines.missing, 0);
  log.info("somebody reads again");
  text.clear();
  while (text.find("reads again\n") == std::string::npos) text += read_some();
  EXPECT_NE(text.find("info    somebody"), std::string::npos);
}

TEST_F(LogTest, an_unread_log_does_not_keep_its_owner) {
  const Log log("north", true);
  for (int k = 0; k < 5000; ++k) log.warning("line");
}

}  // namespace
}  // namespace colla
