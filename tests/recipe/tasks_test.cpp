// SPDX-License-Identifier: Apache-2.0
// Rows of a task belong together.
#include "recipe/tasks.hpp"

#include "expectations.hpp"
#include "recipe_tables.hpp"

namespace colla {
namespace {

using namespace testing;

DataSet tasks_in(const std::string& text) {
  const Table table = parse_table(text, "f.csv", {.words = {"task", "agent"}});
  const Recipe recipe = learned(table);
  return tasks_of(recipe, table, apply(recipe, table, Targets::wanted), 0);
}

TEST(Tasks, rows_of_a_task_belong_together_wherever_they_stand) {
  const DataSet data = tasks_in("task,x,y\n10,1,5\n9,2,6\n10,4,8\n9,7,9\n10,8,10\n");
  ASSERT_EQ(data.agents.size(), 1U);
  EXPECT_EQ(data.agents[0].agent, "agent-0");
  ASSERT_EQ(data.agents[0].batches.size(), 2U);
  EXPECT_EQ(data.agents[0].batches[0].task, "9");
  EXPECT_EQ(data.agents[0].batches[0].X.rows(), 2);
  EXPECT_EQ(data.agents[0].batches[1].X.rows(), 3);
  EXPECT_EQ(data.agents[0].batches[1].origin, "f.csv, line 2, column 'task'");
  EXPECT_EQ(data.features, std::vector<std::string>{"x"});
}

TEST(Tasks, the_order_of_lines_changes_no_task) {
  const DataSet one = tasks_in("task,agent,x,y\na,p,1,5\nb,q,2,6\na,p,4,8\nb,q,7,9\n");
  const DataSet other = tasks_in("task,agent,x,y\nb,q,7,9\na,p,1,5\nb,q,2,6\na,p,4,8\n");
  ASSERT_EQ(one.agents.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(one.agents[k].agent, other.agents[k].agent);
    EXPECT_EQ(one.agents[k].batches[0].task, other.agents[k].batches[0].task);
    EXPECT_NEAR(one.agents[k].batches[0].y.sum(), other.agents[k].batches[0].y.sum(), 1e-12);
  }
}

TEST(Tasks, a_row_without_task_is_named) {
  expect_failure<DataError>([] { tasks_in("task,x,y\na,1,5\n,2,6\na,4,8\n"); },
                            {"f.csv, line 3, column 'task'", "missing", "name it"});
  expect_failure<DataError>([] { tasks_in("x,y\n1,5\n2,6\n4,8\n"); },
                            {"no task column 'task'", "'x', 'y'"});
}

}  // namespace
}  // namespace colla
