// SPDX-License-Identifier: Apache-2.0
// The pages and pictures of what a model has learned.
#include "expectations.hpp"
#include "report/learned_charts.hpp"
#include "report/learned_page.hpp"

#include <nlohmann/json.hpp>

namespace colla {
namespace {

using testing::count;
using testing::holds;

// Task t has the effects j + t/tasks; the last feature is the intercept, 50 more.
Learned learned_of(std::size_t features, std::size_t tasks, const std::string& name = "x") {
  LearnedPart part;
  for (std::size_t j = 0; j <= features; ++j) {
    const bool is_intercept = j == features;
    const auto mean = static_cast<double>(j) + 0.5 + (is_intercept ? 50.0 : 0.0);
    part.features.push_back({name + std::to_string(j), is_intercept, "+1", 1.0, mean, 0.3, 0});
  }
  for (std::size_t t = 0; t < tasks; ++t) {
    const double share = static_cast<double>(t) / static_cast<double>(tasks);
    TaskEffects task{"north", name + "task" + std::to_string(t), 9, {}, {}, 2.0, 3.0, share};
    for (const FeatureEffect& feature : part.features) {
      task.estimates.push_back({feature.mean - 0.5 + share, 0.1});
      task.alone.push_back({feature.mean + share, 0.4});
    }
    part.tasks.push_back(std::move(task));
  }
  const auto count = static_cast<long>(tasks);
  return {"bayes", true, name, true, 1, count, 9 * count, {part}};
}

TEST(LearnedCharts, every_task_has_a_dot_and_the_intercept_is_drawn_by_its_difference) {
  const Learned learned = learned_of(3, 10);
  const RowChart chart = effects_chart(learned, learned.parts[0], "effects");
  ASSERT_EQ(chart.rows.size(), 4U);
  EXPECT_EQ(chart.rows[0].label, "average row \u2212 53.50");
  EXPECT_NEAR(chart.rows[0].middle, 0.0, 1e-12);
  for (const ChartRow& row : chart.rows) EXPECT_EQ(row.dots.size(), 10U);
  EXPECT_NEAR(chart.rows[0].dots[9], 0.4, 1e-9);
  EXPECT_NEAR(chart.rows[2].dots[9], 1.9, 1e-9);
}

TEST(LearnedCharts, of_many_tasks_the_outermost_are_always_drawn) {
  const Learned learned = learned_of(1, 5000);
  const ChartRow row = effects_chart(learned, learned.parts[0], "effects").rows[1];
  EXPECT_EQ(row.dots.size(), most_drawn_dots);
  EXPECT_EQ(row.dots.front(), learned.parts[0].tasks.front().estimates[0].value);
  EXPECT_EQ(row.dots.back(), learned.parts[0].tasks.back().estimates[0].value);
}

TEST(LearnedCharts, what_the_own_rows_do_not_tell_has_no_mark) {
  Learned learned = learned_of(2, 2);
  LearnedPart& part = learned.parts[0];
  part.tasks[0].alone[1] = {};
  std::size_t marks = 0;
  for (const ChartRow& row : task_chart(learned, part, part.tasks[0], "task").rows) {
    marks += row.marks.size();
  }
  EXPECT_EQ(marks, 5U);
}

TEST(LearnedCharts, a_far_estimate_of_few_rows_does_not_flatten_the_rest) {
  Learned learned = learned_of(2, 2);
  LearnedPart& part = learned.parts[0];
  const RowChart near = task_chart(learned, part, part.tasks[0], "task");
  part.tasks[0].alone[0] = {-1e6, 1.0};
  const RowChart far = task_chart(learned, part, part.tasks[0], "task");
  EXPECT_TRUE(holds(draw(far), "l8,-4v8Z"));  // an arrow at the left edge
  EXPECT_FALSE(holds(draw(near), "l8,-4v8Z"));
  EXPECT_TRUE(holds(draw(far), ">1</text>") || holds(draw(far), ">1.0</text>"));  // ticks
}

TEST(LearnedPage, thousands_of_tasks_and_features_stay_small_and_what_is_left_out_is_said) {
  const std::string page = to_html(learned_of(2000, 3000), 5);
  EXPECT_LT(page.size(), std::size_t{800} * 1024);
  EXPECT_TRUE(holds(page, "30 of 2000 features are drawn."));
  EXPECT_TRUE(holds(page, "200 of 3000 tasks are drawn, evenly by rank."));
  EXPECT_TRUE(holds(page, "8 of 2001 features, the largest differences."));
  EXPECT_TRUE(holds(page, "200 of 3000 tasks, the most unusual."));
}

TEST(LearnedPage, nothing_is_said_to_be_left_out_of_a_small_page) {
  const std::string page = to_html(learned_of(3, 10), 2);
  for (const char* words : {"are drawn", "the largest", "the most unusual"}) {
    EXPECT_FALSE(holds(page, words)) << words;
  }
  EXPECT_EQ(count(page, "<svg xmlns"), 3U);
  EXPECT_TRUE(holds(page, "1 of 10 tasks have a chance below 0.01"));
}

TEST(LearnedPage, names_never_become_markup) {
  const std::string hostile = "<img src=x onerror=a>\"'&</svg>";
  const std::string page = to_html(learned_of(2, 4, hostile), 4);
  EXPECT_FALSE(holds(page, "<img"));
  EXPECT_FALSE(holds(page, "<script"));
  EXPECT_EQ(count(page, "</svg>"), count(page, "<svg"));
}

TEST(LearnedPage, json_has_every_effect_of_every_task) {
  Learned learned = learned_of(2, 3);
  learned.parts[0].tasks[1].alone[0] = {};
  const auto json = nlohmann::json::parse(to_json(learned));
  const auto& part = json["parts"][0];
  EXPECT_EQ(part["features"].size(), 3U);
  EXPECT_EQ(part["tasks"].size(), 3U);
  EXPECT_EQ(part["tasks"][2]["estimate"][1], learned.parts[0].tasks[2].estimates[1].value);
  EXPECT_TRUE(part["tasks"][1]["alone"][0].is_null());
}

}  // namespace
}  // namespace colla
