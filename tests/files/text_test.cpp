// SPDX-License-Identifier: Apache-2.0
#include "files/text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace colla {
namespace {

TEST(Printable, leaves_text_as_it_is) {
  for (const char* text : {"", "north", "grün, 臨床 and 🤖", "a\\b 'c' \"d\""}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, shows_control_characters_and_what_is_not_utf8_by_their_numbers) {
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f"), R"(a\x0ab\x1b[2J\x7f)");
  EXPECT_EQ(printable("\xc2\x9b"), R"(\u009b)");
  EXPECT_EQ(printable("\xff\xc2"), R"(\xff\xc2)");
  EXPECT_EQ(printable(std::string("\0", 1)), R"(\x00)");
  EXPECT_EQ(printable("\xed\xa0\x80"), R"(\xed\xa0\x80)");  // half of a surrogate pair
}

TEST(CsvField, is_quoted_where_it_must_be) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"so\"\n"), "\"say \"\"so\"\"\n\"");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
}

}  // namespace
}  // namespace colla
