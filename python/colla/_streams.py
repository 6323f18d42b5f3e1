# SPDX-License-Identifier: Apache-2.0
"""The tasks of a network, in all the forms in which they may be given."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from colla import _core
from colla._rows import (Columns, Floats, as_array, as_targets, check_lengths, column, feature_columns, frame_rows,
                         has_column, is_frame, is_one_name, names_per_row, runs, shown, task_name)
from colla.datasets import Dataset

ONLY_TASK = "task"


class Arrival(NamedTuple):
    """Rows of a task as the user gave them."""

    X: Any
    y: Any
    task: Any
    more_elsewhere: bool = False


Step = dict[Any, Arrival]


class Tasks(NamedTuple):
    """Which tasks arrive at which agents, step by step."""

    steps: list[Step]
    agents: list[Any]  # as given: names or numbers
    features: list[str] | None = None
    are_dealt: bool = False  # agents are numbers from 0, whatever their names

    def has_frames(self) -> bool:
        return any(is_frame(of.X) for step in self.steps for of in step.values())


def read_tasks(tasks: Any, columns: Columns, n_agents: int | None, known: list[str] | None = None) -> Tasks:
    """Dataset, data frame, {agent: [(X, y, task), ...]}, [(X, y, task), ...] or [{agent: (X, y, task)}, ...].

    `known` are the features that were learned before, if they have names."""
    if isinstance(tasks, Dataset):
        return from_streams(tasks.streams, tasks.features)
    if is_frame(tasks):
        names = column(tasks, columns.task, "every row needs its task")
        targets = column(tasks, columns.target, "every row needs its target")
        return read_rows(tasks, targets, names, columns, n_agents, known)
    if isinstance(tasks, Mapping):
        return from_streams(tasks, None)
    if not isinstance(tasks, Iterable) or isinstance(tasks, (str, np.ndarray)):
        raise ValueError(f"tasks: {shown(tasks)} is not a Dataset, data frame, dictionary or list of tasks; give one")
    arrivals = list(tasks)
    if not arrivals:
        raise ValueError("the data has no tasks; give at least one")
    if all(isinstance(step, Mapping) for step in arrivals):
        steps = [{agent: arrival(of) for agent, of in step.items()} for step in arrivals]
        return Tasks(steps, list(dict.fromkeys(agent for step in steps for agent in step)))
    return dealt([arrival(each) for each in arrivals], n_agents, None)


def read_rows(X: Any, y: Any, task: Any, columns: Columns, n_agents: int | None,
              known: list[str] | None = None) -> Tasks:
    """Rows of several tasks, one after another, and of several agents if X is a data frame with an agent column."""
    features = (known or feature_columns(X, columns)) if is_frame(X) else None
    rows, targets = as_array(X) if features is None else frame_rows(X, features), as_targets(y)
    check_lengths(rows, targets)
    if task is None:
        task = column(X, columns.task, "") if has_column(X, columns.task) else ONLY_TASK
    agent = column(X, columns.agent, "") if columns.agent is not None and has_column(X, columns.agent) else None
    if agent is None and is_one_name(task):
        return dealt([Arrival(rows, targets, task)], n_agents, features)
    tasks = names_per_row(task, len(rows))
    if agent is None:
        return dealt(_arrivals(rows, targets, tasks), n_agents, features)
    agents = names_per_row(agent, len(rows), "agent")
    streams = {}
    for name in dict.fromkeys(agents.tolist()):
        own = agents == name
        streams[name] = _arrivals(rows[own], targets[own], tasks[own])
    return from_streams(streams, features)


def arrival(of: Any) -> Arrival:
    if isinstance(of, Arrival):
        return of
    if not isinstance(of, Iterable) or isinstance(of, str) or is_frame(of) or len(parts := tuple(of)) != 3:
        raise ValueError("an arrival is not (X, y, task); give all three")
    return Arrival(*parts)


def from_streams(streams: Mapping[Any, Any], features: list[str] | None, are_dealt: bool = False) -> Tasks:
    lists = {}
    for agent, stream in streams.items():
        if not isinstance(stream, Iterable):
            raise ValueError(f"tasks of agent {shown(agent)}: {shown(stream)} is not a list; give (X, y, task) in one")
        lists[agent] = [arrival(of) for of in stream]
    longest = max((len(stream) for stream in lists.values()), default=0)
    if longest == 0:
        raise ValueError("the data has no tasks; give at least one")
    steps = [{agent: stream[t] for agent, stream in lists.items() if t < len(stream)} for t in range(longest)]
    return Tasks(steps, list(lists), features, are_dealt)


def dealt(stream: list[Arrival], n_agents: int | None, features: list[str] | None) -> Tasks:
    """The tasks of one stream, dealt to the agents in turn."""
    owners = _core.dealt([task_name(of.task) for of in stream], n_agents or 1, "the tasks")
    streams: dict[Any, list[Arrival]] = {agent: [] for agent in range(n_agents or 1)}
    for owner, of in zip(owners, stream):
        streams[owner].append(of)
    return from_streams(streams, features, are_dealt=True)


def _arrivals(X: Floats, y: Any, tasks: Any) -> list[Arrival]:
    return [Arrival(X[first:end], y[first:end], name, again) for name, first, end, again in runs(tasks)]
