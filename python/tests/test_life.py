# SPDX-License-Identifier: Apache-2.0
"""Copies, threads, memory and interruption."""
import copy
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pandas
import pytest
import sklearn.base

from colla import GoMTL, LifelongLearner, Network, OfflineCoLLA, datasets
from conftest import sample_tasks

TASKS = datasets.make_tasks(n_agents=3, tasks_per_agent=4, n_features=5)


def again(learner):
    return pickle.loads(pickle.dumps(learner))


@pytest.mark.parametrize("duplicate", [again, copy.deepcopy])
@pytest.mark.parametrize("solver", ["dense", "matrix-free"])
def test_a_copy_goes_on_to_the_same_bits_after_revisits(duplicate, solver):
    tasks = sample_tasks(8, rows=3, features=6)
    learner = LifelongLearner(n_atoms=3, solver=solver)
    for X, y, task in tasks[:5] + [(tasks[0][0], -tasks[0][1], "task-1")]:
        learner.partial_fit(X, y, task=task)
    learner.forget("task-3")
    copied = duplicate(learner)
    assert copied.get_params() == learner.get_params()
    for X, y, task in tasks[5:]:
        learner.partial_fit(X, y, task=task)
        copied.partial_fit(X, y, task=task)
    assert np.array_equal(copied.dictionary_, learner.dictionary_)
    assert np.array_equal(copied.predict(X, task="task-0"), learner.predict(X, task="task-0"))


@pytest.mark.parametrize("duplicate", [again, copy.deepcopy])
def test_a_copied_network_goes_on_to_the_same_bits(duplicate):
    network = Network(graph="ring", exchanges="3+4/t")
    steps = [{agent: stream[t] for agent, stream in TASKS.streams.items()} for t in range(4)]
    for step in steps[:2]:
        network.partial_fit(step)
    copied = duplicate(network)
    for step in steps[2:]:
        network.partial_fit(step)
        copied.partial_fit(step)
    for found, expected in zip(copied.dictionaries_, network.dictionaries_, strict=True):
        assert np.array_equal(found, expected)
    assert copied.history_ == network.history_


@pytest.mark.parametrize("learner", [GoMTL(), OfflineCoLLA(rho=1.0)])
def test_a_copy_of_an_offline_learner_predicts_the_same_bits(learner):
    learner.fit(TASKS)
    X = TASKS.streams["agent-1"][0].X
    assert np.array_equal(again(learner).predict(X, agent=1, task="task-2"), learner.predict(X, agent=1, task="task-2"))


@pytest.mark.parametrize("learner", [LifelongLearner(7, lam=0.5), Network(3, "star", rho=2.0), GoMTL(3),
                                     OfflineCoLLA(2)])
def test_a_clone_has_the_parameters_and_no_knowledge(learner):
    clone = sklearn.base.clone(learner.set_params(seed=5))
    assert clone.get_params() == learner.get_params()
    assert repr(clone) == repr(learner)
    with pytest.raises(ValueError, match="has not learned"):
        clone.tasks_


def test_an_appended_task_has_the_model_of_all_its_rows():
    X, y, _ = sample_tasks(1, rows=20)[0]
    learner = LifelongLearner(revisit="append").partial_fit(X[:8], y[:8]).partial_fit(X[8:], y[8:])
    assert np.allclose(learner.model("task"), learner.dictionary_ @ learner.encode(X, y), rtol=1e-9)
    assert not np.allclose(learner.model("task"), learner.dictionary_ @ learner.encode(X[8:], y[8:]), rtol=1e-3)


def test_a_forgotten_task_leaves_what_was_there_before():
    tasks = sample_tasks(3)
    learner = LifelongLearner()
    for X, y, task in tasks:
        learner.partial_fit(X, y, task=task)
    learner.forget("task-2")
    assert learner.tasks_ == ["task-0", "task-1"]
    with pytest.raises(ValueError, match="task 'task-2': unknown to this agent"):
        learner.predict(tasks[2][0], task="task-2")


def test_encoding_learns_nothing_and_gives_the_code_that_learning_would():
    *known, (X, y, _) = sample_tasks(4)
    learner = LifelongLearner(codes="stored")
    for rows in known:
        learner.partial_fit(*rows[:2], task=rows[2])
    before = learner.dictionary_
    code = learner.encode(X, y)
    assert np.array_equal(learner.dictionary_, before)
    assert np.array_equal(learner.partial_fit(X, y, task="new").codes_["new"], code)


def learn_all(tasks):
    learner = LifelongLearner(n_atoms=5)
    for X, y, task in tasks:
        learner.partial_fit(X, y, task=task)
    return learner.dictionary_


def test_two_learners_in_two_threads_give_the_bits_of_one_after_the_other():
    sets = [sample_tasks(40, rows=60, features=20, seed=seed) for seed in (1, 2)]
    expected = [learn_all(tasks) for tasks in sets]
    found = [None, None]

    def work(k):
        found[k] = learn_all(sets[k])

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


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_ten_thousand_partial_fits_leak_nothing():
    tasks = sample_tasks(10)
    learner = LifelongLearner()
    other = sample_tasks(10, seed=2)

    def learn(times):
        for k in range(times):
            X, y, task = (tasks if k % 20 < 10 else other)[k % 10]
            learner.partial_fit(X, y, task=task)
            learner.predict(X, task=task)

    learn(1000)
    before = resident_bytes()
    learn(10_000)
    assert resident_bytes() - before < 2 * 2**20


def test_errors_leak_nothing():
    X, y, _ = sample_tasks(1, rows=2000, features=50)[0]
    X[5, 5] = np.nan
    learner = LifelongLearner()

    def fail(times):
        for _ in range(times):
            with pytest.raises(ValueError):
                learner.partial_fit(X, y)

    fail(20)
    before = resident_bytes()
    fail(200)
    assert resident_bytes() - before < 20 * X.nbytes


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
    learner = LifelongLearner(codes="stored").fit(X, y, task="first")
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


def test_a_shallow_copy_learns_for_itself():
    first, second = sample_tasks(2)
    learner = LifelongLearner().fit(*first[:2], task="first")
    copy.copy(learner).partial_fit(*second[:2], task="second")
    assert learner.tasks_ == ["first"]


FIRST, SECOND = sample_tasks(2)
BAD = FIRST[0].copy()
BAD[3, 1] = np.nan


@pytest.mark.parametrize("tasks, settings, message", [
    ({0: [FIRST], 1: [SECOND, (BAD, FIRST[1], "z")]}, {}, "task 'z': X holds NaN"),
    ({0: [FIRST], 1: [SECOND, (1e200 * FIRST[0], FIRST[1], "z")]}, {}, "task 'z', row 1, column 1: .* is beyond"),
    ({0: [FIRST]}, dict(revisit="often"), "revisit: invalid value 'often'"),
    ({0: [FIRST]}, dict(callback=5), "callback: 5 is not callable"),
    ({0: [FIRST]}, dict(exchanges="often"), "exchanges"),
])
def test_a_network_whose_fit_is_refused_stays_as_it_was(tasks, settings, message):
    network = Network().fit({0: [(*FIRST[:2], "old")], 1: [SECOND]})
    before = network.predict(FIRST[0], task="old")
    with pytest.raises(ValueError, match=message):
        network.set_params(**settings).fit(tasks)
    assert np.array_equal(network.predict(FIRST[0], task="old"), before)
    assert len(network.history_) == 1


def test_a_network_with_one_class_in_the_last_step_stays_as_it_was():
    *_, (X, y, _) = sample_tasks(1, labels=True)
    network = Network(problem="classification").fit({0: [(X, y, "a")]})
    with pytest.raises(ValueError, match="task 'b': only one class"):
        network.fit({0: [(X, y, "c"), (X, 0 * y, "b")]})
    assert network.tasks_ == {"agent-0": ["a"]}


@pytest.mark.parametrize("learner", [GoMTL(), OfflineCoLLA(rho=1.0), Network()])
def test_a_fit_may_have_other_features_than_the_one_before(learner):
    for columns in (["a", "b", "c"], ["d", "e", "f"]):
        learner.fit([(pandas.DataFrame(FIRST[0], columns=columns), FIRST[1], "t")])
        assert learner.feature_names_in_.tolist() == columns
    assert learner.fit([(FIRST[0][:, :2], *FIRST[1:])]).n_features_in_ == 2
    assert not hasattr(learner.fit([FIRST]), "feature_names_in_")


@pytest.mark.parametrize("name, value", [("fit_intercept", False), ("problem", "classification")])
def test_what_was_learned_with_other_settings_is_not_used(name, value, tmp_path):
    X, y, _ = FIRST
    y = (y > np.median(y)).astype(int)
    learner = LifelongLearner().fit(X, y)
    network = Network().fit([FIRST])
    message = f"{name} has changed since learning; call fit, or set it back"
    before = learner.predict(X)
    learner.set_params(**{name: value})
    network.set_params(**{name: value})
    for call in [lambda: learner.predict(X), lambda: learner.partial_fit(X, y), lambda: learner.encode(X, y),
                 lambda: learner.save(tmp_path / "m.colla"), lambda: network.predict(X),
                 lambda: network.partial_fit({0: FIRST}), lambda: network.save(tmp_path / "m.colla")]:
        with pytest.raises(ValueError, match=message):
            call()
    assert not (tmp_path / "m.colla").exists()
    assert np.array_equal(learner.set_params(fit_intercept=True, problem="regression").predict(X), before)
    learner.set_params(**{name: value}).fit(X, y)


@pytest.mark.parametrize("learner", [LifelongLearner().fit(*FIRST[:2]), Network().fit([FIRST])])
@pytest.mark.parametrize("column", ["task_column", "target_column"])
def test_a_model_file_has_no_feature_that_is_another_column_too(learner, column, tmp_path):
    learner = copy.deepcopy(learner).set_params(**{column: "x2"})
    with pytest.raises(ValueError, match="column 'x2' is a feature, and cannot be the task's"):
        learner.save(tmp_path / "m.colla")
    assert not (tmp_path / "m.colla").exists()
