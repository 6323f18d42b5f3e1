// SPDX-License-Identifier: Apache-2.0
#include "data/line_count.hpp"

#include "expectations.hpp"

#include <sys/stat.h>

namespace colla {
namespace {

using testing::TemporaryDirectory;

TEST(LineCount, is_of_lines_that_are_not_inside_quotes) {
  const TemporaryDirectory folder;
  EXPECT_EQ(lines_in_file(folder.write("empty", "")), 0U);
  EXPECT_EQ(lines_in_file(folder.write("ended", "x,y\n1,2\n")), 2U);
  EXPECT_EQ(lines_in_file(folder.write("open", "x,y\r\n1,2")), 2U);
  EXPECT_EQ(lines_in_file(folder.write("quoted", "x\n\"a\n\"\"b\"\"\n\"\n2\n")), 3U);
  EXPECT_EQ(lines_in_file(folder.write("long", std::string(1'000'000, '\n'))), 1'000'000U);
}

TEST(LineCount, of_what_can_be_read_only_once_is_not_known) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(lines_in_file(path), 0U);
  EXPECT_EQ(lines_in_file(folder.file("none")), 0U);
}

}  // namespace
}  // namespace colla
