# SPDX-License-Identifier: Apache-2.0
"""Agents that tell of rows only what is differentially private."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from colla._method import TwoMethods
from colla._rows import Form
from colla._streams import Tasks


class PrivateRows(TwoMethods):
    """Learners with the parameter `privacy`."""

    privacy: str | None

    def __getstate__(self) -> dict[str, Any]:
        if self._released is not None:
            raise ValueError("a network with privacy cannot be copied or pickled: its noise is drawn once; save its "
                             "model")
        return super().__getstate__()

    def _new_form(self) -> Form:
        if self.privacy is not None and self.method != "bayes":
            raise ValueError("privacy: is for method='bayes'; leave it out")
        return super()._new_form()

    def _learn_labels(self, read: Tasks, form: Form, learn: Callable[[Self, Tasks], object], anew: bool) -> Self:
        labels = 0 if form.recipe is None else len(form.recipe.labels)
        if self.privacy is not None and labels > 2:  # every label's network would release the same rows again
            raise ValueError(f"privacy: is for two labels, and there are {labels}; group the labels")
        return super()._learn_labels(read, form, learn, anew)

    @property
    def released_(self) -> dict[str, int]:
        """How many rows were released with privacy, and how many of these were shortened."""
        self._check_fitted()
        if self._released is None:
            raise AttributeError("released_ is for networks with privacy")
        return {"rows": self._released.all, "shortened": self._released.shortened}
