# SPDX-License-Identifier: Apache-2.0
"""Small random tasks for the tests."""
import random

from program import table

FEATURES = ["height", "width", "depth"]
STALLING_FEATURES = 8


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


def stalling_rows(task, seed):
    """Rows (task, label, features) whose features are times in milliseconds since 1970. Labels follow the difference
    of two: the rounding of margins exceeds a fit's accuracy."""
    numbers = random.Random(seed)
    rows = []
    for k in range(40):
        times = [numbers.gauss(0, 1) for _ in range(STALLING_FEATURES)]
        label = times[0] - times[1] + numbers.gauss(0, 1) > 0
        rows.append([task, float(k % 2 if k < 2 else label), *(1.7e12 + time for time in times)])
    return rows
