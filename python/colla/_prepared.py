# SPDX-License-Identifier: Apache-2.0
"""Data frames become features by a recipe, the same for all learners."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from colla import _core
from colla._alone import RecipeWarning, warn
from colla._rows import Columns, Floats, Form, is_frame, names_per_row, path_text, shown
from colla._settings import Estimator, choice, has_labels, text
from colla._streams import ONLY_TASK, Arrival, Tasks, dealt, from_streams
from colla._tables import Cells, cells_of, classes_of_labels, feature_cells, joined, table_of, target_numbers

AUTO = "auto"


class Part(NamedTuple):
    """Prepared rows of one data frame: those that have a target."""

    X: Floats
    Y: Floats  # a column for each model
    rows: Any  # their places in the frame


def given_recipe(recipe: Any) -> _core.Recipe | None:
    """From a file, from its text, or as it is; None if it is to be learned or not wanted."""
    if recipe is None or (isinstance(recipe, str) and recipe == AUTO):
        return None
    if isinstance(recipe, _core.Recipe):
        return recipe
    if isinstance(recipe, str) and "\n" in recipe:
        return _core.parse_recipe(recipe, "recipe")
    if isinstance(recipe, (str, os.PathLike)):
        return _core.read_recipe(path_text(recipe))
    raise ValueError(f"recipe: {shown(recipe)} is not a recipe; give 'auto', None, a file or its text")


class Prepares(Estimator):
    """Learns a recipe from the first data frames, and applies it to all later ones."""

    recipe: Any
    expand: str
    task_column: str
    target_column: str

    recipe_: _core.Recipe

    def _columns(self) -> Columns:
        names = [text(name, getattr(self, name)) for name in ("task_column", "target_column", "agent_column")
                 if hasattr(self, name)]
        if len(set(names)) < len(names):
            raise ValueError(f"columns {', '.join(names)}: two of them have the same name; name different columns")
        return Columns(*names)

    def _expansion(self) -> _core.Expansion:
        """Of the numbers of data frames."""
        chosen: _core.Expansion = choice("expand", self.expand, _core.Expansion)
        return _core.Expansion.none if chosen == _core.Expansion.auto and not self._finds_curves() else chosen

    def _finds_curves(self) -> bool:
        """Whether the method finds out by evidence if they help."""
        return False

    def _checked_recipe(self) -> _core.Recipe | None:
        """The one that is given, for this learner's columns."""
        self._expansion()
        recipe = given_recipe(self.recipe)
        if recipe is None:
            return None
        if recipe.problem.name != self.problem:
            raise ValueError(f"recipe: is one for {recipe.problem.name}; give problem='{recipe.problem.name}'")
        columns = self._columns()
        return recipe.with_columns(columns.task, _agent_column(columns, recipe.columns), columns.target)

    def _uses_recipe(self, has_frames: bool, form: Form) -> bool:
        """Whether rows are prepared: always as the first ones were."""
        if form.features is not None:
            return form.recipe is not None
        if has_frames:
            return self.recipe is not None
        if form.recipe is not None or self.expand == "splines":
            name = "expand" if form.recipe is None else "recipe"
            raise ValueError(f"{name}: is for data frames, whose columns have names, and the rows are an array; "
                             "give a data frame")
        return False

    def _prepared(self, parts: Sequence[tuple[Any, Any]], form: Form) -> list[Part]:
        """Rows to learn: X and y of each part. The first call learns the recipe."""
        columns = self._columns()
        cells = self._cells([X for X, _ in parts], form)
        targets = [cells_of(_given(y), "y") for _, y in parts]
        for (X, _), own in zip(parts, targets):
            if len(X) != len(own):
                raise ValueError(f"X has {len(X)} rows and y has {len(own)}; give one target per row")
        target = joined(targets)
        if not has_labels(self.problem):
            target_numbers(target)  # a word is refused
        table = table_of(cells | {columns.target: target})
        if form.recipe is None:
            words = [name for name, each in cells.items() if each.is_category]
            form.recipe = _core.learn_recipe(
                table, columns.task, _agent_column(columns, list(cells)), columns.target,
                choice("problem", self.problem, _core.Problem), words, self._expansion())
        if has_labels(self.problem) and form.classes is None:
            form.classes = classes_of_labels(form.recipe.labels, target)
        features, models, rows, lines = form.recipe.apply(table, True)
        for line in lines:
            warn(line, RecipeWarning)
        return _parts(features, models, rows, [len(each) for each in targets])

    def _cells(self, frames: Sequence[Any], form: Form) -> dict[str, Cells]:
        """The features of all frames, one below the other."""
        each: list[dict[str, Cells]] = []
        for X in frames:
            each.append(feature_cells(X, self._columns(), form.names))
            if form.names is None:
                if not each[0]:
                    raise ValueError("X has no columns; give at least one feature")
                form.names, form.features = list(each[0]), len(each[0])
        if len(each) == 1:
            return each[0]
        for cells in each:
            for name in each[0].keys() - cells.keys():
                raise ValueError(f"no column '{name}' (there are {_core.listed(list(cells))}); give every feature "
                                 "in every data frame")
        return {name: joined([cells[name] for cells in each]) for name in each[0]}

    def _table_rows(self, X: Any, form: Form) -> Floats:
        """Rows to predict."""
        assert form.recipe is not None
        rows, _, _, lines = form.recipe.apply(table_of(self._cells([X], form)), False)
        for line in lines:
            warn(line, RecipeWarning)
        return rows

    def _table_tasks(self, X: Any, y: Any, names: Any, agents: Any, n_agents: int | None, form: Form) -> Tasks:
        """A frame's tasks, whose rows belong together wherever they stand. Tasks and agents are sorted, as the program
        sorts them: the order of rows does not matter."""
        part = self._prepared([(X, y)], form)[0]
        tasks = names_per_row(ONLY_TASK if names is None else names, len(X))[part.rows]
        if agents is None:
            return dealt(_sorted_arrivals(part, tasks, np.arange(len(tasks))), n_agents, None)
        owners = names_per_row(agents, len(X), "agent")[part.rows]
        return from_streams({owner: _sorted_arrivals(part, tasks, np.flatnonzero(owners == owner))
                             for owner in _core.in_order(sorted(set(owners.tolist())))}, None)

    def _arrival_tasks(self, read: Tasks, form: Form) -> Tasks:
        """The same tasks with prepared rows, in the order in which they arrive."""
        arrivals = [of for step in read.steps for of in step.values()]
        prepared = iter(self._prepared([(of.X, of.y) for of in arrivals], form))
        steps = []
        for step in read.steps:
            steps.append({agent: of._replace(X=part.X, y=part.Y)
                          for (agent, of), part in zip(step.items(), prepared)})
        return read._replace(steps=steps, features=None)


def _given(y: Any) -> Any:
    if y is None:
        raise ValueError("y should be a 1d array, and is None; give the targets")
    return y


def _agent_column(columns: Columns, features: list[str]) -> str:
    """A learner without agents may have a feature of that name."""
    name = columns.agent or "agent"
    while columns.agent is None and (name in features or name in columns):
        name += "_"
    return name


def _parts(X: Floats, Y: Floats, rows: Any, lengths: list[int]) -> list[Part]:
    ends = np.cumsum(lengths)
    borders = [0, *np.searchsorted(rows, ends).tolist()]
    return [Part(X[first:end], Y[first:end], rows[first:end] - (before - length))
            for first, end, before, length in zip(borders, borders[1:], ends, lengths)]


def _sorted_arrivals(part: Part, tasks: Any, members: Any) -> list[Arrival]:
    """Of the rows that are members."""
    names, numbers = np.unique(tasks[members], return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    borders = np.searchsorted(numbers[order], np.arange(len(names) + 1))
    rows_of = {str(name): members[order[first:end]] for name, first, end in zip(names, borders, borders[1:])}
    return [Arrival(part.X[rows_of[name]], part.Y[rows_of[name]], name) for name in _core.in_order(list(rows_of))]


def tasks_of_labels(read: Tasks, recipe: _core.Recipe, anew: bool, any_class: bool) -> list[Tasks]:
    """Prepared tasks with the targets of each model. Unless tasks may be of any class, a model does not get those that
    have none or only rows of its label. Where everything is learned anew, tasks that no model can learn are left out
    with a warning."""
    has_classes = recipe.problem == _core.Problem.classification and not any_class
    count = recipe.models()
    arrivals = [of for step in read.steps for of in step.values()]
    lost = [of.task for of in arrivals if not any(_can_learn(of.y[:, k], has_classes) for k in range(count))]
    leaves_out = (anew or count > 1) and len(lost) < len(arrivals)
    if lost and leaves_out:
        why = "one row, or rows of one label only" if has_classes else "one row"
        warn(f"{len(lost)} of {len(arrivals)} tasks are left out, such as '{lost[0]}': they have {why}", RecipeWarning)
    reads = []
    for k in range(count):
        steps = [{agent: of._replace(y=np.ascontiguousarray(of.y[:, k])) for agent, of in step.items()
                  if not leaves_out or _can_learn(of.y[:, k], has_classes)} for step in read.steps]
        reads.append(read._replace(steps=[step for step in steps if step]))
        if anew and not reads[-1].steps:
            raise ValueError(f"y: no task has rows of '{recipe.labels[k]}' and of other labels; give such rows")
    return reads


def _can_learn(y: Floats, has_classes: bool) -> bool:
    return len(y) > 1 and not (has_classes and abs(y.sum()) == len(y))
