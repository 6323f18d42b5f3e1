# SPDX-License-Identifier: Apache-2.0
"""The examples, the documents' code, and what `help` and the type checker see."""
import ast
import doctest
import importlib
import pathlib
import pydoc
import re
import subprocess
import sys

import pytest

import colla
from colla import _core
from conftest import PATIENCE, ROOT

EXAMPLES = ROOT / "examples" / "python"
PACKAGE = pathlib.Path(colla.__file__).parent


def run_example(name, folder, *arguments):
    process = subprocess.run([sys.executable, "-W", "error", EXAMPLES / name, *arguments], cwd=folder, text=True,
                             capture_output=True, timeout=PATIENCE)
    assert (process.returncode, process.stderr) == (0, ""), process
    return process.stdout


def test_the_quickstart_shows_what_earlier_tasks_are_good_for(tmp_path):
    alone, lifelong, within = map(float, run_example("quickstart.py", tmp_path).splitlines()[-1].split()[1:])
    assert lifelong < alone and 0.85 < within < 0.95
    assert (tmp_path / "quickstart.colla").exists()


def test_the_network_by_hand_learns_from_neighbours(tmp_path):
    last = run_example("network_by_hand.py", tmp_path).splitlines()[-1]
    with_neighbours, alone = re.search(r"R\^2 (\S+) on .* and (\S+) without", last).groups()
    assert float(with_neighbours) > float(alone)


def test_the_schools_curves_are_drawn(tmp_path, data_dir):
    text = run_example("london_schools.py", tmp_path, data_dir)
    assert "CoLLA (line)" in text
    assert (tmp_path / "london_schools.svg").read_text().count("<path") > 5


def modules():
    return [importlib.import_module(f"colla.{path.stem}" if path.stem != "__init__" else "colla")
            for path in PACKAGE.glob("*.py")]


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_the_examples_in_the_docstrings_hold(module):
    assert doctest.testmod(module).failed == 0


def test_help_names_everything_and_every_parameter_is_explained():
    text = pydoc.render_doc(colla, renderer=pydoc.plaintext)
    for name in colla.__all__:
        assert name in text
    for name in ["LifelongLearner", "Network", "GoMTL", "OfflineCoLLA"]:
        learner = getattr(colla, name)
        for parameter in learner._parameter_names():
            assert re.search(rf"\b{parameter}\b", learner.__doc__), f"{name}: {parameter}"
        for method in ["fit", "predict", "predict_proba", "score", "save"]:
            assert "----------" in getattr(learner, method).__doc__


def code_blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.S)


@pytest.mark.parametrize("document", ["README.md", "docs/python.md"])
def test_the_documents_code_runs(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = code_blocks(ROOT / document)
    assert blocks
    namespace = {}
    for block in blocks:
        exec(compile(block, document, "exec"), namespace)


def test_importing_the_package_imports_nothing_large():
    code = ("import sys, colla; print([name for name in "
            "('sklearn', 'pandas', 'scipy', 'networkx', 'tqdm', 'matplotlib') if name in sys.modules])")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_numpy_is_all_it_needs():
    code = """
import sys
for name in ("sklearn", "pandas", "scipy", "networkx", "tqdm", "matplotlib"):
    sys.modules[name] = None  # as if it were not installed
import colla
tasks = colla.datasets.make_tasks(n_agents=2, tasks_per_agent=2)
network = colla.Network(progress=True).fit(tasks)
X, y, task = tasks.streams["agent-0"][0]
assert network.predict(X, agent=0, task=task).shape == y.shape
for call in [lambda: colla.LifelongLearner().predict(X), lambda: network.score(X, y, agent=0, task=task), tasks.frame]:
    try:
        call()
    except (ImportError, ValueError) as error:
        print(error)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout.splitlines() == [
        "this LifelongLearner has not learned a task yet; call fit or partial_fit first",
        "score needs scikit-learn; install the package scikit-learn", "frame needs pandas; install the package pandas",
    ], process


def test_the_types_of_the_package_hold(tmp_path):
    found = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir",
                            tmp_path, "-p", "colla"], capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE)
    assert found.returncode == 0, found.stdout


def stub_names(body):
    """Names that a stub's body declares; of a class, with those of its body."""
    names = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = set(stub_names(node.body))
        elif isinstance(node, (ast.FunctionDef, ast.AnnAssign, ast.Assign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            names[target.id if target else node.name] = None
    return names


def test_the_stubs_declare_what_the_module_has():
    stub = stub_names(ast.parse((PACKAGE / "_core.pyi").read_text()).body)
    assert set(stub) == {name for name in dir(_core) if not name.startswith("__")}
    for name, members in stub.items():
        if members is not None:
            public = {member for member in vars(getattr(_core, name)) if not member.startswith("_")}
            assert {member for member in members if not member.startswith("_")} == public - {"name", "value"}, name
    assert (PACKAGE / "py.typed").exists()


def test_the_package_is_small():
    assert sum(path.stat().st_size for path in PACKAGE.rglob("*") if "__pycache__" not in path.parts) < 10_000_000
