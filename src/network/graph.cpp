// SPDX-License-Identifier: Apache-2.0
#include <colla/error.hpp>
#include <colla/graph.hpp>
#include <colla/random.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace colla {
namespace {

constexpr std::uint64_t random_graph_key = 3;  // keys this use of the seed

std::string name_of(const Edge& edge) {
  return "edge " + std::to_string(edge.i) + "," + std::to_string(edge.j);
}

void check_edge(const Edge& edge, Index agents) {
  if (edge.i < 0 || edge.j >= agents) {
    throw OptionError("joins an agent that does not exist", name_of(edge),
                      "agents are counted from 0 to " + std::to_string(agents - 1));
  }
  if (edge.i == edge.j) {
    throw OptionError("joins an agent to itself", name_of(edge), "remove it");
  }
}

bool by_ends(const Edge& a, const Edge& b) { return std::pair(a.i, a.j) < std::pair(b.i, b.j); }

std::vector<Edge> complete_edges(Index agents) {
  std::vector<Edge> edges;
  for (Index i = 0; i < agents; ++i) {
    for (Index j = i + 1; j < agents; ++j) edges.push_back({i, j});
  }
  return edges;
}

// 0, 1, ..., count - 1 in random order.
std::vector<Index> shuffled(std::size_t count, Random& random) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  random.shuffle(order);
  return order;
}

// A random spanning tree, its edges sorted.
std::vector<Edge> tree_edges(Index agents, Random& random) {
  const std::vector<Index> order = shuffled(static_cast<std::size_t>(agents), random);
  std::vector<Edge> edges;
  for (std::size_t k = 1; k < order.size(); ++k) {
    const Index other = order[random.below(k)];
    edges.push_back({std::min(order[k], other), std::max(order[k], other)});
  }
  std::sort(edges.begin(), edges.end(), by_ends);
  return edges;
}

// A random spanning tree, then more edges until it has half of the complete graph's.
std::vector<Edge> random_edges(Index agents, std::uint64_t seed) {
  Random random(seed, {random_graph_key});
  std::vector<Edge> edges = tree_edges(agents, random);
  const std::vector<Edge> all = complete_edges(agents);
  std::vector<Edge> rest;
  std::set_difference(all.begin(), all.end(), edges.begin(), edges.end(), std::back_inserter(rest),
                      by_ends);
  const std::vector<Index> draw = shuffled(rest.size(), random);
  const auto half = static_cast<std::size_t>((agents * (agents - 1) / 2 + 1) / 2);
  for (std::size_t k = 0; edges.size() < half && k < draw.size(); ++k) {
    edges.push_back(rest[static_cast<std::size_t>(draw[k])]);
  }
  return edges;
}

}  // namespace

Graph::Graph(Index agents, std::vector<Edge> edges)
    : edges_(std::move(edges)), links_(static_cast<std::size_t>(agents)) {
  for (Edge& edge : edges_) {
    if (edge.i > edge.j) std::swap(edge.i, edge.j);
    check_edge(edge, agents);
  }
  std::sort(edges_.begin(), edges_.end(), by_ends);
  const auto twice = std::adjacent_find(edges_.begin(), edges_.end());
  if (twice != edges_.end()) throw OptionError("appears twice", name_of(*twice), "remove one");
  for (std::size_t l = 0; l < edges_.size(); ++l) {
    const auto edge = static_cast<Index>(l);
    links_[static_cast<std::size_t>(edges_[l].i)].push_back({edges_[l].j, edge});
    links_[static_cast<std::size_t>(edges_[l].j)].push_back({edges_[l].i, edge});
  }
  for (auto& links : links_) {
    std::sort(links.begin(), links.end(),
              [](const Link& a, const Link& b) { return a.neighbour < b.neighbour; });
  }
}

Index Graph::slot(Index agent, Index neighbour) const {
  const auto all = links(agent);
  const auto found =
      std::lower_bound(all.begin(), all.end(), neighbour,
                       [](const Link& link, Index wanted) { return link.neighbour < wanted; });
  return found - all.begin();
}

bool Graph::is_connected() const {
  if (agents() == 0) return true;
  std::vector<bool> reached(links_.size(), false);
  std::vector<Index> waiting = {0};
  reached[0] = true;
  std::size_t count = 1;
  while (!waiting.empty()) {
    const Index agent = waiting.back();
    waiting.pop_back();
    for (const Link& link : links(agent)) {
      const auto neighbour = static_cast<std::size_t>(link.neighbour);
      if (reached[neighbour]) continue;
      reached[neighbour] = true;
      ++count;
      waiting.push_back(link.neighbour);
    }
  }
  return count == links_.size();
}

std::vector<Index> Graph::colouring() const {
  std::vector<Index> order(links_.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](Index a, Index b) { return degree(a) > degree(b); });
  constexpr Index uncoloured = -1;
  std::vector<Index> colours(links_.size(), uncoloured);
  for (const Index agent : order) {
    std::vector<bool> taken(links(agent).size() + 1, false);
    for (const Link& link : links(agent)) {
      const Index colour = colours[static_cast<std::size_t>(link.neighbour)];
      if (colour != uncoloured && colour < std::ssize(taken)) {
        taken[static_cast<std::size_t>(colour)] = true;
      }
    }
    const auto free = std::find(taken.begin(), taken.end(), false);
    colours[static_cast<std::size_t>(agent)] = free - taken.begin();
  }
  return colours;
}

Graph Graph::renumbered(std::span<const Index> order) const {
  std::vector<Index> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    position[static_cast<std::size_t>(order[k])] = static_cast<Index>(k);
  }
  std::vector<Edge> edges;
  edges.reserve(edges_.size());
  for (const Edge& edge : edges_) {
    edges.push_back(
        {position[static_cast<std::size_t>(edge.i)], position[static_cast<std::size_t>(edge.j)]});
  }
  return {agents(), std::move(edges)};
}

void check_connected(const Graph& graph) {
  if (graph.is_connected()) return;
  throw SettingError("graph",
                     "leaves some of the " + std::to_string(graph.agents()) +
                         " agents without a path to the others",
                     "add edges, or choose the graph 'none' for separate agents");
}

std::vector<Index> colour_order(const Graph& graph) {
  const std::vector<Index> colours = graph.colouring();
  std::vector<Index> order(colours.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&colours](Index a, Index b) {
    return colours[static_cast<std::size_t>(a)] < colours[static_cast<std::size_t>(b)];
  });
  return order;
}

const std::vector<std::string>& graph_names() {
  static const std::vector<std::string> names = {"line",     "star",   "ring",
                                                 "complete", "random", "none"};
  return names;
}

Graph make_graph(const std::string& name, Index agents, std::uint64_t seed) {
  std::vector<Edge> edges;
  if (name == "line" || name == "ring") {
    for (Index i = 0; i + 1 < agents; ++i) edges.push_back({i, i + 1});
    if (name == "ring" && agents > 2) edges.push_back({0, agents - 1});
  } else if (name == "star") {
    for (Index i = 1; i < agents; ++i) edges.push_back({0, i});
  } else if (name == "complete") {
    edges = complete_edges(agents);
  } else if (name == "random") {
    edges = random_edges(agents, seed);
  } else if (name != "none") {
    throw SettingError("graph", "no graph has the name '" + name + "'",
                       "give line, star, ring, complete, random or none");
  }
  return {agents, std::move(edges)};
}

}  // namespace colla
