// SPDX-License-Identifier: Apache-2.0
// Files as people have them become typed columns.
#include "recipe/table.hpp"

#include "expectations.hpp"
#include "files/text.hpp"

#include <rapidcheck/gtest.h>

#include <cmath>

namespace colla {
namespace {

Table parse(std::string_view text, const TableOptions& options = {}) {
  return parse_table(text, "f.csv", options);
}

std::vector<std::string> texts(const Table& table, const std::string& column) {
  std::vector<std::string> result;
  for (std::size_t row = 0; row < table.rows; ++row)
    result.push_back(table.find(column)->text(row));
  return result;
}

using Texts = std::vector<std::string>;

TEST(Table, columns_have_numbers_or_words) {
  const Table table = parse("name,age,dose\nann,31,0.5\nbob,47,-1e3\n");
  EXPECT_EQ(table.rows, 2U);
  EXPECT_EQ(table.form, "commas");
  EXPECT_TRUE(table.find("name")->has_words);
  EXPECT_EQ(texts(table, "name"), (Texts{"ann", "bob"}));
  EXPECT_EQ(table.find("age")->numbers, (std::vector<double>{31, 47}));
  EXPECT_EQ(table.find("dose")->numbers, (std::vector<double>{0.5, -1000}));
  EXPECT_EQ(table.find("none"), nullptr);
}

TEST(Table, separators_and_decimal_commas_are_recognised_and_said) {
  const std::vector<double> expected = {1.5, -2.25};
  EXPECT_EQ(parse("a;b\n1,5;x\n-2,25;y\n").form, "semicolons, decimal commas");
  EXPECT_EQ(parse("a;b\n1,5;x\n-2,25;y\n").find("a")->numbers, expected);
  EXPECT_EQ(parse("a\tb\n1.5\tx\n-2.25\ty\n").form, "tabs");
  EXPECT_EQ(parse("a\tb\n1.5\tx\n-2.25\ty\n").find("a")->numbers, expected);
  EXPECT_EQ(parse("\xef\xbb\xbf\"a\",b\r\n1.5,x\r\n-2.25,y\r\n").form,
            "commas, quotes, CRLF, byte order mark");
  EXPECT_EQ(parse("\"last, first\";b\n\"x, y\";1\nz;2\n").find("b")->numbers,
            (std::vector<double>{1, 2}));
}

TEST(Table, one_column_needs_no_separator) {
  EXPECT_EQ(parse("a\n1\n2\n").find("a")->numbers, (std::vector<double>{1, 2}));
}

TEST(Table, missing_cells_have_many_names) {
  const Table table = parse("a,b\n,x\nNA,?\nnan,null\nN/A,\"\"\nNULL,NaN\n7,n/a\n");
  const Column& numbers = *table.find("a");
  const Column& words = *table.find("b");
  ASSERT_FALSE(numbers.has_words);
  ASSERT_TRUE(words.has_words);
  for (std::size_t row = 0; row < 5; ++row) EXPECT_TRUE(numbers.is_missing(row)) << row;
  EXPECT_EQ(numbers.numbers[5], 7.0);
  EXPECT_EQ(texts(table, "b"), (Texts{"x", "", "", "", "", ""}));
}

TEST(Table, a_column_without_values_has_numbers) {
  const Table table = parse("a,b\n,1\nNA,2\n");
  EXPECT_FALSE(table.find("a")->has_words);
  EXPECT_TRUE(table.find("a")->is_missing(1));
}

TEST(Table, a_late_word_makes_a_column_of_words_with_its_cells_as_they_stand) {
  const Table table = parse("zip,x,late\n007,1,\n1e2,2,\n?,3,\nA4,4,b\n");
  EXPECT_EQ(texts(table, "zip"), (Texts{"007", "1e2", "", "A4"}));
  EXPECT_EQ(table.find("x")->numbers, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(texts(table, "late"), (Texts{"", "", "", "b"}));
}

TEST(Table, infinite_and_huge_numbers_are_words) {
  for (const char* cell : {"inf", "-Infinity", "1e31", "1e400", "0x10", "1 2", "1_000"}) {
    EXPECT_TRUE(parse("a\n1\n" + std::string(cell) + "\n").find("a")->has_words) << cell;
  }
}

TEST(Table, columns_asked_for_as_words_keep_their_text) {
  const Table table = parse("school,x\n007,1\n08.0,2\n", {.words = {"school"}});
  EXPECT_EQ(texts(table, "school"), (Texts{"007", "08.0"}));
}

TEST(Table, spaces_around_cells_do_not_count_unless_quoted) {
  const Table table = parse(" a ,b\n +1 , x y \n\" 2 \",\" z\"\n");
  EXPECT_EQ(table.find("a")->numbers, (std::vector<double>{1, 2}));
  EXPECT_EQ(texts(table, "b"), (Texts{"x y", " z"}));
}

TEST(Table, rows_of_missing_cells_between_tabs_are_rows) {
  const Table table = parse("a\tb\n1\tx\n\t\n2\ty\n");
  EXPECT_EQ(table.rows, 3U);
  EXPECT_TRUE(table.find("a")->is_missing(1));
}

TEST(Table, a_first_column_without_name_numbers_the_rows) {
  EXPECT_NE(parse(",a\n1,5\n2,6\n").find("rownames"), nullptr);
}

TEST(Table, places_count_lines_through_quoted_line_ends) {
  const Table table = parse("a,b\n\"x\ny\",1\nz,2\n\"u\r\nv\nw\",3\nt,4\n");
  EXPECT_EQ(table.place(0, "a"), "f.csv, line 2, column 'a'");
  EXPECT_EQ(table.place(1, "a"), "f.csv, line 4, column 'a'");
  EXPECT_EQ(table.place(2, "b"), "f.csv, line 5, column 'b'");
  EXPECT_EQ(table.place(3, "b"), "f.csv, line 8, column 'b'");
}

TEST(Table, columns_in_memory_are_a_table) {
  const Table table =
      table_of({{.name = "x", .numbers = {1.0, std::nan("")}},
                {.name = "w", .has_words = true, .codes = {0, -1}, .levels = {"a"}}});
  EXPECT_EQ(table.rows, 2U);
  EXPECT_TRUE(table.find("x")->is_missing(1));
  EXPECT_EQ(texts(table, "w"), (Texts{"a", ""}));
  EXPECT_EQ(table.place(1, "x"), "row 1, column 'x'");
}

// Any words, written with any separator and any line end, read back the same.
RC_GTEST_PROP(TableProperty, written_in_any_form_a_table_reads_back, ()) {
  const char separator = *rc::gen::element(',', ';', '\t');
  const std::string line_end = *rc::gen::element<std::string>("\n", "\r\n");
  const auto word = rc::gen::container<std::string>(
      rc::gen::element('a', 'B', '1', ',', ';', '\t', '"', '\n', ' ', '.'));
  const auto rows = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<std::string, int>>>(
      rc::gen::pair(word, rc::gen::inRange(-1000, 1000))));
  std::string text = std::string("w") + separator + "n" + line_end;
  for (const auto& [cell, number] : rows) {
    text += '"';
    for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
    text += '"' + std::string(1, separator) + std::to_string(number) + line_end;
  }
  const Table table = parse_table(text, "f.csv", {.words = {"w"}});
  RC_ASSERT(table.rows == rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string& cell = rows[row].first;
    RC_ASSERT(table.columns[0].text(row) == (trimmed(cell).empty() ? "" : cell));
    RC_ASSERT(table.columns[1].numbers[row] == rows[row].second);
  }
}

}  // namespace
}  // namespace colla
