# SPDX-License-Identifier: Apache-2.0
"""Computations that ended before they reached their accuracy."""
from __future__ import annotations

import warnings

from colla import _core


class NumericsWarning(UserWarning):
    """A fit stalled, or a code or a dictionary's solve did not converge. The results are used all the same."""


def warn_of(numerics: _core.Numerics, where: str) -> None:
    """Names the line that called the caller's caller."""
    if numerics:
        warnings.warn(f"{where}: {numerics}; centre and scale the features", NumericsWarning, stacklevel=4)
