# SPDX-License-Identifier: Apache-2.0
"""Prints the ratios of a benchmark run beside the bars they are held to; exit code 1 if one is missed."""
import json
import sys


def bars(name, counters):
    """(what, value, comparison, bar) of one benchmark."""
    if name.startswith("learn/"):
        yield "learning a task / its LAPACK floor", counters["ratio"], "<=", 1.5 if "dsyrk" in name else 3.0
    elif name.startswith("matrix_free_against_dense"):
        yield "dense / matrix-free time", counters["speedup"], ">=", 10.0
        yield "relative difference of the two", counters["difference"], "<=", 1e-8
    elif name.startswith("large_dictionary"):
        yield "resident MiB", counters["resident_MiB"], "<=", 1024.0
    elif name.startswith("long_life"):
        yield "5,000th / 50th task", counters["ratio"], "<=", 1.1
        if "codes_only" in name:
            yield "memory growth, bytes a task", counters["growth_bytes_per_task"], "<=", 1024.0
        else:
            yield "memory growth, bytes a task", counters["growth_bytes_per_task"], "", None


def short(name):
    return name.split("/manual_time")[0].split("/iterations")[0]


def main(path):
    with open(path) as file:
        runs = json.load(file)["benchmarks"]
    missed = 0
    print(f"{'benchmark':<62} {'measure':<36} {'value':>10}  bar")
    for run in runs:
        for what, value, comparison, bar in bars(run["name"], run):
            met = bar is None or (value <= bar if comparison == "<=" else value >= bar)
            missed += not met
            limit = "" if bar is None else f"{comparison} {bar:g}" + ("" if met else "  MISSED")
            print(f"{short(run['name']):<62} {what:<36} {value:>10.4g}  {limit}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
