# SPDX-License-Identifier: Apache-2.0
"""Methods that take all tasks at once."""
from __future__ import annotations

from typing import Any, Self

import numpy as np

from colla import _core
from colla._agents import AgentNames, Agents, default_names, names_of_keys
from colla._graph_agents import NetworkLearner
from colla._numerics import warn_of
from colla._rows import Batch, Floats, Form, is_frame
from colla._settings import core_options, first_dictionary
from colla._streams import Tasks, read_rows


class Trained(Agents):
    """What the methods that give all models at once have in common."""

    objectives_: list[float]
    converged_: bool
    _model: _core.Model
    _thetas: list[dict[str, Floats]]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    @property
    def agents_(self) -> list[str]:
        """The agents' names."""
        self._check_fitted()
        return self._model.agents()

    def _streams(self, read: Tasks, agents: AgentNames, form: Form) -> list[list[Batch]]:
        """Checked rows of every agent."""
        steps = self._steps(read, agents, form)
        if not any(steps):
            raise ValueError("no task arrives at any agent; give at least one")
        return [[step[k] for step in steps if k in step] for k in range(len(agents.names))]

    def _take(self, result: _core.TrainingResult, form: Form, **more: Any) -> None:
        model = result.model
        thetas = [dict(zip(model.tasks(i), model.thetas(i))) for i in range(len(model.agents()))]
        self._note(form, objectives_=list(result.objectives), converged_=result.converged, _thetas=thetas,
                   _model=model, **more)
        warn_of(result.numerics(), "fit")

    def _tasks_of(self, agent: int) -> list[str]:
        return self._model.tasks(agent)

    def _theta(self, agent: int, task: str) -> Floats:
        if task not in self._thetas[agent]:
            raise ValueError(f"task '{task}': unknown to this agent; learn it first")
        return self._thetas[agent][task]

    def _dictionary(self, agent: int) -> Floats:
        return self._model.dictionary(agent)

    def _codes_of(self, agent: int) -> list[tuple[str, Floats]]:
        return self._model.codes(agent)

    def _file(self) -> _core.Model:
        return self._model


def _first(streams: list[list[Batch]]) -> Batch:
    return next(batch for stream in streams for batch in stream)


class OfflineCoLLA(Trained, NetworkLearner):
    """A network whose agents have all their tasks from the beginning (the paper's Dist. CoLLA).

    Codes and exchanges alternate until the network's objective settles.

    Parameters
    ----------
    n_agents, graph, n_atoms, problem, lam, mu, gamma, rho, codes, solver, fit_intercept, init, seed, threads, \
task_column, agent_column, target_column, recipe, expand, compare
        See `Network`.
    tolerance : float
        Exchanges end once the agents agree this closely; 0: 1e-7.

    Attributes
    ----------
    objectives_ : list of float
        The network's objective after each alternation.
    converged_ : bool
        False if the objective was still falling at the last alternation.
    consensus_gap_ : float
        Largest difference between neighbours, relative to the largest dictionary.
    exchanges_ : int
        All exchanges together.
    agents_, tasks_, dictionaries_, codes_, recipe_, n_features_in_, feature_names_in_, classes_
        See `Network`.

    Examples
    --------
    >>> import colla
    >>> tasks = colla.datasets.make_tasks(n_agents=3, tasks_per_agent=4, rows=60)
    >>> network = colla.OfflineCoLLA(rho=1.0).fit(tasks)
    >>> network.objectives_[-1] <= network.objectives_[0]
    True
    """

    _algorithm = "offline-colla"
    consensus_gap_: float
    exchanges_: int

    def __init__(self, n_agents: int | None = None, graph: Any = "line", *, n_atoms: int = 4,
                 problem: str = "regression", lam: float = 1e-3, mu: float = 1e-3, gamma: float = 1e-2,
                 rho: float = 0.1, tolerance: float = 0.0, codes: str = "fresh", solver: str = "automatic",
                 fit_intercept: bool = True, init: Any = None, seed: int = 1, threads: int = 1,
                 task_column: str = "task", agent_column: str = "agent", target_column: str = "y",
                 recipe: Any = "auto", expand: str = "auto", compare: bool = True) -> None:
        self._keep_parameters(locals())

    def fit(self, tasks: Any) -> Self:
        """Learns all tasks. Ctrl-C ends it, and nothing is learned.

        Parameters
        ----------
        tasks
            As in `Network.fit`. If a task comes twice, its newest rows count.

        Returns
        -------
        self
        """
        form = self._new_form()
        read = self._read(tasks, form)
        return self._learn_labels(read, form, lambda learner, own: learner._fit_tasks(own, form), anew=True)

    def _fit_tasks(self, read: Tasks, form: Form) -> None:
        agents = self._agent_names(read)
        streams = self._streams(read, agents, form)
        features = _first(streams).X.shape[1]
        options = core_options(self, features, len(streams))
        edges = self._edges(len(streams), options)
        result = _core.train_offline(self._algorithm, options, edges,
                                     first_dictionary(self.init, features, self.n_atoms),
                                     self._data(agents.names, streams))
        self._take(result, form, consensus_gap_=result.consensus_gap, exchanges_=result.exchanges)
        self._compare(agents.names, streams, options, edges, form)


class GoMTL(Trained):
    """One place that has the rows of all tasks at once (GO-MTL, Kumar and Daume 2012).

    Alternates between codes and dictionary on the true loss, from the leading directions of the single-task
    models. It shows what is possible if all rows may be shared.

    Parameters
    ----------
    n_atoms, problem, solver, seed
        See `LifelongLearner`.
    lam, mu : float
        Penalties on the dictionary and the codes; only lam * mu^2 matters for the models.
    gamma : float
        Ridge penalty of the single-task models that give the start.
    fit_intercept : bool
        Append a column of ones to the rows.
    task_column, agent_column, target_column : str
        Names of columns of data frames.
    recipe, expand, compare
        See `LifelongLearner`.

    Attributes
    ----------
    objectives_ : list of float
        At the start, and after every codes step and every dictionary step in turn.
    converged_ : bool
        False if the objective was still falling at the last alternation.
    dictionary_ : ndarray of (features and intercept, n_atoms)
        L.
    codes_ : dict of str to dict of str to ndarray
        Per agent and task. Rows without agents belong to "agent-0".
    agents_, tasks_, recipe_, n_features_in_, feature_names_in_, classes_
        See `Network`.

    Examples
    --------
    >>> import colla
    >>> tasks = colla.datasets.make_tasks(tasks_per_agent=6)
    >>> learner = colla.GoMTL().fit(tasks)
    >>> learner.converged_
    True
    >>> X, y, task = tasks.streams["agent-0"][0]
    >>> learner.predict(X, task=task).shape
    (40,)
    """

    _algorithm = "go-mtl"

    def __init__(self, n_atoms: int = 4, *, problem: str = "regression", lam: float = 1e-3, mu: float = 1e-3,
                 gamma: float = 1e-2, solver: str = "automatic", fit_intercept: bool = True, seed: int = 1,
                 task_column: str = "task", agent_column: str = "agent", target_column: str = "y",
                 recipe: Any = "auto", expand: str = "auto", compare: bool = True) -> None:
        self._keep_parameters(locals())

    def fit(self, X: Any, y: Any = None, task: Any = None) -> Self:
        """Learns all tasks. Ctrl-C ends it, and nothing is learned.

        Parameters
        ----------
        X : array or data frame of (rows, features), or tasks
            Without `y`, tasks in any form that `Network.fit` takes.
        y : array of rows, optional
            Targets.
        task : str, int or one of them per row, optional
            Only with `y`. The rows of a task in an array must be consecutive. If left out, the data frame's task column, or
            else one task named "task". A data frame's agent column says which agent has which task.

        Returns
        -------
        self
        """
        form = self._new_form()
        read = self._given_rows(X, y, task, form)
        return self._learn_labels(read, form, lambda learner, own: learner._fit_tasks(own, form), anew=True)

    def _fit_tasks(self, read: Tasks, form: Form) -> None:
        agents = AgentNames(_owners(read))
        streams = self._streams(read, agents, form)
        options = core_options(self, _first(streams).X.shape[1])
        result = _core.train_offline(self._algorithm, options, [], None, self._data(agents.names, streams))
        self._take(result, form)
        self._compare(agents.names, streams, options, [], form)

    def _given_rows(self, X: Any, y: Any, task: Any, form: Form) -> Tasks:
        if y is not None:
            if self._uses_recipe(is_frame(X), form):
                return self._table_tasks(X, y, self._given(X, task, self.task_column),
                                         self._given(X, None, self.agent_column), 1, form)
            return read_rows(X, y, task, self._columns(), 1)
        if isinstance(X, np.ndarray):
            raise ValueError("y: is not given; give the targets of the rows, or tasks instead of rows")
        if task is not None:
            raise ValueError("task: is only for rows with y; tasks have their own names; leave it out")
        return self._prepared_tasks(X, 1, form)

    @property
    def dictionary_(self) -> Floats:
        """(features and intercept) x atoms."""
        self._check_fitted()
        return self._dictionary(0)


def _owners(read: Tasks) -> list[str]:
    """Names of the agents; consecutive numbers from 0 are the numbers of unnamed agents."""
    names = names_of_keys(read.agents)
    if names is not None:
        return names
    count = len(read.agents)
    return default_names(count) if set(read.agents) == set(range(count)) else [str(key) for key in read.agents]
