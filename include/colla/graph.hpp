// SPDX-License-Identifier: Apache-2.0
// Which agents exchange: an undirected graph of agents, counted from 0.
#pragma once

#include <colla/matrix.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace colla {

/// An edge joins i < j.
struct Edge {
  Index i = 0;
  Index j = 0;
  bool operator==(const Edge&) const = default;
};

/// One end's view of an edge.
struct Link {
  Index neighbour = 0;
  Index edge = 0;  ///< position in Graph::edges()
};

class Graph {
 public:
  /// Ends of an edge may come in either order. Throws OptionError for an edge to a missing agent, a
  /// self-loop or an edge given twice.
  Graph(Index agents, std::vector<Edge> edges);

  Index agents() const { return static_cast<Index>(links_.size()); }
  const std::vector<Edge>& edges() const { return edges_; }
  /// In ascending order of the neighbour.
  std::span<const Link> links(Index agent) const { return links_[static_cast<std::size_t>(agent)]; }
  /// The place of a neighbour in links(agent).
  Index slot(Index agent, Index neighbour) const;
  Index degree(Index agent) const { return static_cast<Index>(links(agent).size()); }
  /// How strongly neighbours should pull each other to agree fast: 1/sqrt(1 - l^2) with l >= 0 the
  /// second eigenvalue of the degree-normalised adjacency matrix. Computed when first asked for.
  double pace() const;
  /// True if every agent can reach every other.
  bool is_connected() const;

  /// A colour per agent, from 0, such that neighbours differ; greedy, most neighbours first.
  std::vector<Index> colouring() const;
  /// The same graph renumbered: its agent k is agent order[k] of this one.
  Graph renumbered(std::span<const Index> order) const;

 private:
  std::vector<Edge> edges_;
  std::vector<std::vector<Link>> links_;
  struct Pace {
    std::once_flag computed;
    double value = 1.0;
  };
  std::shared_ptr<Pace> pace_ = std::make_shared<Pace>();  // of all copies
};

/// Throws SettingError for `graph` unless the edges join all agents.
void check_connected(const Graph& graph);

/// A penalty rho on disagreement with which agents that average numbers agree quickly: twice the
/// graph's pace, times the mean over the edges of 1/(smaller degree). The graph has an edge.
double averaging_penalty(const Graph& graph);

/// The agents sorted by colour: exchanges then run in as many fronts as there are colours.
std::vector<Index> colour_order(const Graph& graph);

/// line: the paper's tree; star: agent 0 is the server; ring; complete; random: half of the
/// complete graph's edges, connected, drawn from the seed; none. Throws SettingError for another
/// name.
Graph make_graph(const std::string& name, Index agents, std::uint64_t seed);
/// The names that make_graph knows.
const std::vector<std::string>& graph_names();

}  // namespace colla
