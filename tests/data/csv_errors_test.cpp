// SPDX-License-Identifier: Apache-2.0
// Invalid files: each is refused with what, where and what to do.
#include "data/dataset.hpp"
#include "expectations.hpp"

namespace colla {
namespace {

using testing::expect_failure;
using testing::TemporaryDirectory;

void expect_refused(std::string_view text, const std::vector<std::string>& parts,
                    const ReadOptions& options = {}) {
  expect_failure<DataError>([&] { parse_csv(text, "f.csv", options); }, parts);
}

ReadOptions classification() {
  ReadOptions options;
  options.problem = Problem::classification;
  return options;
}

TEST(CsvErrors, a_missing_file_is_named) {
  expect_failure<DataError>([] { read_csv("/no/such/file.csv", {}); },
                            {"/no/such/file.csv", "No such file", "check the path"});
}

TEST(CsvErrors, a_directory_is_no_file) {
  const TemporaryDirectory directory;
  expect_failure<DataError>([&] { read_csv(directory.file(""), {}); },
                            {"is a directory", "give a file"});
}

TEST(CsvErrors, a_device_without_end_is_refused_at_its_first_zero) {
  expect_failure<DataError>([] { read_csv("/dev/zero", {}); }, {"/dev/zero", "not a text file"});
}

TEST(CsvErrors, an_empty_file_is_refused) {
  for (const char* text : {"", "\n\n", "\xef\xbb\xbf", "  \r\n"}) {
    expect_refused(text, {"f.csv", "is empty", "give a header"});
  }
}

TEST(CsvErrors, a_header_alone_is_refused) {
  expect_refused("task,x,y\n\n", {"f.csv", "no rows", "add one row"});
}

TEST(CsvErrors, a_ragged_row_is_named_by_its_line) {
  expect_refused("task,x,y\na,1,2\na,1\n",
                 {"f.csv, line 3", "has 2 fields, the header has 3", "as long as the header"});
  expect_refused("task,x,y\n\"a\n\n\",1,2\na,1,2,3\n", {"line 5", "has 4 fields"});
}

TEST(CsvErrors, a_blank_line_between_rows_is_named) {
  expect_refused("task,x,y\na,1,2\n\n\na,1,3\n", {"line 3", "blank", "remove"});
}

TEST(CsvErrors, text_in_a_numeric_column_is_shown_with_line_and_column) {
  expect_refused("task,x,y\na,1,2\na,red,3\n",
                 {"line 3", "column 'x'", "'red' is not a number", "encode or remove"});
  expect_refused("task,x,y\na,1,2\na,1,yes\n",
                 {"line 3", "column 'y'", "'yes' is not a number", "0/1, -1/1 or true/false"});
  expect_refused("task,x,y\na,1 2,2\na,1,3\n", {"'1 2' is not a number"});
  expect_refused("task,x,y\na,+-1,2\na,1,3\n", {"'+-1' is not a number"});
}

TEST(CsvErrors, long_text_is_shortened_between_characters) {
  std::string umlauts;
  for (int k = 0; k < 50; ++k) umlauts += "\xc3\xa4";
  expect_refused("task,x,y\na,_" + umlauts + ",2\na,1,3\n",
                 {"'_" + umlauts.substr(0, 38) + "...' is not a number"});
}

TEST(CsvErrors, a_missing_value_is_refused) {
  expect_refused("task,x,y\na,1,2\na, ,3\n", {"line 3", "'x'", "missing", "fill it in"});
  expect_refused("task,x,y\na,1,2\na,1,\n", {"line 3", "'y'", "missing"});
}

TEST(CsvErrors, values_that_are_not_finite_are_refused) {
  for (const char* value : {"nan", "NaN", "inf", "-Infinity", "+inf"}) {
    expect_refused(std::string("task,x,y\na,1,2\na,") + value + ",3\n",
                   {"line 3", "column 'x'", "not a finite number", "remove the row"});
  }
  expect_refused("task,x,y\na,1,2\na,1,nan\n", {"line 3", "column 'y'", "not a finite number"});
  expect_refused("task,x,y\na,1,2\na,1e999,3\n", {"line 3", "'1e999' is outside the range"});
}

TEST(CsvErrors, values_beyond_the_bound_are_refused) {
  expect_refused("task,x,y\na,1,2\na,1e200,3\n",
                 {"line 3", "column 'x'", "1e+200 is beyond 1e30", "scale"});
  expect_refused("task,x,y\na,1,2\na,1,-2e30\n", {"line 3", "column 'y'", "-2e+30 is beyond"});
}

TEST(CsvErrors, a_missing_column_is_reported_with_the_existing_ones) {
  expect_refused("school,x,y\na,1,2\n",
                 {"f.csv, line 1", "no task column 'task'", "'school', 'x', 'y'", "--task-column"});
  expect_refused("task,x,score\na,1,2\n", {"no target column 'y'", "'score'", "--target-column"});
  ReadOptions options;
  options.agent_column_required = true;
  expect_refused("task,x,y\na,1,2\n", {"no agent column 'agent'", "--agent-column"}, options);
}

TEST(CsvErrors, another_separator_is_noticed) {
  expect_refused("task;x;y\na;1;2\n", {"'task;x;y'", "separate the fields by commas"});
}

TEST(CsvErrors, a_column_that_appears_twice_is_refused) {
  expect_refused("task,x,x,y\na,1,1,2\n", {"line 1", "'x' appears twice", "rename or remove"});
}

TEST(CsvErrors, a_column_without_a_name_is_refused) {
  expect_refused(",task,x,y\n0,a,1,2\n", {"column 1 has no name", "numbers the rows"});
}

TEST(CsvErrors, an_empty_task_or_agent_name_is_refused) {
  expect_refused("task,x,y\na,1,2\n ,1,3\n", {"line 3", "'task'", "the name is empty"});
  expect_refused("agent,task,x,y\n\"\",a,1,2\n", {"line 2", "'agent'", "the name is empty"});
}

TEST(CsvErrors, a_quote_that_is_never_closed_is_named_by_the_line_it_opens_on) {
  expect_refused("task,x,y\na,1,2\n\"a,1,3\na,1,4\n", {"line 3", "never closed", "close it"});
  expect_refused("task,x,\"", {"line 1", "never closed"});
}

TEST(CsvErrors, text_after_a_closing_quote_is_refused) {
  expect_refused("task,x,y\n\"a\"b,1,2\n", {"line 2", "follows a closing quote", "twice"});
}

TEST(CsvErrors, a_file_without_features_is_refused) {
  expect_refused("task,agent,y\na,b,2\n", {"no feature columns", "add one column"});
}

TEST(CsvErrors, bytes_that_are_not_text_are_refused) {
  using namespace std::string_view_literals;
  expect_refused("task,x,y\na,1,\0\n"sv, {"line 2", "not a text file", "UTF-8 text"});
  expect_refused("\x1f\x8b\x08", {"line 1", "not a text file"});
  expect_refused("task,x,y\nK\xf6ln,1,2\n", {"line 2", "is not UTF-8", "save it as UTF-8"});
  expect_refused("task,x,y\na\xed\xa0\x80,1,2\n", {"is not UTF-8"});
  const TemporaryDirectory directory;
  const std::string path = directory.write("zeros.csv", "task,x\0,y\n"sv);
  expect_failure<DataError>([&] { read_csv(path, {}); }, {"zeros.csv", "not a text file"});
}

TEST(CsvErrors, more_than_two_labels_are_named) {
  expect_refused("task,x,y\na,1,0\na,1,1\na,1,2\n", {"'y'", "two labels", "0, 1, 2", "0 and 1"},
                 classification());
  expect_refused("task,x,y\na,1,red\na,1,green\na,1,blue\n", {"'red', 'green', 'blue'"},
                 classification());
  expect_refused("task,x,y\na,1,0\na,1,1\na,1,-1\n", {"0, 1, -1"}, classification());
}

TEST(CsvErrors, two_labels_of_no_known_pair_are_named) {
  expect_refused("task,x,y\na,1,yes\na,1,no\n", {"'yes', 'no'", "true and false"},
                 classification());
  expect_refused("task,x,y\na,1,1\na,1,2\n", {"1, 2", "0 and 1"}, classification());
  expect_refused("task,x,y\na,1,1\na,1,false\n", {"1, false"}, classification());
}

TEST(CsvErrors, a_truth_value_among_numbers_is_named_by_its_line) {
  expect_refused("task,x,y\na,1,0.5\na,1,true\n", {"line 3", "'y'", "true or false", "numbers"});
  ReadOptions regression;
  regression.problem = Problem::regression;
  expect_refused("task,x,y\na,1,true\na,1,false\n", {"line 2", "'true' is not a number"},
                 regression);
}

TEST(CsvErrors, one_class_is_not_enough) {
  expect_refused("task,x,y\na,1,0\na,1,1\nb,1,1\nb,1,1\n",
                 {"line 4", "task 'b'", "one class", "remove the task"});
}

TEST(CsvErrors, a_task_with_a_single_row_is_named) {
  expect_refused("task,x,y\na,1,2\na,1,3\nb,1,4\n",
                 {"line 4", "task 'b' has 1 row", "two are needed", "add rows or remove"});
}

TEST(CsvErrors, scattered_rows_of_a_task_should_be_sorted) {
  expect_refused("task,x,y\na,1,2\nb,1,3\na,1,4\nb,1,5\n",
                 {"line 2", "task 'a'", "others elsewhere", "sort them by task"});
}

TEST(CsvErrors, options_that_name_one_column_twice_are_refused) {
  ReadOptions options;
  options.target_column = "task";
  expect_failure<OptionError>([&] { parse_csv("task,x\na,1\n", "f.csv", options); },
                              {"'task'", "same name", "three different columns"});
}

}  // namespace
}  // namespace colla
