# SPDX-License-Identifier: Apache-2.0
"""Small random tasks for the tests."""
import random

from program import table

FEATURES = ["height", "width", "depth"]


def sample_rows(tasks=("a", "b", "c"), rows=8, labels=None, seed=1):
    """Rows (task, y, features) with real targets, or with two labels in turn."""
    numbers = random.Random(seed)
    result = []
    for task in tasks:
        theta = [numbers.gauss(0, 1) for _ in FEATURES]
        for k in range(rows):
            x = [numbers.gauss(0, 1) for _ in FEATURES]
            y = sum(a * b for a, b in zip(theta, x)) + numbers.gauss(0, 0.3)
            if labels:
                y = labels[1] if k == 0 else labels[0] if k == 1 else labels[y > 0]
            result.append([task, y, *x])
    return result


def sample_table(**options):
    return table(["task", "y", *FEATURES], sample_rows(**options))
