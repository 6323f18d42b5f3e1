// SPDX-License-Identifier: Apache-2.0
// Graphs as small node-link diagrams.
#pragma once

#include "report/report.hpp"

#include <string>
#include <vector>

namespace colla {

/// One <svg> element with the graphs side by side, each above its label. Styles (palette.hpp) are
/// those of the graphs' curves; -1 is without colour.
std::string draw_graphs(const std::vector<GraphEdges>& graphs, const std::vector<int>& styles);

/// The size of that picture.
double graphs_width(std::size_t graphs);
double graphs_height();

}  // namespace colla
