// SPDX-License-Identifier: Apache-2.0
#include "report/study_charts.hpp"

#include "report/graph_drawing.hpp"
#include "report/markup.hpp"
#include "report/numbers.hpp"
#include "report/palette.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace colla {
namespace {

constexpr const char* steps_label = "time step (tasks learned by each agent)";

int preferred_style(const Study& study, const MethodResult& method) {
  const int by_graph = study.graphs.empty() ? -1 : known_style(method.graph);
  return by_graph >= 0 ? by_graph : known_style(method.key);
}

Series series_of(const MethodResult& method, const std::vector<Estimate>& points,
                 const Styles& styles) {
  return {method.key, method.label, styles.at(method.key), false, points};
}

Chart chart_of(const Figure& figure, const Study& study, const std::string& suffix) {
  Chart chart;
  chart.id = panel_name(figure, study) + suffix;
  chart.title = study.title + (needs_synthetic_mark(study) ? " (synthetic)" : "");
  chart.horizontal = steps_label;
  chart.higher_is_better = study.higher_is_better;
  return chart;
}

bool has_values(const Chart& chart) {
  for (const Series& series : chart.series) {
    for (const Estimate& point : series.points) {
      if (is_drawable(chart, point)) return true;
    }
  }
  return false;
}

std::optional<Chart> chart_of_network(Chart chart, const Study& study, const Styles& styles,
                                      std::vector<Estimate> MethodResult::*values) {
  for (const MethodResult& method : study.methods) {
    const bool is_shown = !method.is_offline && !(method.*values).empty();
    if (is_shown) chart.series.push_back(series_of(method, method.*values, styles));
  }
  if (!has_values(chart)) return std::nullopt;
  return chart;
}

std::string placed(const std::string& svg, double x, double y) {
  return fmt::format("<g transform=\"translate({:g} {:g})\">\n{}</g>\n", x, y, svg);
}

}  // namespace

Styles styles_of(const Figure& figure) {
  Styles styles;
  std::set<int> taken;
  const auto give = [&](const std::string& key, int style) {
    if (taken.insert(style).second) styles.emplace(key, style);
  };
  for (const Study& study : figure.studies) {
    for (const MethodResult& method : study.methods) {
      const int style = preferred_style(study, method);
      if (style >= 0 && !styles.contains(method.key)) give(method.key, style);
    }
  }
  for (const Study& study : figure.studies) {
    for (const MethodResult& method : study.methods) {
      for (int style = 0; !styles.contains(method.key); ++style) give(method.key, style);
    }
  }
  return styles;
}

std::string panel_name(const Figure& figure, const Study& study) {
  return slug(figure.key) + "_" + slug(study.key);
}

std::string metric_label(const Study& study) {
  std::string label = study.metric;
  for (char& c : label) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return label;
}

Estimate value_across(const MethodResult& method) {
  const bool is_last_of_curve = !std::isfinite(method.final_score.mean) && !method.curve.empty();
  return is_last_of_curve ? method.curve.back() : method.final_score;
}

int score_decimals(const Study& study) {
  double largest = 0.0;
  for (const MethodResult& method : study.methods) {
    const double score = std::abs(method.final_score.mean);
    if (std::isfinite(score)) largest = std::max(largest, score);
  }
  return std::clamp(decimals_for(largest, 4), 0, 4);
}

Chart curves_chart(const Figure& figure, const Study& study, const Styles& styles) {
  Chart chart = chart_of(figure, study, "");
  chart.vertical = fmt::format("test {} ({} is better)", metric_label(study),
                               study.higher_is_better ? "higher" : "lower");
  chart.decimals = std::min(score_decimals(study), 3);
  for (const MethodResult& method : study.methods) {
    Series series = series_of(method, method.curve, styles);
    series.is_across = method.is_offline;
    if (series.is_across) series.points = {value_across(method)};
    chart.series.push_back(series);
  }
  return chart;
}

std::optional<Chart> gap_chart(const Figure& figure, const Study& study, const Styles& styles) {
  Chart chart = chart_of(figure, study, "_gap");
  chart.vertical = "disagreement of neighbours";
  chart.is_logarithmic = true;
  chart.height = 280;
  return chart_of_network(chart, study, styles, &MethodResult::gap);
}

std::optional<Chart> exchanges_chart(const Figure& figure, const Study& study,
                                     const Styles& styles) {
  Chart chart = chart_of(figure, study, "_exchanges");
  chart.vertical = "exchanges per step";
  chart.decimals = 0;
  chart.shows_all = true;
  chart.height = 280;
  return chart_of_network(chart, study, styles, &MethodResult::exchanges);
}

std::string draw_graphs(const Study& study, const Styles& styles) {
  if (study.graphs.empty()) return "";
  std::vector<int> colours;
  for (const GraphEdges& graph : study.graphs) {
    int colour = -1;
    for (const MethodResult& method : study.methods) {
      if (method.graph == graph.graph && !method.is_offline) colour = styles.at(method.key);
    }
    colours.push_back(colour);
  }
  return draw_graphs(study.graphs, colours);
}

std::string draw_figure(const Figure& figure) {
  const Styles styles = styles_of(figure);
  const std::size_t columns = std::clamp<std::size_t>(figure.studies.size(), 1, 2);
  std::string panels;
  double y = 0.0;
  for (std::size_t k = 0; k < figure.studies.size(); k += columns) {
    double row_height = 0.0;
    for (std::size_t c = 0; c < columns && k + c < figure.studies.size(); ++c) {
      const Study& study = figure.studies[k + c];
      const Chart chart = curves_chart(figure, study, styles);
      const double x = static_cast<double>(c) * (chart.width + 16);
      const std::string graphs = draw_graphs(study, styles);
      panels += placed(draw(chart), x, y);
      if (!graphs.empty()) panels += placed(graphs, x, y + chart.height + 6);
      const double height = chart.height + (graphs.empty() ? 0.0 : graphs_height() + 6);
      row_height = std::max(row_height, height);
    }
    y += row_height + 16;
  }
  const double width = static_cast<double>(columns) * (Chart{}.width + 16) - 16;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" "
             "width=\"{0:g}\" height=\"{1:g}\">\n<title>{2}</title>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             width, std::max(y - 16, 1.0), escaped(figure.title)) +
         panels + "</svg>\n";
}

}  // namespace colla
