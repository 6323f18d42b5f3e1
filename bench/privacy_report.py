# SPDX-License-Identifier: Apache-2.0
"""Prints what a neighbour found out, as the tables of docs/privacy.md; exit code 1 if these say otherwise.

privacy_report.py PRIVACY.json PAGE.md: colla_privacy_attack's JSON, and the page. Errors are powers of ten. They come of
rounding, so another processor may move them: a median by one, the largest by two. A count may move by one."""
import json
import math
import sys

COARSE = 0.3  # an error above it tells nothing
# Of the last fields, by the number of fields.
TOLERANCES = {7: (1, 1, 2), 6: (0, 0.05, 0.05, 0.05), 4: (1,)}


def power(error):
    return "nothing" if error > COARSE else f"1e{round(math.log10(max(error, 1e-16))):d}"


def statistics_line(row):
    return [row["neighbour"], row["agent"], row["task"], str(row["exchanges"]), power(row["gamma"]["median"]),
            power(row["alpha"]["median"]), power(row["alpha"]["largest"])]


def rows_line(row):
    return [row["features"], str(row["rows"]), str(row["exchanges"]), f"{row['found']} of {row['of']}"]


def guesses_line(row):
    return [f"d {row['features']}", str(row["rows"]), f"{row['found']} of {row['of']}",
            *(f"{row[error]:.2f}" for error in ("error", "guess", "pairs"))]


def amount(text):
    """The exponent of a power of ten, how many were found, or an error."""
    return 0 if text == "nothing" else float(text.removeprefix("1e").split(" of ")[0])


def agrees(written, measured):
    """Whether a line of the page is what was measured: the same words, and nearly the same last fields."""
    tolerances = TOLERANCES[len(measured)]
    words = len(measured) - len(tolerances)
    return len(written) == len(measured) and written[:words] == measured[:words] and all(
        abs(amount(a) - amount(b)) <= most for a, b, most in zip(written[words:], measured[words:], tolerances))


def lines_of(page):
    """The fields of every line of the page's tables."""
    with open(page, encoding="utf-8") as file:
        return [[field.strip() for field in line.strip().strip("|").split("|")]
                for line in file if line.startswith("|")]


def main(path, page):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    statistics = [row for table in ("listeners", "growing", "noisy", "dictionaries", "priors") for row in found[table]]
    measured = [*map(statistics_line, statistics), *map(guesses_line, found["guesses"]),
                *map(rows_line, found["rows"] + found["tried"])]
    for line in measured:
        print("| " + " | ".join(line) + " |")
    written = lines_of(page)
    wrong = [line for line in measured if not any(agrees(other, line) for other in written)]
    for line in wrong:
        print(f"{page} is out of date: it lacks | {' | '.join(line)} |", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
