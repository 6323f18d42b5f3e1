# SPDX-License-Identifier: Apache-2.0
"""The collective prior against other methods on the same trials: means, and paired differences with 95 % intervals.

findings.py RESULTS.sqlite STATISTICIAN.json: what `colla experiment examples/bayes.toml` (or bench/rivals.toml) and
`colla_statistician` have written. Differences are bayes minus the other; they need no more trials than both have."""
import json
import math
import sqlite3
import struct
import sys

# Two-sided 95 % points of Student's t; the normal one beyond.
QUANTILES = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228,
             11: 2.201, 14: 2.145, 19: 2.093, 24: 2.064, 29: 2.045, 49: 2.010, 99: 1.984}


def quantile(freedom):
    return QUANTILES[max(known for known in QUANTILES if known <= freedom)]


def last_scores(path):
    """{study: {method: {trial: score after all tasks}}}"""
    found = {}
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        rows = database.execute("SELECT study, method, trial, curve FROM methods JOIN results USING (unit)")
        for study, method, trial, curve in rows:
            score = struct.unpack("<d", curve[-8:])[0]
            found.setdefault(study, {}).setdefault(method, {})[trial] = score
    return found


def mean_and_half_width(values):
    mean = math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return mean, quantile(len(values) - 1) * spread / math.sqrt(len(values))


def main():
    scores = last_scores(sys.argv[1])
    with open(sys.argv[2]) as file:
        for study, methods in json.load(file).items():
            for method, values in methods.items():
                if study in scores:
                    scores[study]["statistician: " + method] = dict(enumerate(values))
    for study, methods in scores.items():
        ours = methods["bayes"]
        print(f"{study}, {len(ours)} trials\n  {'bayes':<22} {mean_and_half_width(list(ours.values()))[0]:9.4f}")
        for method, values in methods.items():
            both = sorted(ours.keys() & values.keys())
            if method == "bayes" or len(both) < 2:
                continue
            difference, half = mean_and_half_width([ours[k] - values[k] for k in both])
            print(f"  {method:<22} {math.fsum(values[k] for k in both) / len(both):9.4f}   bayes - it "
                  f"{difference:+.4f} [{difference - half:+.4f}, {difference + half:+.4f}], {len(both)} trials")


if __name__ == "__main__":
    main()
