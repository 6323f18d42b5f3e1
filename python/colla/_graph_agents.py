# SPDX-License-Identifier: Apache-2.0
"""Agents on a graph: what `Network` and `OfflineCoLLA` share."""
from __future__ import annotations

from abc import abstractmethod
from typing import Any

from colla import _core
from colla._agents import AgentNames, Agents, default_names, names_of_keys
from colla._graph import edge_count, edges_of, node_count, node_names
from colla._rows import Floats, Form
from colla._settings import whole_number
from colla._streams import Tasks

MOST_AGENTS = 1_000_000


class NetworkLearner(Agents):
    """What `Network` and `OfflineCoLLA` share: agents on a graph."""

    n_agents: int | None
    graph: Any
    codes: str
    rho: float
    tolerance: float
    threads: int
    init: Any

    @property
    def dictionaries_(self) -> list[Floats]:
        """Every agent's dictionary, (features and intercept) x atoms."""
        return [self._dictionary(i) for i in range(len(self.agents_))]

    @abstractmethod
    def _dictionary(self, agent: int) -> Floats: ...

    def _read(self, tasks: Any, form: Form) -> Tasks:
        return self._prepared_tasks(tasks, self._agent_count(), form)

    def _agent_names(self, read: Tasks) -> AgentNames:
        """Of a new network: the graph's, or those of the agents that get tasks."""
        names, count = node_names(self.graph), self._agent_count()
        if names is None and not read.are_dealt:
            names = names_of_keys(read.agents)
            if names is not None and not isinstance(self.graph, str):
                nodes = [str(node) for node in range(node_count(self.graph) or len(names))]
                names = nodes if set(names) <= set(nodes) else names
        if names is None:
            largest = whole_number("agent", max(read.agents, default=0), 0, MOST_AGENTS - 1)
            names = default_names(count or largest + 1)
        if count is not None and len(names) != count:
            raise ValueError(f"n_agents: {count} given, and the data has {len(names)} agents; leave it out")
        return AgentNames(names)

    def _agent_count(self) -> int | None:
        """As given, or as many as the graph has."""
        nodes = node_count(self.graph)
        if self.n_agents is None:
            return nodes
        count = whole_number("n_agents", self.n_agents, 1, MOST_AGENTS)
        if nodes is not None and nodes != count:
            raise ValueError(f"n_agents: {count} given, and the graph has {nodes} agents; leave it out")
        return count

    def _edges(self, agents: int, options: _core.Options) -> list[tuple[int, int]]:
        _core.check_edge_memory(options, edge_count(self.graph, agents))
        return edges_of(self.graph, agents, self.seed)
