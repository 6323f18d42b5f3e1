// SPDX-License-Identifier: Apache-2.0
#include "files/text.hpp"

#include "expectations.hpp"

#include <string>
#include <utility>

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

TEST(Printable, shows_ends_of_lines_and_marks_of_direction_by_their_numbers) {
  EXPECT_EQ(printable("a\u2028b\u2029"), R"(a\u2028b\u2029)");
  EXPECT_EQ(printable("\u202eevil\u202c \u2066x\u2069 \u200f\u200e\u061c"),
            R"(\u202eevil\u202c \u2066x\u2069 \u200f\u200e\u061c)");
}

TEST(Name, may_be_any_text_that_can_be_seen) {
  for (const char* name : {"a", "grün, 臨床 and 🤖", " a ", "می‌خواهم", "שלום"}) {
    EXPECT_NO_THROW(check_name(name, "here"));
  }
}

TEST(Name, is_refused_if_it_is_blank_or_holds_what_is_not_seen) {
  for (const char* name : {"", " ", "\u00a0\u3000", "\u200b", "\ufeff"}) {
    testing::expect_failure<DataError>([&] { check_name(name, "here"); },
                                       {"here: the name is empty; name it"});
    testing::expect_failure<DataError>([&] { check_not_blank(name, "here", "remove it"); },
                                       {"here: the name is empty; remove it"});
  }
  const std::pair<const char*, const char*> unseen[] = {
      {"a\tb", "U+0009"},      {"a\u0085", "U+0085"},   {"a\u2028b", "U+2028"},
      {"\u202etxt", "U+202E"}, {"\u2066txt", "U+2066"}, {"a\u200f", "U+200F"}};
  for (const auto& [name, code] : unseen) {
    testing::expect_failure<DataError>([&, n = name] { check_name(n, "here"); },
                                       {"here: the name holds the invisible character", code});
  }
  testing::expect_failure<DataError>([] { check_name("\xff", "here"); }, {"not UTF-8"});
}

TEST(CsvField, is_quoted_where_it_must_be) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"so\"\n"), "\"say \"\"so\"\"\n\"");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
}

}  // namespace
}  // namespace colla
