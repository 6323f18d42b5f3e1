# SPDX-License-Identifier: Apache-2.0
"""Small random tasks for the tests."""
import math
import random

from program import table

FEATURES = ["height", "width", "depth"]
STALLING_FEATURES = 8
STALLING_GAMMA = 1024


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


def stalling_rows(task):
    """Rows (task, label, features) whose fit stalls with STALLING_GAMMA: the best coefficients, x / (4 gamma), are a
    quarter of the smallest double, and 0 is too far from them."""
    smallest = math.ulp(0.0)
    return [[task, float(k % 2), *[(2 * (k % 2) - 1) * STALLING_GAMMA * smallest] * STALLING_FEATURES]
            for k in range(8)]
