# SPDX-License-Identifier: Apache-2.0
"""Writes tests/oracle/least-noise.json: the Gaussian mechanism's noise by dp-accounting (PyPI).

    pip install dp-accounting && python tests/row_privacy/least_noise.py
"""

import json
import pathlib

from dp_accounting.gaussian_mechanism import get_sigma_gaussian

EPSILONS = [0.01, 0.03, 0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0]
DELTAS = [1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 0.01, 0.1, 0.5]


def main():
    grid = [{"epsilon": epsilon, "delta": delta, "sigma": get_sigma_gaussian(epsilon, delta)}
            for epsilon in EPSILONS for delta in DELTAS]
    path = pathlib.Path(__file__).parent.parent / "oracle" / "least-noise.json"
    lines = ",\n".join("  " + json.dumps(each) for each in grid)
    path.write_text("[\n" + lines + "\n]\n")


if __name__ == "__main__":
    main()
