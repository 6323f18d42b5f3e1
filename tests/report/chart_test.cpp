// SPDX-License-Identifier: Apache-2.0
#include "report/chart.hpp"

#include "expectations.hpp"
#include "report/axis.hpp"
#include "report/graph_drawing.hpp"

#include <cmath>

namespace colla {
namespace {

using testing::count;
using testing::holds;

Series series(const std::string& label, std::vector<double> values) {
  Series result;
  result.key = result.label = label;
  result.is_across = values.size() == 1;
  for (const double value : values) result.points.push_back({value, 0.0});
  return result;
}

// Three methods near 2 and one far away.
Chart chart_with(double far) {
  Chart chart;
  chart.id = "panel";
  chart.series = {series("CoLLA", {2.3, 2.2, 2.1}), series("ELLA", {2.6, 2.4, 2.3}),
                  series("GO-MTL", {2.0}), series("STL (untuned)", {far})};
  return chart;
}

TEST(Chart, a_method_far_on_the_worse_side_is_named_at_the_edge) {
  const Chart chart = chart_with(4.1);
  EXPECT_LT(visible_range(chart).high, 2.7);
  EXPECT_TRUE(holds(draw(chart), "STL (untuned) 4.100 ↑"));
}

TEST(Chart, a_method_near_the_others_is_inside) {
  EXPECT_GT(visible_range(chart_with(2.8)).high, 2.8);
  EXPECT_FALSE(holds(draw(chart_with(2.8)), "↑"));
}

TEST(Chart, a_method_far_on_the_better_side_is_always_inside) {
  EXPECT_LT(visible_range(chart_with(0.5)).low, 0.5);
  Chart chart = chart_with(4.1);
  chart.higher_is_better = true;
  EXPECT_GT(visible_range(chart).high, 4.1);
  chart.series.back() = series("STL", {0.5});
  EXPECT_GT(visible_range(chart).low, 1.9);
  EXPECT_TRUE(holds(draw(chart), "STL 0.500 ↓"));
}

TEST(Chart, a_point_far_away_is_named_where_it_would_be) {
  Chart chart;
  chart.series = {series("ELLA", {40.0, 2.4, 2.3, 2.3, 2.2, 2.2, 2.2, 2.1, 2.1, 2.1, 2.1, 2.1}),
                  series("CoLLA", {2.2, 2.1, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0})};
  EXPECT_LT(visible_range(chart).high, 4.0);
  EXPECT_TRUE(holds(draw(chart), "↑ 40.000"));
  chart.shows_all = true;
  EXPECT_GT(visible_range(chart).high, 40.0);
}

TEST(Chart, steps_can_have_names) {
  Chart chart = chart_with(2.5);
  chart.step_names = {"0.1", "<1", "10"};
  const std::string svg = draw(chart);
  EXPECT_EQ(count(svg, "text-anchor=\"middle\" fill=\"#555555\">"), 3U);
  EXPECT_TRUE(holds(svg, ">0.1</text>"));
  EXPECT_TRUE(holds(svg, ">&lt;1</text>"));
}

TEST(Chart, a_missing_value_leaves_a_gap) {
  Chart chart;
  chart.series = {series("CoLLA", {2.3, 2.2, std::nan(""), 2.1, 2.0})};
  const std::string svg = draw(chart);
  EXPECT_EQ(count(svg, "<polyline"), 2U);
  EXPECT_FALSE(holds(svg, "nan"));
}

TEST(Chart, without_values_it_says_so) {
  Chart chart;
  EXPECT_TRUE(holds(draw(chart), "no values"));
  chart.series = {series("CoLLA", {std::nan(""), HUGE_VAL}), series("STL", {std::nan("")})};
  for (const bool is_logarithmic : {false, true}) {
    chart.is_logarithmic = is_logarithmic;
    const std::string svg = draw(chart);
    EXPECT_TRUE(holds(svg, "no values"));
    EXPECT_FALSE(holds(svg, "nan"));
    EXPECT_FALSE(holds(svg, "inf"));
  }
}

TEST(Chart, degenerate_values_have_an_axis_all_the_same) {
  for (const double value : {0.0, 1.0, -3.0, 1e-300, 1e99, 1e300}) {
    Chart chart;
    chart.series = {series("CoLLA", {value, value})};
    const Range range = visible_range(chart);
    EXPECT_LT(range.low, range.high) << value;
    const std::string svg = draw(chart);
    EXPECT_FALSE(holds(svg, "nan")) << value;
    EXPECT_LT(svg.size(), 10000U) << value;
  }
}

TEST(Chart, zeros_are_gaps_on_a_logarithmic_axis) {
  Chart chart;
  chart.is_logarithmic = true;
  chart.series = {series("CoLLA", {0.1, 0.01, 0.0, 0.0})};
  EXPECT_EQ(count(draw(chart), "<polyline"), 1U);
  EXPECT_GT(visible_range(chart).low, 0.001);
}

TEST(Chart, texts_are_escaped) {
  Chart chart = chart_with(2.5);
  chart.title = chart.horizontal = chart.vertical = "a<b>&\"c";
  chart.series[0].key = chart.series[0].label = "</svg>\"";
  const std::string svg = draw(chart);
  EXPECT_FALSE(holds(svg, "a<b"));
  EXPECT_EQ(count(svg, "</svg>"), 1U);
}

TEST(Chart, a_very_long_label_is_shortened) {
  Chart chart;
  chart.series = {series(std::string(300, 'm'), {1.0, 2.0})};
  EXPECT_TRUE(holds(draw(chart), std::string(23, 'm') + "… 2.000"));
}

TEST(GraphDrawing, draws_every_agent_and_edge_that_exists) {
  const GraphEdges graph{"odd", "odd <graph>", 4, {{0, 1}, {2, 3}, {0, 9}, {-1, 2}}};
  const std::string svg = draw_graphs({graph}, {-1});
  EXPECT_EQ(count(svg, "<circle"), 4U);
  EXPECT_EQ(count(svg, "<line"), 2U);
  EXPECT_TRUE(holds(svg, "odd &lt;graph&gt;"));
  EXPECT_EQ(count(draw_graphs({{"none", "none", 0, {}}}, {0}), "<circle"), 0U);
}

TEST(GraphDrawing, a_server_stands_in_the_middle) {
  const GraphEdges star{"star", "server", 5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}};
  EXPECT_TRUE(holds(draw_graphs({star}, {0}), "<circle cx=\"0.0\" cy=\"0.0\" r=\"7\"/>"));
}

}  // namespace
}  // namespace colla
