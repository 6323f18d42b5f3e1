# SPDX-License-Identifier: Apache-2.0
"""Learning curves of six agents on London Schools: dictionaries with and without exchanges, and the collective prior.

london_schools.py [DATA_DIR]: the folder with school.mat (default: COLLA_DATA). Draws london_schools.svg.
"""
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import root_mean_squared_error

import colla

data = colla.datasets.load_london_schools(sys.argv[1] if len(sys.argv) > 1 else None)
train, test = data.split(test_fraction=0.5, seed=1)
tests = {(agent, task): (X, y) for agent, stream in test.streams.items() for X, y, task in stream}


def add_error(network, record):
    """Adds the mean test error over the schools learned so far to the step's record."""
    record["rmse"] = np.mean([root_mean_squared_error(tests[agent, task][1],
                                                      network.predict(tests[agent, task][0], agent=agent, task=task))
                              for agent, tasks in network.tasks_.items() for task in tasks])


dictionaries = dict(method="colla", n_atoms=5, lam=0.01, mu=0.01, gamma=0.05, rho=0.1)
methods = {"ELLA (no exchange)": dict(graph="none", **dictionaries), "CoLLA (line)": dict(graph="line", **dictionaries),
           "collective prior (line)": dict(graph="line", method="bayes")}
curves = {}
for name, settings in methods.items():
    network = colla.Network(callback=add_error, **settings)
    curves[name] = pd.DataFrame(network.fit(train).history_).set_index("step")["rmse"]

table = pd.DataFrame(curves)
print(table.iloc[[0, 4, 9, -1]].round(2))
axes = table.plot(xlabel="schools learned by each agent", ylabel="test RMSE", title="London Schools, six agents")
axes.figure.savefig("london_schools.svg")
plt.close(axes.figure)
