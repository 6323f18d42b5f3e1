# SPDX-License-Identifier: Apache-2.0
"""Collective lifelong learning: many small prediction tasks, learned one after another.

What was learned from earlier tasks, or by neighbours in a network, helps the next one: as a prior of the tasks'
coefficients (``method="bayes"``), or as a dictionary of which every task's model is a sparse combination
(``method="colla"``).

==================  ===============================================================
`LifelongLearner`   one agent that learns task after task
`Network`           agents that also exchange what they learned with neighbours
`OfflineCoLLA`      the network with all tasks at once
`GoMTL`             one place with the rows of all tasks (GO-MTL)
`colla.datasets`    the paper's data sets, and synthetic tasks
==================  ===============================================================

>>> import colla
>>> tasks = colla.datasets.make_tasks(tasks_per_agent=3, seed=7)
>>> learner = colla.LifelongLearner()
>>> for X, y, task in tasks.streams["agent-0"]:
...     learner = learner.partial_fit(X, y, task=task)
>>> learner.tasks_
['task-0', 'task-1', 'task-2']
>>> mean, std = learner.predict(X, task="task-2", return_std=True)
>>> mean.shape, std.shape
((40,), (40,))

Measures are scikit-learn's (``sklearn.metrics``). The same rows and seed give, bit for bit, the
numbers of the program ``colla train``.
"""
import atexit
from importlib.metadata import version

from colla import _core, datasets
from colla._alone import CollaborationWarning, NewTaskWarning, RecipeWarning
from colla._learner import LifelongLearner
from colla._network import Network
from colla._numerics import NumericsWarning
from colla._offline import GoMTL, OfflineCoLLA

from colla._core import Recipe

__all__ = ["CollaborationWarning", "GoMTL", "LifelongLearner", "Network", "NewTaskWarning", "NumericsWarning",
           "OfflineCoLLA", "Recipe", "RecipeWarning", "datasets"]
__version__ = version("colla")

atexit.register(_core.end_work)
