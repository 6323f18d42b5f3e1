# SPDX-License-Identifier: Apache-2.0
"""The tasks of a network, in all the forms in which they may be given."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from colla import _core
from colla._rows import Columns, feature_columns, frame_rows, is_frame, names_per_row, require_column, runs, task_name
from colla.datasets import Dataset


class Arrival(NamedTuple):
    """Rows of a task as the user gave them."""

    X: Any
    y: Any
    task: Any
    more_elsewhere: bool = False


Step = dict[Any, Arrival]


class Tasks(NamedTuple):
    """What arrives at whom, step after step."""

    steps: list[Step]
    agents: list[Any]  # as they are called here: names, or numbers from 0
    features: list[str] | None = None


def read_tasks(tasks: Any, columns: Columns, n_agents: int | None) -> Tasks:
    """Dataset, data frame, {agent: [(X, y, task), ...]}, [(X, y, task), ...] or [{agent: (X, y, task)}, ...]."""
    if isinstance(tasks, Dataset):
        return _from_streams(tasks.streams, tasks.features)
    if is_frame(tasks):
        return _from_frame(tasks, columns, n_agents)
    if isinstance(tasks, Mapping):
        return _from_streams(tasks, None)
    arrivals = list(tasks)
    if not arrivals:
        raise ValueError("has no tasks; give at least one")
    if all(isinstance(step, Mapping) for step in arrivals):
        steps = [{agent: arrival(of) for agent, of in step.items()} for step in arrivals]
        return Tasks(steps, list(dict.fromkeys(agent for step in steps for agent in step)))
    return _dealt([arrival(each) for each in arrivals], n_agents, None)


def arrival(of: Any) -> Arrival:
    if isinstance(of, Arrival):
        return of
    if not isinstance(of, Iterable) or isinstance(of, str) or is_frame(of) or len(parts := tuple(of)) != 3:
        raise ValueError("what arrives at an agent is not (X, y, task); give three things")
    return Arrival(*parts)


def _from_streams(streams: Mapping[Any, Any], features: list[str] | None) -> Tasks:
    lists = {agent: [arrival(of) for of in stream] for agent, stream in streams.items()}
    longest = max((len(stream) for stream in lists.values()), default=0)
    if longest == 0:
        raise ValueError("has no tasks; give at least one")
    steps = [{agent: stream[t] for agent, stream in lists.items() if t < len(stream)} for t in range(longest)]
    return Tasks(steps, list(lists), features)


def _dealt(stream: list[Arrival], n_agents: int | None, features: list[str] | None) -> Tasks:
    """The tasks of one stream, dealt to the agents in turn."""
    owners = _core.dealt([task_name(of.task) for of in stream], n_agents or 1, "the tasks")
    streams: dict[Any, list[Arrival]] = {agent: [] for agent in range(n_agents or 1)}
    for owner, of in zip(owners, stream):
        streams[owner].append(of)
    return _from_streams(streams, features)


def _from_frame(frame: Any, columns: Columns, n_agents: int | None) -> Tasks:
    require_column(frame, columns.task, "every row needs its task")
    require_column(frame, columns.target, "every row needs its target")
    features = feature_columns(frame, columns)
    X = frame_rows(frame, features)
    y = np.asarray(frame[columns.target])
    tasks = names_per_row(frame[columns.task], len(X))
    if columns.agent not in frame.columns:
        return _dealt(_arrivals(X, y, tasks), n_agents, features)
    agents = names_per_row(frame[columns.agent], len(X), "agent")
    streams = {}
    for name in dict.fromkeys(agents.tolist()):
        own = agents == name
        streams[name] = _arrivals(X[own], y[own], tasks[own])
    return _from_streams(streams, features)


def _arrivals(X: Any, y: Any, tasks: Any) -> list[Arrival]:
    return [Arrival(X[first:end], y[first:end], name, again) for name, first, end, again in runs(tasks)]
