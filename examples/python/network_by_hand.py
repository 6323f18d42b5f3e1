# SPDX-License-Identifier: Apache-2.0
"""A network step by step: clinics on a networkx graph, tasks as they arrive, and a clinic that joins late."""
import networkx as nx
import numpy as np

import colla

random = np.random.default_rng(7)
directions = random.normal(size=(6, 2))  # what all clinics' tasks have in common


def cases(count):
    """Rows and targets of a new disease: another mixture of the same two directions."""
    X = random.normal(size=(count, 6))
    return X, X @ directions @ random.normal(size=2) + 0.2 * random.normal(size=count)


roads = nx.Graph([("north", "centre"), ("south", "centre"), ("east", "centre"), ("east", "south")])
network = colla.Network(graph=roads, method="colla", n_atoms=3, exchanges="10+40/t")

for month in ["may", "june", "july"]:
    network.partial_fit({"north": (*cases(12), month), "south": (*cases(12), month), "east": (*cases(12), month)})
    state = network.history_[-1]
    print(f"{month}: {state['tasks']} tasks, neighbours differ by at most {state['gap']:.1%}")

# The centre has seen no case of its own; its dictionary comes from its neighbours.
assert network.tasks_["centre"] == []
X, y = cases(205)
few, rest = (X[:5], y[:5]), (X[5:], y[5:])
network.partial_fit({"centre": (*few, "august")})
alone = colla.LifelongLearner(method="colla", n_atoms=3).fit(*few)
print(f"five cases at the centre: R^2 {network.score(*rest, agent='centre', task='august'):.2f} on the next 200, "
      f"and {alone.score(*rest):.2f} without neighbours")
