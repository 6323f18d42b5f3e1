# SPDX-License-Identifier: Apache-2.0
"""Graphs given by name, as edges or as a networkx graph."""
from __future__ import annotations

from collections import Counter
from typing import Any

from colla import _core
from colla._rows import checked_text, is_whole
from colla._settings import whole_number

Edges = list[tuple[int, int]]

LARGEST_AGENT = 10**9


def is_networkx(graph: Any) -> bool:
    return hasattr(graph, "nodes") and hasattr(graph, "edges")


def node_names(graph: Any) -> list[str] | None:
    """Names of a networkx graph's agents; None if they are the numbers from 0."""
    if not is_networkx(graph) or (all(map(is_whole, graph.nodes)) and set(graph.nodes) == set(range(len(graph.nodes)))):
        return None
    names = [checked_text(str(node), "graph") for node in graph.nodes]
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"graph: two nodes have the name '{name}'; rename one")
    return names


def node_count(graph: Any) -> int | None:
    return len(graph.nodes) if is_networkx(graph) else None


def edge_count(graph: Any, agents: int) -> float:
    """Before the edges of a graph with a name are made."""
    if isinstance(graph, str):
        return _core.count_edges(graph, agents)
    return graph.number_of_edges() if is_networkx(graph) else 0


def edges_of(graph: Any, agents: int, seed: int) -> Edges:
    if isinstance(graph, str):
        return _core.edges_by_name(graph, agents, seed)
    if is_networkx(graph):
        return _core.checked_edges(_networkx_edges(graph), agents)
    try:
        pairs = [(i, j) for i, j in graph]
    except (TypeError, ValueError):
        raise ValueError("graph: is not a name, a list of edges (i, j) or a networkx graph; give one") from None
    return _core.checked_edges([(_agent(i), _agent(j)) for i, j in pairs], agents)


def _agent(number: Any) -> int:
    return whole_number("graph", number, 0, LARGEST_AGENT)


def _networkx_edges(graph: Any) -> Edges:
    if graph.is_directed():
        raise ValueError("graph: is directed, and neighbours exchange both ways; give an undirected one")
    numbered = node_names(graph) is None
    place = {node: node if numbered else k for k, node in enumerate(graph.nodes)}
    return [(place[a], place[b]) for a, b in graph.edges()]
