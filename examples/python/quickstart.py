# SPDX-License-Identifier: Apache-2.0
"""One agent learns task after task: what it knows helps the next task, and old tasks keep improving."""
from sklearn.linear_model import Ridge
from sklearn.metrics import root_mean_squared_error

import colla

tasks = colla.datasets.make_tasks(tasks_per_agent=12, rows=30, n_features=12, seed=1)
train, test = tasks.split(test_fraction=0.5, seed=1)

learner = colla.LifelongLearner(n_atoms=4)
for X, y, task in train.streams["agent-0"]:
    learner.partial_fit(X, y, task=task)

print("task        alone   lifelong   (test RMSE)")
alone, lifelong = [], []
for (X, y, task), (new_X, new_y, _) in zip(train.streams["agent-0"], test.streams["agent-0"]):
    alone.append(root_mean_squared_error(new_y, Ridge(alpha=0.01 * len(y)).fit(X, y).predict(new_X)))
    lifelong.append(root_mean_squared_error(new_y, learner.predict(new_X, task=task)))
    print(f"{task:<8} {alone[-1]:8.3f} {lifelong[-1]:10.3f}")
print(f"mean     {sum(alone) / len(alone):8.3f} {sum(lifelong) / len(lifelong):10.3f}")

learner.save("quickstart.colla")  # for `colla predict`, or:
assert colla.LifelongLearner.load("quickstart.colla").tasks_ == learner.tasks_
