# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from colla import _core
from colla._agents import AgentNames, Agents, default_names, names_of_keys
from colla._graph import edge_count, edges_of, node_count, node_names
from colla._numerics import warn_of
from colla._rows import Batch, Floats, Form, shown
from colla._settings import choice, core_options, first_dictionary, whole_number
from colla._streams import Tasks, read_tasks

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
        return read_tasks(tasks, self._columns(), self._agent_count(), form.names)

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


class Network(NetworkLearner):
    """Agents that learn task after task and exchange dictionaries with their neighbours (CoLLA).

    At each time step every agent may get a task; then neighbours exchange dictionaries
    until they nearly agree. Here all agents are in this process. To run agents on separate machines,
    use the program's ``colla agent``; the numbers are the same.

    Parameters
    ----------
    n_agents : int, optional
        By default as many as the graph or the tasks have.
    graph : str, list of (int, int) or networkx.Graph
        Which agents exchange: "line", "star", "ring", "complete", "random" or "none"; or edges between
        agents, counted from 0; or a graph whose nodes are those numbers or the agents' names. If no graph
        names the agents, they are in the order of their first appearance.
    n_atoms : int
        Columns of a dictionary.
    problem : {"regression", "classification"}
        What the targets are: numbers, or two labels: 0/1, -1/1 or False/True, also as the words.
    lam, mu, gamma : float
        Penalties on the dictionaries, the codes and the single-task models.
    rho : float
        Penalty on disagreement between neighbours, above 0 where agents exchange.
    exchanges : int or str
        At each time step t: ``20``, ``"5+40/t"`` or ``"5,10,20"``.
    tolerance : float
        End a step's exchanges once the agents agree this closely; 0: never.
    refresh : int
        How many times to re-encode old tasks after a step and exchange again.
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

    Attributes
    ----------
    agents_ : list of str
        The agents' names.
    tasks_ : dict of str to list of str
        Every agent's tasks.
    dictionaries_ : list of ndarray
        Every agent's dictionary.
    codes_ : dict of str to dict of str to ndarray
        Per agent and task: the codes that the dictionaries were computed from.
    duals_ : dict of (int, int) to ndarray
        The dual of every edge.
    history_ : list of dict
        Per step: step, tasks (known so far), exchanges, primal_residual, dual_residual, gap (largest
        difference between neighbours), bytes (size of the dictionaries as sent on a network), fits_stalled,
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
    refresh: int
    revisit: str
    callback: Callable[[Network, dict[str, Any]], None] | None
    progress: bool | None

    history_: list[dict[str, Any]]
    _network: _core.Network
    _names: list[str]

    def __init__(self, n_agents: int | None = None, graph: Any = "line", *, n_atoms: int = 4,
                 problem: str = "regression", lam: float = 1e-3, mu: float = 1e-3, gamma: float = 1e-2,
                 rho: float = 0.1, exchanges: int | str = 20, tolerance: float = 0.0, refresh: int = 0,
                 codes: str = "fresh", revisit: str = "replace", solver: str = "automatic",
                 fit_intercept: bool = True, init: Any = None, seed: int = 1, threads: int = 1,
                 callback: Callable[[Network, dict[str, Any]], None] | None = None, progress: bool | None = None,
                 task_column: str = "task", agent_column: str = "agent", target_column: str = "y",
                 iterations: int | str | None = None) -> None:
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
            ``[(X, y, task), ...]``, and a data frame without agents, are dealt to the agents in turn.
            ``[{agent: (X, y, task)}, ...]`` has a dictionary for each step.

        Returns
        -------
        self
        """
        with self._turn():
            form = self._new_form()
            read = self._read(tasks, form)
            agents = self._agent_names(read)
            steps = self._steps(read, agents, form)
            network = self._new_network(steps, len(agents.names))
            for step in steps:
                network.check(_arrivals(step))
            self._check_calls()
            self._forget()
            for step in _with_progress(steps, self.progress):
                self._learn(network, step, agents.names, form)
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
            agents = AgentNames(self._names) if hasattr(self, "_names") else self._agent_names(read)
            if read.are_dealt and len(agents.names) > 1:
                raise ValueError("the step does not say which agents get its tasks; give {agent: (X, y, task)}, "
                                 "or a data frame with an agent column")
            steps = self._steps(read, agents, form)
            network = getattr(self, "_network", None) or self._new_network(steps, len(agents.names))
            self._check_calls()
            self._learn(network, steps[0], agents.names, form)
        return self

    @property
    def duals_(self) -> dict[tuple[int, int], Floats]:
        """The dual of every edge."""
        self._check_fitted()
        return dict(zip(self._network.edges(), self._network.duals()))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_network")

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

    def _new_network(self, steps: list[dict[int, Batch]], agents: int) -> _core.Network:
        batches = [batch for step in steps for batch in step.values()]
        if not batches:
            raise ValueError("no task arrives at any agent; give at least one")
        features = batches[0].X.shape[1]
        options = core_options(self, features, agents)
        return _core.Network(options, agents, self._edges(agents, options),
                             first_dictionary(self.init, features, self.n_atoms))

    @property
    def agents_(self) -> list[str]:
        """The agents' names."""
        self._check_fitted()
        return list(self._names)

    def _tasks_of(self, agent: int) -> list[str]:
        return self._network.tasks(agent)

    def _theta(self, agent: int, task: str) -> Floats:
        return self._network.model(agent, task)

    def _dictionary(self, agent: int) -> Floats:
        return self._network.dictionary(agent)

    def _codes_of(self, agent: int) -> list[tuple[str, Floats]]:
        return self._network.codes(agent)

    def _file(self) -> _core.Model:
        return _core.Model("colla", self._names, self._network.states())


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
