# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Literal, Self, overload

from numpy.typing import NDArray

from colla import _core
from colla._agents import AgentNames
from colla._graph_agents import NetworkLearner
from colla._method import Prior
from colla._numerics import warn_of
from colla._predictor import features_in
from colla._privacy import PrivateRows
from colla._rows import Batch, Floats, Form, shown
from colla._settings import choice, core_options
from colla._streams import Tasks


class Network(PrivateRows, NetworkLearner):
    """Agents that learn task after task and exchange what they learned with their neighbours.

    At each time step every agent may get a task; then neighbours exchange means over their tasks (the method "bayes",
    see `LifelongLearner`) or dictionaries ("colla", which is CoLLA) until they nearly agree. Here all agents are in
    this process. To run agents on separate machines, use the program's ``colla agent``; the numbers are the same.

    Parameters
    ----------
    n_agents : int, optional
        By default as many as the graph or the tasks have.
    graph : str, list of (int, int) or networkx.Graph
        Which agents exchange: "line", "star", "ring", "complete", "random" or "none"; or edges between
        agents, counted from 0; or a graph whose nodes are those numbers or the agents' names. If no graph
        names the agents, they are in the order of their first appearance.
    n_atoms : int
        Columns of a dictionary. This, `lam`, `mu`, `gamma`, `rho`, `metric`, `codes`, `solver` and `init` are for
        "colla".
    method : {"bayes", "colla"}
        The collective prior, or dictionaries.
    problem : {"regression", "classification"}
        What the targets are: numbers, or labels, see `LifelongLearner`.
    lam, mu, gamma : float
        Penalties on the dictionaries, the codes and the single-task models.
    rule : {"paper", "healing"}
        How neighbours come to agree: as in the paper, or by a rule that starts from any state and needs no rho.
    metric : {"kronecker", "scale"}
        By the rule that heals, what neighbours tell of their statistics: with "kronecker" they need the fewest
        exchanges, with "scale" they tell least.
    rho : float
        By the paper's rule: penalty on disagreement between neighbours, above 0 where agents exchange.
    exchanges : int or str
        At each time step t: ``20``, ``"5+40/t"`` or ``"5,10,20"``.
    tolerance : float
        End a step's exchanges once the agents agree this closely; 0: never.
    refresh : int, optional
        How many times to estimate old tasks again after a step and exchange again. By default 5 with "bayes" and 0 with
        "colla".
    codes : {"fresh", "stored"}
        Models use the code on the newest dictionary, or the one from the task's arrival.
    revisit : {"replace", "append"}
        What new rows of a known task do: stand alone, or join the old ones.
    solver : {"automatic", "dense", "matrix-free"}
        How the dictionaries' linear systems are solved.
    fit_intercept : bool
        Append a column of ones to the rows, which copies them.
    init : array of (features and intercept, n_atoms), optional
        The first dictionary of every agent; a random one by default.
    seed : int
        Everything random follows from it.
    threads : int
        Threads that run the agents; 0: all cores. The result is the same.
    callback : callable, optional
        ``callback(network, record)`` after each step. The record is the one in ``history_``; what is added to
        it stays there.
    progress : bool, optional
        A progress bar of tqdm in `fit`. By default one on a terminal, if tqdm is installed.
    iterations : int or str, optional
        The former name of `exchanges`.
    task_column, agent_column, target_column : str
        Names of columns of data frames.
    privacy : str, optional
        ``"epsilon=1,delta=1e-6,bound=4"``: what agents tell of a task's rows is differentially private. Noise is added
        once, when rows arrive, to statistics of rows whose norm, with the target's, is at most the bound; longer ones
        are shortened and counted. With ``rows_per_person=3`` at the end, for people with up to three rows in a task.
        Statistics are of unit size by a recipe that should be made from other rows. For the method "bayes".
    recipe, expand, compare
        How data frames become features, and whether `fit` compares with each task for itself; see `LifelongLearner`.

    Attributes
    ----------
    agents_ : list of str
        The agents' names.
    tasks_ : dict of str to list of str
        Every agent's tasks.
    recipe_ : Recipe
        How data frames become features.
    means_, spreads_ : list of ndarray
        With "bayes", of every agent: see ``mean_`` and ``spread_`` of `LifelongLearner`.
    noises_ : list of float
        With "bayes", in regression, of every agent: see ``noise_``.
    dictionaries_ : list of ndarray
        With "colla": every agent's dictionary.
    codes_ : dict of str to dict of str to ndarray
        With "colla", per agent and task: the codes that the dictionaries were computed from.
    duals_ : dict of (int, int) to ndarray
        The dual of every edge; by the rule that heals, what its two ends keep, side by side.
    released_ : dict
        With privacy: how many rows were released, and how many of these were shortened.
    history_ : list of dict
        Per step: step, tasks (known so far), exchanges, primal_residual, dual_residual, gap (largest
        difference between neighbours), bytes (size of what is sent on a network), fits_stalled,
        codes_unconverged, solves_unconverged (computations that ended before they reached their accuracy; a
        `NumericsWarning` tells of them).
    n_features_in_, feature_names_in_, classes_
        As in scikit-learn.

    Examples
    --------
    >>> import colla
    >>> tasks = colla.datasets.make_tasks(n_agents=3, tasks_per_agent=4)
    >>> network = colla.Network(graph="ring").fit(tasks)
    >>> [record["tasks"] for record in network.history_]
    [3, 6, 9, 12]
    >>> X, y, task = tasks.streams["agent-1"][0]
    >>> network.predict(X, agent="agent-1", task=task).shape
    (40,)
    """

    exchanges: int | str
    iterations: int | str | None
    refresh: int | None
    revisit: str
    callback: Callable[[Network, dict[str, Any]], None] | None
    progress: bool | None

    history_: list[dict[str, Any]]
    _algorithm = "colla"
    _network: _core.Network
    _names: list[str]

    def __init__(self, n_agents: int | None = None, graph: Any = "line", *, n_atoms: int = 4,
                 method: str = "bayes", problem: str = "regression", lam: float = 1e-3, mu: float = 1e-3,
                 gamma: float = 1e-2, rule: str = "paper", metric: str = "kronecker", rho: float = 0.1,
                 exchanges: int | str = 20, tolerance: float = 0.0, refresh: int | None = None, codes: str = "fresh",
                 revisit: str = "replace", solver: str = "automatic", fit_intercept: bool = True, init: Any = None,
                 seed: int = 1, threads: int = 1,
                 callback: Callable[[Network, dict[str, Any]], None] | None = None, progress: bool | None = None,
                 task_column: str = "task", agent_column: str = "agent", target_column: str = "y",
                 iterations: int | str | None = None, recipe: Any = "auto", expand: str = "auto",
                 compare: bool = True, privacy: str | None = None) -> None:
        self._keep_parameters(locals())

    def fit(self, tasks: Any) -> Self:
        """Forgets everything, then learns all tasks, step after step.

        If something is wrong with the rows, nothing is forgotten or learned. Ctrl-C ends it between two
        exchanges; what has been learned by then stays.

        Parameters
        ----------
        tasks
            A `colla.datasets.Dataset`; a data frame with columns for task, target and perhaps agent; or
            ``{agent: [(X, y, task), ...]}``: a step takes the next task of every agent that still has one.
            ``[(X, y, task), ...]``, and a data frame without agents, are dealt to the agents in turn. The rows of a
            task in one data frame belong together; agents and tasks are sorted by their names.
            ``[{agent: (X, y, task)}, ...]`` has a dictionary for each step.

        Returns
        -------
        self
        """
        with self._turn():
            form = self._new_form()
            read = self._read(tasks, form)
            self._learn_labels(read, form, lambda learner, own: learner._fit_tasks(own, form), anew=True)
        return self

    def partial_fit(self, step: Any) -> Self:
        """One time step: tasks arrive, then neighbours exchange.

        If something is wrong with the rows, nothing is learned.

        Parameters
        ----------
        step : dict of agent to (X, y, task)
            Agents are numbers from 0 or names. An agent without a task only exchanges. Or a data frame with
            an agent column, in which every agent has one task.

        Returns
        -------
        self
        """
        with self._turn():
            form = self._form()
            read = self._one_step(step, form)
            self._learn_labels(read, form, lambda learner, own: learner._learn_step(own, form), anew=False)
        return self

    @overload
    def predict(self, X: Any, *, agent: Any = None, task: Any = None,
                return_std: Literal[False] = False) -> NDArray[Any]: ...

    @overload
    def predict(self, X: Any, *, agent: Any = None, task: Any = None,
                return_std: Literal[True]) -> tuple[Floats, Floats]: ...

    def predict(self, X: Any, *, agent: Any = None, task: Any = None,
                return_std: bool = False) -> NDArray[Any] | tuple[Floats, Floats]:
        """Numbers, or labels in classification.

        With the method "bayes", a task that no agent knows is predicted by what the known ones have in common, with a
        `NewTaskWarning`.

        Parameters
        ----------
        X : array or data frame of (rows, features)
        agent : int, str or one of them per row, optional
            Otherwise a data frame's agent column, or the only agent that has the task.
        task : str, int or one of them per row, optional
            Otherwise a data frame's task column, or the only task there is.
        return_std : bool
            With "bayes", in regression: also the standard deviation of a new observation, in the target's units.

        Returns
        -------
        ndarray of rows, or two: means and standard deviations
        """
        if return_std:
            return self._answers_with_std(*self._keyed_rows(X, agent, task))
        return super().predict(X, agent=agent, task=task)

    @property
    def means_(self) -> list[Floats]:
        """Every agent's mean of all tasks' coefficients."""
        return [prior[0] for prior in self._priors("means_")]

    @property
    def spreads_(self) -> list[Floats]:
        """Every agent's standard deviation of the coefficients between tasks."""
        return [prior[1] for prior in self._priors("spreads_")]

    @property
    def noises_(self) -> list[float]:
        """Every agent's standard deviation of the targets around the tasks' models."""
        return [self._noise_of(prior) for prior in self._priors("noises_")]

    @property
    def duals_(self) -> dict[tuple[int, int], Floats]:
        """What is kept for every edge."""
        self._check_fitted()
        return dict(zip(self._network.edges(), self._network.duals()))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_network")

    def _fit_tasks(self, read: Tasks, form: Form) -> None:
        agents = self._agent_names(read)
        steps = self._steps(read, agents, form)
        network = self._new_network(steps, agents.names, form)
        for step in steps:
            network.check(_arrivals(step))
        self._check_calls()
        self._forget()
        for step in _with_progress(steps, self.progress):
            self._learn(network, step, agents.names, form)
        streams = _streams(steps, len(agents.names))
        options = core_options(self, features_in(streams), len(agents.names))
        self._compare(agents.names, streams, options, network.edges(), form)

    def _learn_step(self, read: Tasks, form: Form) -> None:
        agents = AgentNames(self._names) if hasattr(self, "_names") else self._agent_names(read)
        if read.are_dealt and len(agents.names) > 1:
            raise ValueError("the step does not say which agents get its tasks; give {agent: (X, y, task)}, "
                             "or a data frame with an agent column")
        steps = self._steps(read, agents, form)
        network = getattr(self, "_network", None) or self._new_network(steps, agents.names, form)
        self._check_calls()
        self._learn(network, steps[0], agents.names, form)

    def _one_step(self, step: Any, form: Form) -> Tasks:
        read = self._read([step] if isinstance(step, Mapping) else step, form)
        if len(read.steps) > 1:
            raise ValueError("an agent has several tasks, and a step has one for each; use fit")
        return read

    def _check_calls(self) -> None:
        """The settings that are checked in every call."""
        choice("revisit", self.revisit, _core.Revisit)
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback: {shown(self.callback)} is not callable; give a function or None")

    def _forget(self) -> None:
        for name in ("_network", "_names", "history_"):
            vars(self).pop(name, None)

    def _learn(self, network: _core.Network, step: dict[int, Batch], names: list[str], form: Form) -> None:
        try:
            summary = network.learn(_arrivals(step), choice("revisit", self.revisit, _core.Revisit))
        except ValueError:  # nothing is learned
            raise
        except BaseException:  # from a signal handler: the tasks are learned, and some exchanges done
            self._keep(network, names, form)
            raise
        self._keep(network, names, form)
        self._record(summary)
        warn_of(summary.numerics, f"step {network.step()}")

    def _keep(self, network: _core.Network, names: list[str], form: Form) -> None:
        self._note(form, _names=names, history_=getattr(self, "history_", []), _network=network)

    def _record(self, summary: _core.StepSummary) -> None:
        record = {"step": self._network.step(), "tasks": sum(map(len, self.tasks_.values())),
                  "exchanges": summary.exchanges, "primal_residual": summary.primal_residual,
                  "dual_residual": summary.dual_residual, "gap": summary.gap, "bytes": summary.bytes,
                  **summary.numerics.counts()}
        self.history_.append(record)
        if self.callback is not None:
            self.callback(self, record)

    def _new_network(self, steps: list[dict[int, Batch]], names: list[str], form: Form) -> _core.Network:
        if not any(steps):
            raise ValueError("no task arrives at any agent; give at least one")
        streams = _streams(steps, len(names))
        edges = self._edges(len(names), core_options(self, features_in(streams), len(names)))
        return _core.Network(self._new_options(names, streams, edges, form), len(names), edges,
                             self._first_dictionary(features_in(streams)))

    @property
    def agents_(self) -> list[str]:
        """The agents' names."""
        self._check_fitted()
        return list(self._names)

    def _tasks_of(self, agent: int) -> list[str]:
        return self._network.tasks(agent)

    def _theta(self, agent: int, task: str) -> Floats:
        return self._network.model(agent, task)

    def _owners(self, X: Any, agent: Any, task: Any, rows: int, may_be_unknown: bool = False) -> list[Hashable]:
        if not self._has_prior():
            return super()._owners(X, agent, task, rows, may_be_unknown)
        return self._of_new_tasks(super()._owners(X, agent, task, rows, may_be_unknown=True))

    def _of_new_tasks(self, owners: list[Any]) -> list[Hashable]:
        """Agents nearly agree on a new task: without a name, the first one in the order of names predicts it, as in the
        program."""
        known: set[Any] = set(self._keys())
        tasks = {task for _, task in known}
        first = self._names.index(min(self._names))
        for agent, task in dict.fromkeys(owners):
            if agent is not None and (agent, task) not in known and task in tasks:
                raise ValueError(f"task '{task}': unknown to this agent; learn it first")
        return [(first if agent is None else agent, task) for agent, task in owners]

    def _prior_predictions(self, key: Any, rows: Floats) -> tuple[Floats, Floats]:
        agent, task = key
        return self._network.predict(agent, task, rows)

    def _priors(self, what: str) -> list[Prior]:
        self._check_method(what, "bayes")
        return [self._network.prior(i) for i in range(len(self.agents_))]

    def _dictionary(self, agent: int) -> Floats:
        self._check_method("dictionaries_", "colla")
        return self._network.dictionary(agent)

    def _codes_of(self, agent: int) -> list[tuple[str, Floats]]:
        self._check_method("codes_", "colla")
        return self._network.codes(agent)

    def _learned_method(self) -> str | None:
        if not hasattr(self, "_network"):
            return None
        return "bayes" if self._network.has_prior() else "colla"

    def _file(self) -> _core.Model:
        return _core.Model(self._algorithm_name(), self._names, self._network.states())


def _streams(steps: list[dict[int, Batch]], agents: int) -> list[list[Batch]]:
    """Of every agent."""
    return [[step[k] for step in steps if k in step] for k in range(agents)]


def _arrivals(step: dict[int, Batch]) -> list[tuple[int, str, Floats, Floats]]:
    return [(agent, batch.task, batch.X, batch.y) for agent, batch in step.items()]


def _with_progress(steps: list[Any], wanted: bool | None) -> Iterable[Any]:
    if wanted is False:
        return steps
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return steps
    bar: Iterable[Any] = tqdm(steps, desc="learning", unit="step", disable=False if wanted else None)
    return bar
