# SPDX-License-Identifier: Apache-2.0
"""Threads, Ctrl-C, and the end of a program."""
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from colla import LifelongLearner, Network
from conftest import knowledge, sample_tasks


def learn_all(tasks, method):
    learner = LifelongLearner(method=method)
    for X, y, task in tasks:
        learner.partial_fit(X, y, task=task)
    return knowledge(learner)


@pytest.mark.parametrize("method", ["bayes", "colla"])
def test_two_learners_in_two_threads_give_the_bits_of_one_after_the_other(method):
    sets = [sample_tasks(40, rows=60, features=20, seed=seed) for seed in (1, 2)]
    expected = [learn_all(tasks, method) for tasks in sets]
    found = [None, None]

    def work(k):
        found[k] = learn_all(sets[k], method)

    threads = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in (0, 1):
        assert np.array_equal(found[k], expected[k])


def test_threads_that_share_a_learner_take_turns():
    tasks = sample_tasks(40, rows=30, features=10)
    learner = LifelongLearner().fit(*tasks[0][:2], task=tasks[0][2])
    threads = [threading.Thread(target=lambda own=own: [learner.partial_fit(X, y, task=task) for X, y, task in own])
               for own in (tasks[1:20], tasks[20:])]
    for thread in threads:
        thread.start()
    for _ in range(100):
        assert np.isfinite(learner.predict(tasks[0][0], task="task-0")).all()
    for thread in threads:
        thread.join()
    assert sorted(learner.tasks_) == sorted(task for _, _, task in tasks)


def test_other_threads_run_python_while_a_learner_solves():
    X, y, task = sample_tasks(1, rows=40_000, features=80, labels=True)[0]
    learner = LifelongLearner(problem="classification", fit_intercept=False)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.perf_counter()
    learner.partial_fit(X, y, task=task)
    ended = time.perf_counter()
    done.set()
    thread.join()
    assert ended - started > 0.1  # long enough to tell
    assert sum(started < tick < ended for tick in ticks) > 10


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
import colla
random = np.random.default_rng(1)
rows = random.normal(size=(24, 400, 40))
tasks = [(X, np.where(random.normal(size=400) > 0, 1, -1), str(k)) for k, X in enumerate(rows)]
learner = colla.{learner}
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    learner.fit(tasks)
except KeyboardInterrupt:
    print("interrupted", flush=True)
{after}
"""

LEARNED = """
print(sum(map(len, learner.tasks_.values())), len(learner.history_))
assert np.isfinite(learner.predict(rows[0], agent=0, task="0")).all()
"""
NOT_LEARNED = """
try:
    learner.tasks_
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("learner, after, said", [
    ("Network(4, exchanges=10**8)", LEARNED, "4 0"),
    ("Network(4, method='colla', exchanges=10**8)", LEARNED, "4 0"),
    ("Network(4, 'complete', exchanges=10**8, threads=2)", LEARNED, "4 0"),
    ("OfflineCoLLA(4, n_atoms=10, rho=1e-6, tolerance=1e-300)", NOT_LEARNED, "this OfflineCoLLA has not learned"),
    ("GoMTL(20, problem='classification', mu=1e-9, lam=1e-9)", NOT_LEARNED, "this GoMTL has not learned"),
])
def test_ctrl_c_ends_a_long_fit(learner, after, said):
    code = INTERRUPTED.format(learner=learner, after=after)
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert process.stdout.startswith("interrupted\n" + said), process


AT_WORK = """
import signal
import numpy as np
import colla
X = np.random.default_rng(1).normal(size=(10, 3))
network = colla.Network(2, exchanges="1,100000000").partial_fit({0: (X, X[:, 0], "first")})
def handler(*_):
    network.predict(X, agent=0, task="first")
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    network.partial_fit({1: (X, X[:, 1], "second")})
except RuntimeError as error:
    print(error)
print(network.predict(X, agent=1, task="second").shape)
"""


def test_a_signal_handler_that_uses_a_busy_learner_is_told_so():
    process = subprocess.run([sys.executable, "-c", AT_WORK], capture_output=True, text=True, timeout=60)
    assert process.stdout == ("a signal handler used a learner that is busy; wait until its call has returned\n"
                              "(10,)\n"), process


WAITING = """
import os, signal, threading, time
import numpy as np
import colla
X = np.random.default_rng(1).normal(size=(10, 3))
network = colla.Network(2, exchanges="1,100000000").partial_fit({0: (X, X[:, 0], "first")})
second = {1: (X, X[:, 1], "second")}
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
threading.Thread(target=network.partial_fit, args=(second,), daemon=True).start()
time.sleep(0.2)
for wait in [lambda: network.predict(X, agent=0, task="first"), lambda: network.partial_fit(second)]:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        wait()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
os._exit(0)
"""


def test_ctrl_c_ends_the_waiting_for_another_thread():
    process = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, timeout=60)
    assert process.stdout == "interrupted\ninterrupted\n", process


AT_THE_END = """
import itertools, threading, time
import numpy as np
import colla
X = np.random.default_rng(1).normal(size={shape})
learner = colla.{learner}
def learn():
    for k in itertools.count():
        {call}
for _ in range(2):
    threading.Thread(target=learn, daemon=True).start()
time.sleep(0.3)
"""


@pytest.mark.parametrize("learner, call, shape", [
    ("Network(2, exchanges=10**8)", 'learner.partial_fit({0: (X, X[:, 0], "a")})', (10, 3)),
    ("Network(2, exchanges=2000)", 'learner.partial_fit({0: (X, X[:, 0], "a")})', (10, 3)),
    ("Network(2)", 'learner.partial_fit({0: (X, X[:, k % 9], "a")})', (600, 200)),
    ("LifelongLearner()", 'learner.partial_fit(X, X[:, k % 3], task=k)', (10, 3)),
    ("LifelongLearner()", 'learner.partial_fit(X, X[:, k % 9], task="a")', (600, 200)),
    ("LifelongLearner(method='colla')", 'learner.partial_fit(X, X[:, k % 9], task="a")', (600, 200)),
    ("GoMTL()", 'learner.fit(X, X[:, k % 9])', (600, 200)),
])
def test_a_program_may_end_while_threads_learn(learner, call, shape):
    code = AT_THE_END.format(learner=learner, call=call, shape=shape)
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (process.returncode, process.stderr) == (0, ""), process


def in_threads(work, arguments):
    threads = [threading.Thread(target=work, args=(each,)) for each in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_that_begin_a_learner_together_lose_no_task():
    tasks = sample_tasks(4, rows=20_000, features=40)
    learner = LifelongLearner(fit_intercept=False)
    in_threads(lambda of: learner.partial_fit(*of[:2], task=of[2]), tasks)
    assert sorted(learner.tasks_) == sorted(task for _, _, task in tasks)


def test_steps_of_a_network_in_several_threads_have_numbers_of_their_own():
    network = Network(2, exchanges=2000)
    in_threads(lambda of: [network.partial_fit({0: of}) for _ in range(5)], sample_tasks(4))
    assert [record["step"] for record in network.history_] == list(range(1, 21))


def test_codes_and_their_tasks_are_read_in_one_turn():
    (X, y, _), *_ = sample_tasks(1)
    learner = LifelongLearner(method="colla", codes="stored").fit(X, y, task="first")
    code = learner.partial_fit(X, y, task="as first").codes_["as first"]
    learner.forget("as first")

    def come_and_go():
        for _ in range(2000):
            learner.partial_fit(X, y, task="as first").forget("as first")
            learner.partial_fit(X, -y, task="opposite").forget("opposite")

    thread = threading.Thread(target=come_and_go)
    thread.start()
    seen = []
    while thread.is_alive():
        codes = learner.codes_
        seen += [codes[name] @ code * sign for name, sign in [("as first", 1), ("opposite", -1)] if name in codes]
    assert len(seen) > 0 and min(seen) > 0
