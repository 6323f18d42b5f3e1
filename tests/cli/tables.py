# SPDX-License-Identifier: Apache-2.0
"""Tables as people have them, for the tests of recipes."""
import csv
import io
import random

HEADER = ["school", "age", "income", "town", "score"]


def pupils(schools=6, rows=25, seed=1, noise=0.5):
    """Rows of tasks that are alike: numbers in different units, words, a target."""
    numbers = random.Random(seed)
    result = []
    for school in range(schools):
        slope = 1.0 + 0.1 * numbers.gauss(0, 1)
        for _ in range(rows):
            age, income = numbers.gauss(40, 10), numbers.gauss(30000, 8000)
            town = numbers.choice(["Ulm", "Bonn", "Trier"])
            score = (0.1 * slope * (age - 40) + 2e-4 * slope * (income - 30000) + {"Ulm": 1, "Bonn": 0, "Trier": -1}[town]
                     + 0.3 * school + noise * numbers.gauss(0, 1))
            result.append([f"s{school}", age, income, town, score])
    return result


def csv_text(header, rows, separator=","):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def column(rows, position, change):
    """The rows with a changed column."""
    return [[*row[:position], change(row[position]), *row[position + 1:]] for row in rows]
