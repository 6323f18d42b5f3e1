# SPDX-License-Identifier: Apache-2.0
"""Prints the ratios of a benchmark run beside the bars they are held to; exit code 1 if one is missed.

report.py BENCH.json [DIR]: the JSON file of colla_bench, and the folder with those of colla_shapes, numpy_colla.py,
colla_pace, colla_mpi_bench, agents_bench.py, attacks_bench.py, living_bench.py,
python_bench.py and recipe_bench.py."""
import json
import os
import sys


def bars(name, counters):
    """(what, value, comparison, bar) of one benchmark."""
    if name.startswith("learn/"):
        yield "learning a task / its LAPACK floor", counters["ratio"], "<=", 1.5 if "dsyrk" in name else 3.0
    elif name.startswith("matrix_free_against_dense"):
        yield "dense / matrix-free time", counters["speedup"], ">=", 10.0
        yield "relative difference between the two", counters["difference"], "<=", 1e-8
    elif name.startswith("large_dictionary"):
        yield "resident MiB", counters["resident_MiB"], "<=", 1024.0
    elif name.startswith("long_life"):
        yield "5,000th / 50th task", counters["ratio"], "<=", 1.1
        if "codes_only" in name:
            yield "memory growth, bytes a task", counters["growth_bytes_per_task"], "<=", 1024.0
        else:
            yield "memory growth, bytes a task", counters["growth_bytes_per_task"], "", None
    elif name.startswith("exchange_of_one"):
        yield "exchange / two solves and one read", counters["ratio"], "<=", 1.3
    elif name.startswith("ring"):
        by_colour = "by_colour" in name
        yield "an exchange: 10,000 agents / 10", counters["ratio"], "<=" if by_colour else "", 1.3 if by_colour else None
        yield "resident MiB", counters["resident_MiB"], "<=", 1024.0
    elif name.startswith("two_threads"):
        by_colour = "by_colour" in name
        yield "one thread / two threads", counters["speedup"], ">=" if by_colour else "", 1.6 if by_colour else None


SHAPES = {"schools": 4.0, "landmine": 20.0, "landmine trial": 20.0}  # how much faster than NumPy


def load(*path):
    with open(os.path.join(*path)) as file:
        return json.load(file)


def flat(nested):
    return [x for part in nested for x in flat(part)] if isinstance(nested, list) else [nested]


def difference(ours, theirs):
    """Largest difference of two nested lists of numbers, relative to the largest of them."""
    ours, theirs = flat(ours), flat(theirs)
    assert len(ours) == len(theirs)
    return max(abs(a - b) for a, b in zip(ours, theirs)) / max(map(abs, theirs))


def shape_bars(directory):
    """(name, (what, value, comparison, bar)) of the whole runs."""
    ours, theirs = load(directory, "colla.json"), load(directory, "numpy.json")
    for name, bar in SHAPES.items():
        yield name, ("NumPy / colla time", theirs[name]["seconds"] / ours[name]["seconds"], ">=", bar)
        found = "curves" if "trial" in ours[name] else "dictionaries"
        yield name, ("relative difference between the two", difference(ours[name][found], theirs[name][found]), "<=", 1e-6)


def mpi_bars(path):
    """(name, (what, value, comparison, bar)) of two ranks of MPI, where there is MPI."""
    if not os.path.exists(path):
        return
    for name, times in load(path).items():
        has_bar = name == "step/natural_order"
        yield "two_ranks/" + name, ("one rank / two ranks", times["speedup"], ">=" if has_bar else "", 1.5 if has_bar else None)


def agent_bars(path):
    """(name, (what, value, comparison, bar)) of agents as separate programs."""
    if not os.path.exists(path):
        return
    two, many = load(path)["two"], load(path)["nineteen"]
    yield "agents/two", ("bare TLS ping-pong / exchange", two["bare_seconds"] / two["exchange_seconds"], ">=", 0.5)
    yield "agents/two", ("resident MiB", two["resident_MiB"], "<=", 60.0)
    yield "agents/two", ("share of a processor when idle", two["idle_share"], "<=", 0.001)
    floor = many["one_process"] + many["bare"]
    yield "agents/nineteen", ("processor time / one process and bare", many["processor_seconds"] / floor, "<=", 3.0)


def living_bars(path):
    """(name, (what, value, comparison, bar)) of agents that live and have come to rest."""
    if not os.path.exists(path):
        return
    found = load(path)
    yield "agents/living", ("idle bytes a second and link", found["idle_bytes"], "<=", 100.0)
    yield "agents/living", ("resident MiB", found["resident_MiB"], "<=", 60.0)


def attack_bars(path):
    """(name, (what, value, comparison, bar)) of an agent under attack."""
    if not os.path.exists(path):
        return
    found = load(path)
    calm = found.pop("nobody")["learning_seconds"]
    for name, costs in found.items():
        yield "attacks/" + name, ("learning a task / without attack", costs["learning_seconds"] / calm, "<=", 2.0)
        yield "attacks/" + name, ("additional MiB", costs["MiB"], "<=", 100.0)
        yield "attacks/" + name, ("log lines a minute", costs["lines_a_minute"], "<=", 20.0)


def python_bars(path):
    """(name, (what, value, comparison, bar)) of the Python package, where it was measured."""
    if not os.path.exists(path):
        return
    found = load(path)
    schools = found["schools"]
    name = f"python/{schools['rows']}/d:{schools['features']}/u:{schools['atoms']}"
    yield "python/d:28/u:10/rows:100", ("partial_fit / the call in C++", found["overhead"], "<=", 1.2)
    yield name + "/line", ("ELLA in NumPy / colla, a task", schools["ella_seconds"] / schools["colla_seconds"]["line"], ">=", 10.0)
    yield name + "/none", ("ELLA in NumPy / colla, a task", schools["ella_seconds"] / schools["colla_seconds"]["none"], ">=", 10.0)
    yield "python/import", ("processor seconds", found["import_seconds"], "<=", 0.3)


def recipe_bars(path):
    """(name, (what, value, comparison, bar)) of a large table beside pandas, where it was measured."""
    if not os.path.exists(path):
        return
    ratios = load(path)["ratios"]
    yield "recipe/rows:1000000/columns:50", ("pandas / colla time", ratios["pandas / colla time"], ">=", 1.0)
    yield "recipe/rows:1000000/columns:50", ("peak memory / the numbers", ratios["peak memory / the numbers"], "<=", 3.0)


def privacy_bars(path):
    """(name, (what, value, comparison, bar)) of privacy for rows, at epsilon 1."""
    if not os.path.exists(path):
        return
    for found in load(path):
        name = f"privacy/epsilon:1/tasks:60/rows:{found['rows']}"
        costs = next(each for each in found["epsilon"] if each["epsilon"] == 1)
        has_bar = found["rows"] == 1000
        yield name, ("RMSE / without privacy", costs["own"], "<=", 1.05 if has_bar else None)
        yield name, ("new tasks of 20 rows / each on its own", costs["fresh"] / found["fresh_alone"], "<=",
                     1.0 if has_bar else None)


def pace_bars(path):
    """(name, (what, value, comparison, bar)) of agents that live, in simulated exchanges and messages."""
    if not os.path.exists(path):
        return
    found = load(path)
    most = {"line": 33, "star": 23, "random": 20, "complete": 15}
    for graph, of in found.get("london-schools", {}).items():
        name = "pace/london-schools/" + graph
        yield name, ("exchanges to 1e-3, in order", of["healing"], "<=", most[graph])
        yield name, ("paper's rule, best rho / in order", of["paper"] / of["healing"], ">=", 15.0)
        yield name, ("paper's rule, best rho / at random", of["paper"] / of["random_wakes"], ">=", 8.0)
        yield name, ("5 exchanges / the paper's 20: distance", of["five_exchanges"] / of["paper_twenty"], "<=", 1.0)
    for name in ("landmine", "computer-survey"):
        if name in found:
            ratio = found[name]["paper"] / found[name]["healing"]
            yield "pace/" + name, ("paper's rule, best rho / in order", ratio, ">=", 2.0)
    for graph, of in found["new_task"].items():
        for method, messages in of.items():
            yield f"pace/new_task/{graph}/{method}", ("messages an edge, 20 agents", messages, "<=", 30.0)
    cost = found["message_us"]
    yield "pace/message", ("10,000 agents / 100", cost["10000"] / cost["100"], "<=", 2.0)


def short(name):
    return name.split("/manual_time")[0].split("/iterations")[0]


def print_row(name, what, value, comparison, bar):
    """Returns whether the bar is met."""
    met = bar is None or (value <= bar if comparison == "<=" else value >= bar)
    limit = "" if bar is None else f"{comparison} {bar:g}" + ("" if met else "  MISSED")
    print(f"{name:<62} {what:<36} {value:>10.4g}  {limit}")
    return met


def main(path, directory=None):
    rows = [(short(run["name"]), row) for run in load(path)["benchmarks"] for row in bars(run["name"], run)]
    if directory is not None:
        rows += [("whole run/" + name, row) for name, row in shape_bars(directory)]
        rows += mpi_bars(os.path.join(directory, "mpi.json"))
        rows += agent_bars(os.path.join(directory, "agents.json"))
        rows += privacy_bars(os.path.join(directory, "privacy_cost.json"))
        rows += living_bars(os.path.join(directory, "living.json"))
        rows += attack_bars(os.path.join(directory, "attacks.json"))
        rows += python_bars(os.path.join(directory, "python.json"))
        rows += pace_bars(os.path.join(directory, "pace.json"))
        rows += recipe_bars(os.path.join(directory, "recipe.json"))
    print(f"{'benchmark':<62} {'measure':<36} {'value':>10}  bar")
    met = [print_row(name, *row) for name, row in rows]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
