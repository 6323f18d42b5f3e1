// SPDX-License-Identifier: Apache-2.0
#include "report/graph_drawing.hpp"

#include "report/markup.hpp"
#include "report/palette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

constexpr double cell = 135;
constexpr double height = 136;
constexpr double radius = 44;
constexpr double pi = 3.14159265358979323846;

struct Place {
  double x = 0.0;
  double y = 0.0;
};

std::vector<int> degrees(const GraphEdges& graph) {
  std::vector<int> result(static_cast<std::size_t>(graph.agents), 0);
  for (const auto& [i, j] : graph.edges) {
    ++result[static_cast<std::size_t>(i)];
    ++result[static_cast<std::size_t>(j)];
  }
  return result;
}

bool is_path(const GraphEdges& graph) {
  const auto consecutive = [](const std::pair<int, int>& edge) {
    return std::abs(edge.first - edge.second) == 1;
  };
  return static_cast<int>(graph.edges.size()) == graph.agents - 1 &&
         std::all_of(graph.edges.begin(), graph.edges.end(), consecutive);
}

// The centre of a star, or -1.
int server_of(const GraphEdges& graph) {
  if (graph.agents < 3 || static_cast<int>(graph.edges.size()) != graph.agents - 1) return -1;
  const std::vector<int> degree = degrees(graph);
  const auto most = std::max_element(degree.begin(), degree.end());
  return *most == graph.agents - 1 ? static_cast<int>(most - degree.begin()) : -1;
}

// A path zigzags so that it does not look like a ring; all other graphs are circles.
std::vector<Place> path_places(int agents) {
  const int columns = agents <= 4 ? agents : static_cast<int>(std::ceil(std::sqrt(agents)));
  const int rows = (agents + columns - 1) / columns;
  std::vector<Place> places;
  for (int i = 0; i < agents; ++i) {
    const int row = i / columns;
    const int column = row % 2 == 0 ? i % columns : columns - 1 - i % columns;
    places.push_back({columns == 1 ? 0.0 : radius * (2.0 * column / (columns - 1) - 1.0),
                      rows == 1 ? 0.0 : 0.85 * radius * (2.0 * row / (rows - 1) - 1.0)});
  }
  return places;
}

std::vector<Place> circle_places(int agents, int server) {
  const int around = server < 0 ? agents : agents - 1;
  std::vector<Place> places;
  int number = 0;
  for (int i = 0; i < agents; ++i) {
    const double angle = 2.0 * pi * number / std::max(around, 1) - 0.5 * pi;
    const bool is_centre = i == server || agents == 1;
    places.push_back(is_centre ? Place{}
                               : Place{radius * std::cos(angle), radius * std::sin(angle)});
    if (i != server) ++number;
  }
  return places;
}

std::string draw_graph(const GraphEdges& graph, int style, double centre) {
  const int server = is_path(graph) && graph.agents < 4 ? -1 : server_of(graph);
  const std::vector<Place> places =
      is_path(graph) ? path_places(graph.agents) : circle_places(graph.agents, server);
  const LineStyle line = line_style(std::max(style, 0));
  const bool is_dense = graph.edges.size() > 60;
  std::string svg = fmt::format(
      "<g class=\"graph\" transform=\"translate({:g} 56)\">\n<g class=\"edges\" stroke=\"#888888\" "
      "stroke-width=\"{:g}\" stroke-opacity=\"{:g}\">",
      centre, is_dense ? 0.6 : 1.2, is_dense ? 0.5 : 1.0);
  for (const auto& [i, j] : graph.edges) {
    const Place& a = places[static_cast<std::size_t>(i)];
    const Place& b = places[static_cast<std::size_t>(j)];
    svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", a.x, a.y,
                       b.x, b.y);
  }
  svg += fmt::format("</g>\n<g class=\"nodes{}\" fill=\"{}\">", style < 0 ? "" : " " + line.name,
                     style < 0 ? "#222222" : line.colour);
  for (int i = 0; i < graph.agents; ++i) {
    const Place& place = places[static_cast<std::size_t>(i)];
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\"/>", place.x, place.y,
                       i == server         ? 7.0
                       : graph.agents > 12 ? 3.6
                                           : 5.0);
  }
  return svg + fmt::format(
                   "</g>\n<text class=\"label\" y=\"68\" text-anchor=\"middle\" "
                   "fill=\"#222222\">{}</text></g>\n",
                   escaped(graph.label));
}

// Edges between agents that do not exist are not drawn.
GraphEdges with_existing_edges(GraphEdges graph) {
  graph.agents = std::max(graph.agents, 0);
  const auto exists = [&](int agent) { return agent >= 0 && agent < graph.agents; };
  std::erase_if(graph.edges,
                [&](const auto& edge) { return !exists(edge.first) || !exists(edge.second); });
  return graph;
}

}  // namespace

double graphs_width(std::size_t graphs) {
  return cell * static_cast<double>(std::max<std::size_t>(graphs, 1));
}
double graphs_height() { return height; }

std::string draw_graphs(const std::vector<GraphEdges>& graphs, const std::vector<int>& styles) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graphs\" viewBox=\"0 0 {0:g} {1:g}\" "
      "width=\"{0:g}\" height=\"{1:g}\" role=\"img\" aria-label=\"graphs\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"13\">\n"
      "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      graphs_width(graphs.size()), height);
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    svg += draw_graph(with_existing_edges(graphs[k]), k < styles.size() ? styles[k] : -1,
                      cell * (static_cast<double>(k) + 0.5));
  }
  return svg + "</svg>\n";
}

}  // namespace colla
