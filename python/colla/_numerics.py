# SPDX-License-Identifier: Apache-2.0
"""Computations that ended before they reached their accuracy."""
from __future__ import annotations

from colla import _core
from colla._alone import warn


class NumericsWarning(UserWarning):
    """A fit stalled, or a code or a dictionary's solve did not converge. The results are used all the same."""


def warn_of(numerics: _core.Numerics, where: str) -> None:
    if numerics:
        warn(f"{where}: {numerics}; centre and scale the features", NumericsWarning)
