# SPDX-License-Identifier: Apache-2.0
"""Threads, Ctrl-C, and the end of a program."""
import sys
import threading

import numpy as np
import pytest

from colla import LifelongLearner, Network, _core
from conftest import PATIENCE, knowledge, run_python, sample_tasks, wait_until


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


def one_ends_meanwhile():
    """Whether another thread works, and ends it while this one runs Python all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(10 * PATIENCE)  # this thread goes on until it waits for something
    works = _core.at_work() > 0
    while _core.at_work() > 0:
        pass
    sys.setswitchinterval(before)
    return works


def test_one_thread_runs_python_while_another_ones_learner_solves():
    X, y, task = sample_tasks(1, rows=20_000, features=80, labels=True)[0]
    done = threading.Event()

    def learn_again_and_again():
        while not done.is_set():
            LifelongLearner(problem="classification", fit_intercept=False).partial_fit(X, y, task=task)

    thread = threading.Thread(target=learn_again_and_again)
    thread.start()
    try:
        wait_until(one_ends_meanwhile, "nothing is solved without the interpreter")
    finally:
        done.set()
        thread.join()


EXCHANGING = """
import sys, threading
import numpy as np
from colla import Network, _core
from conftest import sample_tasks, wait_until
sys.setswitchinterval(10**4)
learn = Network(2, exchanges=10**8).partial_fit
threading.Thread(target=learn, args=({0: sample_tasks(1)[0]},), daemon=True).start()
wait_until(lambda: _core.pauses()[1] > 0, "there are no exchanges")
before = _core.pauses()[1]
while _core.pauses()[1] < before + 10:
    pass
"""


def test_one_thread_runs_python_while_another_ones_network_exchanges():
    process = run_python(EXCHANGING)
    assert (process.returncode, process.stderr) == (0, ""), process


INTERRUPTED = """
import os, signal, threading
import numpy as np
import colla
from colla import _core
from conftest import wait_until
random = np.random.default_rng(1)
rows = random.normal(size=(24, 400, 40))
tasks = [(X, np.where(random.normal(size=400) > 0, 1, -1), str(k)) for k, X in enumerate(rows)]
learner = colla.{learner}
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
def interrupt():
    wait_until(lambda: _core.pauses()[0] > 10, "it does not pause")
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
_core.hold_pauses({hold})
try:
    learner.fit(tasks)
except KeyboardInterrupt:
    print("interrupted", flush=True)
_core.hold_pauses(False)
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


# Fits that cannot end by themselves, or are not let on.
@pytest.mark.parametrize("learner, hold, after, said", [
    ("Network(4, exchanges=10**8)", False, LEARNED, "4 0"),
    ("Network(4, method='colla', exchanges=10**8)", False, LEARNED, "4 0"),
    ("Network(4, 'complete', exchanges=10**8, threads=2)", False, LEARNED, "4 0"),
    ("OfflineCoLLA(4)", True, NOT_LEARNED, "this OfflineCoLLA has not learned"),
    ("GoMTL(problem='classification')", True, NOT_LEARNED, "this GoMTL has not learned"),
])
def test_ctrl_c_ends_a_long_fit(learner, hold, after, said):
    process = run_python(INTERRUPTED.format(learner=learner, hold=hold, after=after))
    assert process.stdout.startswith("interrupted\n" + said), process


AT_WORK = """
import os, signal, threading
import numpy as np
import colla
from colla import _core
from conftest import wait_until
X = np.random.default_rng(1).normal(size=(10, 3))
network = colla.Network(2, exchanges="1,100000000").partial_fit({0: (X, X[:, 0], "first")})
def handler(*_):
    network.predict(X, agent=0, task="first")
signal.signal(signal.SIGUSR1, handler)
before = _core.pauses()[0]
def disturb():
    wait_until(lambda: _core.pauses()[0] > before + 10, "it does not pause")
    os.kill(os.getpid(), signal.SIGUSR1)
threading.Thread(target=disturb, daemon=True).start()
try:
    network.partial_fit({1: (X, X[:, 1], "second")})
except RuntimeError as error:
    print(error)
print(network.predict(X, agent=1, task="second").shape)
"""


def test_a_signal_handler_that_uses_a_busy_learner_is_told_so():
    process = run_python(AT_WORK)
    assert process.stdout == ("a signal handler used a learner that is busy; wait until its call has returned\n"
                              "(10,)\n"), process


WAITING = """
import os, signal, sys, threading, traceback
import numpy as np
import colla
from colla import _core
from conftest import wait_until
X = np.random.default_rng(1).normal(size=(10, 3))
network = colla.Network(2, exchanges="1,100000000").partial_fit({0: (X, X[:, 0], "first")})
second = {1: (X, X[:, 1], "second")}
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
threading.Thread(target=network.partial_fit, args=(second,), daemon=True).start()
wait_until(lambda: _core.pauses()[1] > 0, "the other thread does not learn")
before = _core.pauses()[0]
def is_in_the_core():
    return _core.pauses()[0] > before
def is_before_the_core():
    return "with self._turn():" in traceback.extract_stack(sys._current_frames()[threading.main_thread().ident])[-1].line
def interrupt(is_there):
    wait_until(is_there, "nobody waits")
    os.kill(os.getpid(), signal.SIGINT)
for wait, is_there in [(lambda: network.predict(X, agent=0, task="first"), is_in_the_core),
                       (lambda: network.partial_fit(second), is_before_the_core)]:
    threading.Thread(target=interrupt, args=(is_there,), daemon=True).start()
    try:
        wait()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
os._exit(0)
"""


def test_ctrl_c_ends_the_waiting_for_another_thread():
    process = run_python(WAITING)
    assert process.stdout == "interrupted\ninterrupted\n", process


AT_THE_END = """
import itertools, threading
import numpy as np
import colla
from colla import _core
from conftest import wait_until
X = np.random.default_rng(1).normal(size={shape})
learner = colla.{learner}
calls = [0, 0]
def learn(thread):
    for k in itertools.count():
        {call}
        calls[thread] += 1
for thread in (0, 1):
    threading.Thread(target=learn, args=(thread,), daemon=True).start()
wait_until(lambda: {ready}, "the threads do not learn")
"""


@pytest.mark.parametrize("learner, call, shape, ready", [
    ("Network(2, exchanges=10**8)", 'learner.partial_fit({0: (X, X[:, 0], "a")})', (10, 3), "_core.at_work() > 0"),
    ("Network(2, exchanges=2000)", 'learner.partial_fit({0: (X, X[:, 0], "a")})', (10, 3), "min(calls) > 1"),
    ("Network(2)", 'learner.partial_fit({0: (X, X[:, k % 9], "a")})', (600, 200), "min(calls) > 1"),
    ("LifelongLearner()", 'learner.partial_fit(X, X[:, k % 3], task=k)', (10, 3), "min(calls) > 20"),
    ("LifelongLearner()", 'learner.partial_fit(X, X[:, k % 9], task="a")', (600, 200), "min(calls) > 1"),
    ("LifelongLearner(method='colla')", 'learner.partial_fit(X, X[:, k % 9], task="a")', (600, 200), "min(calls) > 1"),
    ("GoMTL()", 'learner.fit(X, X[:, k % 9])', (600, 200), "min(calls) > 1"),
])
def test_a_program_may_end_while_threads_learn(learner, call, shape, ready):
    process = run_python(AT_THE_END.format(learner=learner, call=call, shape=shape, ready=ready))
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

    done = threading.Event()

    def come_and_go():
        while not done.is_set():
            learner.partial_fit(X, y, task="as first").forget("as first")
            learner.partial_fit(X, -y, task="opposite").forget("opposite")

    thread = threading.Thread(target=come_and_go)
    thread.start()
    seen = {"as first": [], "opposite": []}

    def look():
        codes = learner.codes_
        for name in seen:
            seen[name] += [codes[name]] if name in codes else []
        return min(map(len, seen.values())) >= 50

    try:
        wait_until(look, "the tasks are not seen")
    finally:
        done.set()
        thread.join()
    assert min(found @ code for found in seen["as first"]) > 0
    assert max(found @ code for found in seen["opposite"]) < 0
