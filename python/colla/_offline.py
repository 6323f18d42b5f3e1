# SPDX-License-Identifier: Apache-2.0
"""Methods that take all tasks at once."""
from __future__ import annotations

from typing import Any, Self

from colla import _core
from colla._agents import Agents, position
from colla._learner import ONLY_AGENT, ONLY_TASK
from colla._network import NetworkLearner
from colla._predictor import check_lengths
from colla._rows import Batch, Floats, as_targets, default_features, is_frame, is_one_name, names_per_row, runs
from colla._settings import agent_options, choice, first_dictionary, not_negative, number
from colla._streams import Arrival, Tasks, read_tasks


class Trained(Agents):
    """What the methods have in common that give all models at once."""

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

    def _streams(self, read: Tasks, names: list[str]) -> list[list[Batch]]:
        """Checked rows of every agent."""
        streams: list[list[Batch]] = [[] for _ in names]
        features = None
        for step in read.steps:
            for agent, of in step.items():
                batch = self._batch(of.X, of.y, of.task, features, of.more_elsewhere)
                features = self._feature_count(batch)
                streams[position(agent, names)].append(batch)
        if not any(streams):
            raise ValueError("no task arrives at any agent; give at least one")
        return streams

    def _data(self, names: list[str], streams: list[list[Batch]]) -> _core.DataSet:
        features = _first(streams).X.shape[1]
        return _core.data_set(choice("problem", self.problem, _core.Problem), default_features(features),
                              [(name, [(batch.task, batch.X, batch.y) for batch in stream])
                               for name, stream in zip(names, streams)])

    def _note_rows(self, read: Tasks, streams: list[list[Batch]]) -> None:
        self._forget_features()
        self._note_features(read.features, self._feature_count(_first(streams)))
        for of in next(filter(None, read.steps)).values():
            self._note_classes(of.y)

    def _take(self, result: _core.TrainingResult, read: Tasks, streams: list[list[Batch]]) -> None:
        self._note_rows(read, streams)
        self.objectives_ = list(result.objectives)
        self.converged_ = result.converged
        self._model = result.model
        self._thetas = [dict(zip(self._model.tasks(i), self._model.thetas(i))) for i in range(len(self.agents_))]

    def _tasks_of(self, agent: int) -> list[str]:
        return self._model.tasks(agent)

    def _theta(self, agent: int, task: str) -> Floats:
        if task not in self._thetas[agent]:
            raise ValueError(f"task '{task}': unknown to this agent; learn it first")
        return self._thetas[agent][task]

    def _dictionary(self, agent: int) -> Floats:
        return self._model.dictionary(agent)

    def _codes_of(self, agent: int) -> list[Floats]:
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
task_column, agent_column, target_column
        See `Network`.
    tolerance : float
        Exchanges end once the agents agree so far; 0: 1e-7.

    Attributes
    ----------
    objectives_ : list of float
        The network's objective after each alternation.
    converged_ : bool
        False if the objective was still falling at the last one.
    consensus_gap_ : float
        Largest difference between neighbours, relative to the largest dictionary.
    exchanges_ : int
        All exchanges together.
    agents_, tasks_, dictionaries_, codes_, n_features_in_, feature_names_in_, classes_
        See `Network`.

    Examples
    --------
    >>> import colla
    >>> tasks = colla.datasets.make_tasks(n_agents=3, tasks_per_agent=4, rows=60)
    >>> network = colla.OfflineCoLLA(rho=1.0).fit(tasks)
    >>> network.objectives_[-1] <= network.objectives_[0]
    True
    """

    consensus_gap_: float
    exchanges_: int

    def __init__(self, n_agents: int | None = None, graph: Any = "line", *, n_atoms: int = 4,
                 problem: str = "regression", lam: float = 1e-3, mu: float = 1e-3, gamma: float = 1e-2,
                 rho: float = 0.1, tolerance: float = 0.0, codes: str = "fresh", solver: str = "automatic",
                 fit_intercept: bool = True, init: Any = None, seed: int = 1, threads: int = 1,
                 task_column: str = "task", agent_column: str = "agent", target_column: str = "y") -> None:
        self.n_agents = n_agents
        self.graph = graph
        self.n_atoms = n_atoms
        self.problem = problem
        self.lam = lam
        self.mu = mu
        self.gamma = gamma
        self.rho = rho
        self.tolerance = tolerance
        self.codes = codes
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.init = init
        self.seed = seed
        self.threads = threads
        self.task_column = task_column
        self.agent_column = agent_column
        self.target_column = target_column

    def fit(self, tasks: Any) -> Self:
        """Learns all tasks. Ctrl-C ends it, and nothing is learned.

        Parameters
        ----------
        tasks
            As in `Network.fit`. Of a task that comes twice, the newest rows count.

        Returns
        -------
        self
        """
        choice("problem", self.problem, _core.Problem)
        read = read_tasks(tasks, self._columns(), self.n_agents)
        names = self._agent_names(read.agents)
        streams = self._streams(read, names)
        features = _first(streams).X.shape[1]
        options = agent_options(self, features, len(names))
        result = _core.train_offline("offline-colla", options, number("rho", self.rho), self._threads(),
                                     not_negative("tolerance", self.tolerance), self._edges(len(names)),
                                     first_dictionary(self.init, features, options.atoms), self._data(names, streams))
        self._take(result, read, streams)
        self.consensus_gap_ = result.consensus_gap
        self.exchanges_ = result.exchanges
        return self


class GoMTL(Trained):
    """One place that has the rows of all tasks at once (GO-MTL, Kumar and Daume 2012).

    Alternates between codes and dictionary on the true loss, from the leading directions of the single-task
    models: what can be reached where rows may be shared.

    Parameters
    ----------
    n_atoms : int
        Columns of the dictionary.
    problem : {"regression", "classification"}
        What the targets are: numbers, or two labels out of 0/1, -1/1 and False/True.
    lam, mu : float
        Penalties on the dictionary and the codes; only lam * mu^2 matters for the models.
    gamma : float
        Ridge penalty of the single-task models that the start is computed from.
    solver : {"automatic", "dense", "matrix-free"}
        How the dictionary's linear system is solved.
    fit_intercept : bool
        Append a column of ones to the rows.
    seed : int
        Everything random follows from it.
    task_column, agent_column, target_column : str
        Names of columns of data frames.

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
    agents_, tasks_, n_features_in_, feature_names_in_, classes_
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

    def __init__(self, n_atoms: int = 4, *, problem: str = "regression", lam: float = 1e-3, mu: float = 1e-3,
                 gamma: float = 1e-2, solver: str = "automatic", fit_intercept: bool = True, seed: int = 1,
                 task_column: str = "task", agent_column: str = "agent", target_column: str = "y") -> None:
        self.n_atoms = n_atoms
        self.problem = problem
        self.lam = lam
        self.mu = mu
        self.gamma = gamma
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.seed = seed
        self.task_column = task_column
        self.agent_column = agent_column
        self.target_column = target_column

    def fit(self, X: Any, y: Any = None, task: Any = None) -> Self:
        """Learns all tasks. Ctrl-C ends it, and nothing is learned.

        Parameters
        ----------
        X : array or data frame of (rows, features), or tasks
            Without `y`, tasks in any form that `Network.fit` takes.
        y : array of rows, optional
            Targets.
        task : str, int or one of them per row, optional
            The rows of a task must stand together. If left out, the data frame's task column, or else one
            task named "task".

        Returns
        -------
        self
        """
        choice("problem", self.problem, _core.Problem)
        read = read_tasks(X, self._columns(), 1) if y is None else self._one_place(X, y, task)
        names = [f"agent-{agent}" if isinstance(agent, int) else str(agent) for agent in read.agents]
        streams = self._streams(read, names)
        options = agent_options(self, _first(streams).X.shape[1])
        result = _core.train_offline("go-mtl", options, 0.1, 1, 0.0, [], None, self._data(names, streams))
        self._take(result, read, streams)
        return self

    @property
    def dictionary_(self) -> Floats:
        """(features and intercept) x atoms."""
        self._check_fitted()
        return self._dictionary(0)

    def _one_place(self, X: Any, y: Any, task: Any) -> Tasks:
        if task is None and is_frame(X) and self.task_column in X.columns:
            task = X[self.task_column]
        rows, targets = self._raw_rows(X), as_targets(y)
        check_lengths(rows, targets)
        if task is None or is_one_name(task):
            arrivals = [Arrival(rows, targets, ONLY_TASK if task is None else task)]
        else:
            arrivals = [Arrival(rows[first:end], targets[first:end], name, again)
                        for name, first, end, again in runs(names_per_row(task, len(rows)))]
        return Tasks([{ONLY_AGENT: of} for of in arrivals], [ONLY_AGENT], None)
