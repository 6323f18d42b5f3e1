# SPDX-License-Identifier: Apache-2.0
"""Warnings that name the user's line, and the one about collaboration that does not help."""
from __future__ import annotations

import sys
import warnings

import numpy as np

from colla import _core

FEWEST_TASKS = 5


class RecipeWarning(UserWarning):
    """Cells that training did not have, or rows or tasks that are left out. The others are used."""


class NewTaskWarning(UserWarning):
    """Tasks without rows are predicted by what the known tasks have in common."""


class CollaborationWarning(UserWarning):
    """Each task for itself predicts held-out rows better than what was learned together."""


def warn(line: str, category: type[Warning]) -> None:
    """Names the first line outside of the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).split(".")[0] == "colla":
        level, frame = level + 1, frame.f_back
    warnings.warn(line, category, stacklevel=level)


def warn_if_worse(scores: list[tuple[float, float]], problem: str, what_to_do: str) -> None:
    """Scores of held-out rows, by task: together and alone. Warns if together is worse beyond noise."""
    values = np.array([pair for pair in scores if np.isfinite(pair).all()]).reshape(-1, 2)
    if len(values) < FEWEST_TASKS:
        return
    lead = values[:, 0] - values[:, 1] if _core.has_labels(problem) else values[:, 1] - values[:, 0]
    if lead.mean() + 2 * lead.std(ddof=1) / np.sqrt(len(lead)) >= 0:
        return
    together, alone = values.mean(axis=0)
    found = (f"AUC {together:.3f}, alone {alone:.3f}" if _core.has_labels(problem)
             else f"RMSE {100 * (together / alone - 1):.0f} % larger")
    warn(f"learned together, held-out rows are predicted worse than by each task for itself ({found}); {what_to_do}",
         CollaborationWarning)
