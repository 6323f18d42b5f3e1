// SPDX-License-Identifier: Apache-2.0
// Tables that are refused: what, where, what to do.
#include "expectations.hpp"
#include "recipe/table.hpp"

#include <limits>

namespace colla {
namespace {

using testing::expect_failure;

void expect_no_table(std::string_view text, const std::vector<std::string>& parts) {
  expect_failure<DataError>([&] { parse_table(text, "f.csv"); }, parts);
}

TEST(TableErrors, files_that_are_no_tables) {
  expect_failure<DataError>([] { read_table("/no/such.csv"); }, {"/no/such.csv", "check the path"});
  expect_no_table("", {"f.csv", "is empty", "give a header"});
  expect_no_table("a,b\n", {"f.csv", "no rows", "add one row"});
  expect_no_table("a,b\n1,\x01\n", {"f.csv, line 2", "not a text file"});
  expect_no_table("a,b\n1,\xff\n", {"f.csv, line 2", "UTF-8"});
}

TEST(TableErrors, headers) {
  expect_no_table("a,b,a\n1,2,3\n", {"f.csv, line 1", "'a' appears twice", "rename"});
  expect_no_table("a,,b\n1,2,3\n", {"f.csv, line 1", "column 2 has no name"});
  expect_no_table("a,(intercept)\n1,2\n", {"(intercept)", "rename"});
  expect_no_table("1,2\n3,4\n", {"f.csv, line 1", "numbers where the names", "line of names"});
}

TEST(TableErrors, rows) {
  expect_no_table("a,b\n1,2\n1\n", {"f.csv, line 3", "has 1 field, the header has 2"});
  expect_no_table("a;b\n1;2\n1;2;3\n", {"f.csv, line 3", "has 3 fields, the header has 2"});
  expect_no_table("a,b\n1,2\n\n3,4\n", {"line 3", "blank", "remove"});
  expect_no_table("a,b\n1,\"2\n", {"line 2", "never closed"});
  expect_no_table("a,b\n1,\"2\"3\n", {"line 2", "closing quote"});
}

TEST(TableErrors, two_decimal_marks_in_one_file) {
  expect_no_table("a;b\n1,5;1\n2;1.5\n",
                  {"f.csv, line 2, column 'a'", "decimal comma", "line 3, column 'b'", "same"});
}

TEST(TableErrors, columns_in_memory) {
  const Column x{.name = "x", .numbers = {1.0, 2.0}};
  const auto refused = [&x](Column other, const std::vector<std::string>& parts) {
    expect_failure<DataError>([&] { table_of({x, other}); }, parts);
  };
  refused({.name = "y", .numbers = {1.0}}, {"column 'y'", "has 1 row, the first column 2"});
  refused({.name = "x", .numbers = {1.0, 2.0}}, {"'x' appears twice"});
  refused({.name = "", .numbers = {1.0, 2.0}}, {"column 2 has no name"});
  refused({.name = "y", .numbers = {1.0, std::numeric_limits<double>::infinity()}},
          {"row 1, column 'y'", "beyond 1e30"});
  refused({.name = "y", .has_words = true, .codes = {0, 1}, .levels = {"a"}},
          {"row 1, column 'y'", "no level 1"});
  refused({.name = "y", .has_words = true, .codes = {0, 1}, .levels = {"a", "a"}},
          {"column 'y'", "appears twice", "different words"});
}

}  // namespace
}  // namespace colla
