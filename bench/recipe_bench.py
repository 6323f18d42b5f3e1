# SPDX-License-Identifier: Apache-2.0
"""A table of a million rows and 50 columns, a third of them text, read and prepared by colla and by pandas.

recipe_bench.py DRIVER DIR [ROWS]: makes DIR/table.csv, writes DIR/recipe.json, prints ratios. pandas does read_csv,
get_dummies and standardising in one run; both run alone, each in its own process."""
import json
import os
import subprocess
import sys

import numpy as np

NUMBERS, WORDS = 32, 16  # and task and y: 50 columns
REPEATS = 3

PANDAS = """
import json, resource, sys, time
import pandas
start, processor = time.perf_counter(), time.process_time()
table = pandas.read_csv(sys.argv[1], dtype={"task": str})
read = time.perf_counter() - start
y = table.pop("y")
table.pop("task")
X = pandas.get_dummies(table, dtype=float)
X = X.fillna(X.mean())
X = ((X - X.mean()) / X.std(ddof=0)).to_numpy()
y = (y - y.mean()) / y.std(ddof=0)
print(json.dumps({"read": read, "seconds": time.perf_counter() - start,
                  "processor_seconds": time.process_time() - processor, "features": X.shape[1],
                  "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
"""


def write_table(path, rows):
    random = np.random.default_rng(1)
    levels = [[f"{word}-{k}" for k in range(2 + j % 7)] for j, word in enumerate(["ward", "drug", "town", "kind"] * 4)]
    names = ["task"] + [f"n{j}" for j in range(NUMBERS)] + [f"w{j}" for j in range(WORDS)] + ["y"]
    with open(path, "w") as file:
        file.write(",".join(names) + "\n")
        for first in range(0, rows, 10000):
            count = min(10000, rows - first)
            columns = [[f"t{k}" for k in random.integers(0, 200, count)]]
            for j in range(NUMBERS):
                values = random.normal(size=count) * 10.0 ** (j % 5)
                cells = [str(int(v)) if j % 4 == 0 else f"{v:.6g}" for v in values]
                if j % 8 == 1:
                    cells = ["" if gap else cell for cell, gap in zip(cells, random.random(count) < 0.05)]
                columns.append(cells)
            columns += [[levels[j][k] for k in random.integers(0, len(levels[j]), count)] for j in range(WORDS)]
            columns.append([f"{v:.8g}" for v in random.normal(size=count)])
            file.writelines(",".join(row) + "\n" for row in zip(*columns))


def fastest(command):
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            for _ in range(REPEATS)]
    return min(runs, key=lambda run: run["seconds"])


def main():
    driver, directory = sys.argv[1:3]
    rows = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, "table.csv")
    write_table(path, rows)
    ours = fastest([driver, path])
    theirs = fastest([sys.executable, "-c", PANDAS, path])
    os.remove(path)
    ratios = {"pandas / colla time": theirs["seconds"] / ours["seconds"],
              "pandas / colla processor time": theirs["processor_seconds"] / ours["processor_seconds"],
              "peak memory / the numbers": ours["peak_bytes"] / ours["bytes_of_numbers"],
              "pandas' peak memory / the numbers": theirs["peak_bytes"] / ours["bytes_of_numbers"]}
    with open(os.path.join(directory, "recipe.json"), "w") as file:
        json.dump({"colla": ours, "pandas": theirs, "ratios": ratios}, file, indent=1)
    for who, run in (("colla", ours), ("pandas", theirs)):
        print(f"{who:7}", {key: round(value, 2) for key, value in run.items()})
    for what, ratio in ratios.items():
        print(f"{what:36} {ratio:8.2f}")


if __name__ == "__main__":
    main()
