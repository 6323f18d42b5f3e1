// SPDX-License-Identifier: Apache-2.0
// Valid files.
#include "data/dataset.hpp"
#include "expectations.hpp"

namespace colla {
namespace {

DataSet parse(std::string_view text, const ReadOptions& options = {}) {
  return parse_csv(text, "folder/file.csv", options);
}

TEST(Csv, columns_may_stand_in_any_order) {
  const DataSet data = parse("x1,y,task,x2\n1,10,a,2\n3,30,a,4\n");
  ASSERT_EQ(data.agents.size(), 1U);
  ASSERT_EQ(data.agents[0].batches.size(), 1U);
  const Batch& batch = data.agents[0].batches[0];
  EXPECT_EQ(data.name, "file");
  EXPECT_EQ(data.agents[0].agent, "agent-0");
  EXPECT_EQ(data.features, (std::vector<std::string>{"x1", "x2"}));
  EXPECT_EQ(batch.task, "a");
  EXPECT_EQ(batch.origin, "folder/file.csv, line 2");
  EXPECT_EQ(batch.X, (Samples(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(batch.y, (Vector(2) << 10, 30).finished());
}

TEST(Csv, line_ends_a_byte_order_mark_and_blank_lines_at_the_end_do_not_matter) {
  const DataSet plain = parse("task,x,y\na,1,2.5\na,3,4\n");
  for (const char* text : {"task,x,y\na,1,2.5\na,3,4", "task,x,y\r\na,1,2.5\r\na,3,4\r\n",
                           "task,x,y\ra,1,2.5\ra,3,4\r", "\xef\xbb\xbftask,x,y\na,1,2.5\na,3,4\n",
                           "task,x,y\na,1,2.5\na,3,4\n\n  \n\r\n\t"}) {
    const DataSet data = parse(text);
    EXPECT_EQ(data.agents[0].batches[0].X, plain.agents[0].batches[0].X) << text;
    EXPECT_EQ(data.agents[0].batches[0].y, plain.agents[0].batches[0].y) << text;
  }
}

TEST(Csv, quoted_fields_may_hold_commas_quotes_and_line_ends) {
  const DataSet data = parse(
      "task,\"a \"\"b\"\", c\",y\n\"one,\r\n\"\"two\"\"\",1,2.5\n"
      "\"one,\r\n\"\"two\"\"\",\" 2 \",3\n");
  EXPECT_EQ(data.features[0], "a \"b\", c");
  EXPECT_EQ(data.agents[0].batches[0].task, "one,\r\n\"two\"");
  EXPECT_EQ(data.agents[0].batches[0].X, (Samples(2, 1) << 1, 2).finished());
}

TEST(Csv, numbers_may_have_spaces_around_them_and_a_plus_sign) {
  const DataSet data = parse("task, x ,y\na, +1.5e2\t,7\na,  -3 ,8\n");
  EXPECT_EQ(data.features[0], "x");
  EXPECT_EQ(data.agents[0].batches[0].X, (Samples(2, 1) << 150, -3).finished());
}

TEST(Csv, lines_are_counted_through_quoted_line_ends) {
  const DataSet data = parse("task,x,y\n\"a\nb\r\nc\",1,2\n\"a\nb\r\nc\",1,3\nd,1,4\nd,1,5\n");
  EXPECT_EQ(data.agents[0].batches[0].origin, "folder/file.csv, line 2");
  EXPECT_EQ(data.agents[0].batches[1].origin, "folder/file.csv, line 8");
}

TEST(Csv, agents_come_in_order_of_first_appearance_and_may_alternate) {
  const DataSet data = parse("agent,task,x,y\nB,t,1,5\nA,t,2,6\nB,t,3,7\nA,t,4,8\n");
  ASSERT_EQ(data.agents.size(), 2U);
  EXPECT_EQ(data.agents[0].agent, "B");
  EXPECT_EQ(data.agents[1].agent, "A");
  ASSERT_EQ(data.agents[0].batches.size(), 1U);
  EXPECT_EQ(data.agents[0].batches[0].y, (Vector(2) << 5, 7).finished());
}

TEST(Csv, a_task_that_appears_again_is_a_batch_of_its_own) {
  const DataSet data = parse("task,x,y\na,1,5\na,1,6\nb,1,7\nb,1,8\na,1,9\na,1,10\n");
  ASSERT_EQ(data.agents[0].batches.size(), 3U);
  EXPECT_EQ(data.agents[0].batches[2].task, "a");
  EXPECT_EQ(data.agents[0].batches[2].y, (Vector(2) << 9, 10).finished());
}

TEST(Csv, the_columns_can_be_named_by_the_options) {
  ReadOptions options;
  options.task_column = "school";
  options.target_column = "score";
  options.agent_column = "borough";
  const DataSet data = parse("school,borough,score,task\ns,b,3,1\ns,b,4,2\n", options);
  EXPECT_EQ(data.features, (std::vector<std::string>{"task"}));
  EXPECT_EQ(data.agents[0].agent, "b");
}

TEST(Csv, a_file_is_read_from_disk_like_text_from_memory) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.write("schools.csv", "task,x,y\na,1,2\na,3,4\n");
  const DataSet data = read_csv(path, {});
  EXPECT_EQ(data.name, "schools");
  EXPECT_EQ(data.agents[0].batches[0].origin, path + ", line 2");
}

TEST(CsvLabels, each_of_the_three_pairs_becomes_minus_and_plus_one) {
  const Vector expected = (Vector(3) << -1, 1, -1).finished();
  for (const char* text :
       {"task,x,y\na,1,0\na,1,1\na,1,0\n", "task,x,y\na,1,-1\na,1,+1.0\na,1,-1\n",
        "task,x,y\na,1,False\na,1,TRUE\na,1, false\n"}) {
    const DataSet data = parse(text);
    EXPECT_EQ(data.problem, Problem::classification) << text;
    EXPECT_EQ(data.agents[0].batches[0].y, expected) << text;
  }
}

TEST(CsvLabels, other_numbers_are_regression) {
  EXPECT_EQ(parse("task,x,y\na,1,0\na,1,1\na,1,2\n").problem, Problem::regression);
  EXPECT_EQ(parse("task,x,y\na,1,0\na,1,1\na,1,-1\n").problem, Problem::regression);
}

TEST(CsvLabels, zeros_and_ones_stay_numbers_if_regression_is_asked_for) {
  ReadOptions options;
  options.problem = Problem::regression;
  const DataSet data = parse("task,x,y\na,1,0\na,1,1\n", options);
  EXPECT_EQ(data.problem, Problem::regression);
  EXPECT_EQ(data.agents[0].batches[0].y, (Vector(2) << 0, 1).finished());
}

}  // namespace
}  // namespace colla
