# SPDX-License-Identifier: Apache-2.0
"""One agent learns task after task: what it knows helps the next task, and predictions have deviations."""
from sklearn.linear_model import Ridge
from sklearn.metrics import root_mean_squared_error

import colla

tasks = colla.datasets.make_tasks(tasks_per_agent=20, rows=40, n_features=12, seed=1)
train, test = tasks.split(test_fraction=0.5, seed=1)

learner = colla.LifelongLearner()
for X, y, task in train.streams["agent-0"]:
    learner.partial_fit(X, y, task=task)

print("task        alone   lifelong   within 90 %   (test RMSE, and test rows within the intervals)")
alone, lifelong, within = [], [], []
for (X, y, task), (new_X, new_y, _) in zip(train.streams["agent-0"], test.streams["agent-0"]):
    alone.append(root_mean_squared_error(new_y, Ridge(alpha=0.01 * len(y)).fit(X, y).predict(new_X)))
    mean, std = learner.predict(new_X, task=task, return_std=True)
    lifelong.append(root_mean_squared_error(new_y, mean))
    within.append((abs(new_y - mean) < 1.645 * std).mean())
    print(f"{task:<8} {alone[-1]:8.3f} {lifelong[-1]:10.3f} {within[-1]:13.2f}")
print(f"mean     {sum(alone) / len(alone):8.3f} {sum(lifelong) / len(lifelong):10.3f} {sum(within) / len(within):13.2f}")

learner.save("quickstart.colla")  # for `colla predict`, or:
assert colla.LifelongLearner.load("quickstart.colla").tasks_ == learner.tasks_
