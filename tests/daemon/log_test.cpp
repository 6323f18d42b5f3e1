// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>
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

  // Until the log has said that.
  std::string read_until(const std::string& words) const {
    std::string text;
    std::array<char, smallest_pipe> buffer{};
    while (text.find(words) == std::string::npos) {
      const auto count = ::read(reading_, buffer.data(), buffer.size());
      if (count <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int reading_ = -1;
  int before_ = -1;
};

TEST_F(LogTest, lines_that_nobody_reads_are_counted_and_the_count_is_said_where_they_are_missing) {
  const Log log("north", false);
  const int said = 5000;
  for (int k = 1; k <= said; ++k) log.info("line");
  std::istringstream text(read_until("are missing here: nobody read it\n"));
  int seen = 0;
  std::optional<int> missing;
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with(" info    line")) ++seen;
    const std::size_t found = line.find("warning ");
    if (found != std::string::npos) missing = std::stoi(line.substr(found + 8));
  }
  ASSERT_TRUE(missing);
  EXPECT_GT(*missing, 0);
  EXPECT_EQ(seen + *missing, said);
  log.info("somebody reads again");
  EXPECT_NE(read_until("reads again").find("info    somebody"), std::string::npos);
}

TEST_F(LogTest, an_unread_log_does_not_keep_its_owner) {
  const Log log("north", true);
  for (int k = 0; k < 5000; ++k) log.warning("line");
}

}  // namespace
}  // namespace colla
