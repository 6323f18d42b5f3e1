# SPDX-License-Identifier: Apache-2.0
"""What one agent knows."""
from __future__ import annotations

import os
from collections.abc import Hashable
from typing import Any

from colla import _core
from colla._method import Prior, TwoMethods
from colla._rows import Floats

ONLY_AGENT = "agent-0"  # the program's name for an unnamed agent


class OneAgent(TwoMethods):
    """What `LifelongLearner` knows."""

    _algorithm = "ella"
    _agent: _core.Learner

    @property
    def tasks_(self) -> list[str]:
        """The known tasks, in order of first arrival."""
        self._check_fitted()
        return list(dict.fromkeys(task for learner in self._of_labels() for task in learner._agent.tasks()))

    @property
    def mean_(self) -> Floats:
        """The mean of the tasks' coefficients."""
        return self._prior("mean_")[0]

    @property
    def spread_(self) -> Floats:
        """The standard deviation of the coefficients between tasks."""
        return self._prior("spread_")[1]

    @property
    def noise_(self) -> float:
        """The standard deviation of the targets around the tasks' models."""
        return self._noise_of(self._prior("noise_"))

    def _prior(self, what: str) -> Prior:
        self._check_method(what, "bayes")
        return self._fitted().prior()

    @property
    def dictionary_(self) -> Floats:
        """L: (features and intercept) x atoms."""
        self._check_method("dictionary_", "colla")
        return self._fitted().dictionary()

    @property
    def codes_(self) -> dict[str, Floats]:
        """The codes that the dictionary was computed from, by task."""
        self._check_method("codes_", "colla")
        return dict(self._fitted().codes())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, as ``colla train --model`` does, for ``colla predict`` or `load`.

        Parameters
        ----------
        path : str or path
            An existing model file is replaced; a file of any other kind is refused.
        """
        self._check_fitted()
        learners = self._of_labels()
        self._write(_core.Model(self._algorithm_name(), [ONLY_AGENT] * len(learners),
                                [each._agent.state() for each in learners]), path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_agent")

    def _fitted(self) -> _core.Learner:
        self._check_fitted()
        return self._agent

    def _learned_method(self) -> str | None:
        if not hasattr(self, "_agent"):
            return None
        return "bayes" if self._agent.has_prior() else "colla"

    def _prior_predictions(self, key: Any, rows: Floats) -> tuple[Floats, Floats]:
        return self._agent.predict(key, rows)

    def _keys(self) -> list[Hashable]:
        return list(self._agent.tasks())

    def _theta_of(self, key: Any) -> Floats:
        return self._agent.model(key)
