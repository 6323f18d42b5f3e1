# SPDX-License-Identifier: Apache-2.0
"""Parameters of the learners: scikit-learn's conventions without scikit-learn, whose import takes longer
than the whole package's may."""
from __future__ import annotations

import functools
import inspect
import math
import sys
import threading
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast

import numpy as np

from colla import _core
from colla._rows import as_matrix, checked_text, in_one_line, is_whole, shown

if TYPE_CHECKING:
    from sklearn.utils import Tags

P = ParamSpec("P")
R = TypeVar("R")

LARGEST_SEED = 2**64 - 1
FORMER_NAMES = {"exchanges": "iterations"}  # a value given by the former name wins


class Estimator:
    """Parameters are those of ``__init__``, kept under their names and checked when learning begins."""

    problem: str
    n_atoms: int
    lam: float
    mu: float
    gamma: float
    solver: str
    seed: int

    def _keep_parameters(self, given: dict[str, Any]) -> None:
        """The local variables of ``__init__``, under their names."""
        vars(self).update({name: value for name, value in given.items() if name not in ("self", "__class__")})

    @classmethod
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        """Those of ``__init__``; where it takes any, those of the class above too."""
        found: dict[str, inspect.Parameter] = {}
        for each in cls.__mro__:
            init = vars(each).get("__init__")
            if init is None:
                continue
            own = list(inspect.signature(init).parameters.values())[1:]
            takes_any = [one for one in own if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
            found = {one.name: one for one in own if one not in takes_any} | found
            if not takes_any:
                break
        return found

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return sorted(cls._parameters())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        Parameters
        ----------
        deep : bool
            Without effect: no parameter is an estimator.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Sets parameters. What has been learned stays as it is.

        Settings take effect at the next ``fit``; ``revisit``, ``callback`` and ``progress`` at the next call.
        After a change of ``problem`` or ``fit_intercept``, only ``fit`` can be called.

        Parameters
        ----------
        **params
            Names and values.

        Returns
        -------
        self
        """
        names = self._parameter_names()
        for name in params:
            if name not in names:
                raise ValueError(f"no parameter '{name}' of {type(self).__name__}; give one of {', '.join(names)}")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = self._parameters()
        changed = [f"{name}={value!r}" for name, value in self.get_params().items()
                   if not same(value, defaults[name].default)]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _turn(self) -> threading.RLock:
        """Held while learning: threads that share a learner begin and record one at a time."""
        lock: threading.RLock = vars(self).setdefault("_lock", threading.RLock())
        return lock

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in dict(vars(self)).items() if name != "_lock"}

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

        classes = has_labels(self.problem)
        return Tags(estimator_type="classifier" if classes else "regressor",
                    target_tags=TargetTags(required=True), transformer_tags=None,
                    classifier_tags=ClassifierTags(multi_class=False) if classes else None,
                    regressor_tags=None if classes else RegressorTags(), input_tags=InputTags())


def same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (str, int, float, np.number)) and bool(value == default))


def choice(name: str, value: Any, kind: Any) -> Any:
    """The member of an enumeration with this name."""
    members = kind.__members__
    if not isinstance(value, str) or value not in members:
        raise ValueError(f"{name}: invalid value '{value}'; give {'|'.join(members)}")
    return members[value]


def has_labels(problem: Any) -> bool:
    """Whether the targets of a problem are two labels."""
    return isinstance(problem, str) and _core.has_labels(problem)


def flag(name: str, value: Any) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}: invalid value {shown(value)}; give True or False")


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name}: {shown(value)} is not text; give a name")
    return checked_text(value, name)


def number(name: str, value: Any) -> float:
    try:
        if is_whole(value) or isinstance(value, (float, np.floating)):
            return float(value)
    except OverflowError:
        pass
    raise ValueError(f"{name}: invalid value {shown(value)}; give a number")


def not_negative(name: str, value: Any) -> float:
    given = number(name, value)
    if not (math.isfinite(given) and given >= 0):
        raise ValueError(f"{name}: invalid value '{value}'; give a number of 0 or above")
    return given


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    if not is_whole(value) or not least <= value <= most:
        raise ValueError(f"{name}: invalid value '{in_one_line(str(value))}'; "
                         f"give a whole number from {least} to {most}")
    return int(value)


def core_options(learner: Estimator, features: int, agents: int = 1) -> _core.Options:
    """What each of the agents is made with: the learner's parameters that are settings of the core, which checks
    them."""
    options = _core.Options()
    options.set("features", features)
    for key, name in _core.setting_names():
        former = getattr(learner, FORMER_NAMES.get(name, ""), None)
        if hasattr(learner, name) and not _is_left_out(learner, name):
            options.set(key, _plain(getattr(learner, name) if former is None else former))
    if getattr(learner, "method", "colla") == "colla":
        _core.check_memory(options, agents)
    return options


def _is_left_out(learner: Estimator, name: str) -> bool:
    """The core has a default for it."""
    return getattr(learner, name) is None and learner._parameters()[name].default is None


def parameters_from(options: _core.Options, learner: type[Estimator]) -> dict[str, Any]:
    """The parameters of a learner that was made with these options."""
    known = learner._parameter_names()
    return {name: options.get(key) for key, name in _core.setting_names() if name in known}


def _plain(value: Any) -> int | float | str:
    """The value for the core. What is neither a number nor text becomes readable text for the error message."""
    if is_whole(value) and 0 <= value <= LARGEST_SEED:
        return int(value)
    try:
        if is_whole(value) or isinstance(value, (float, np.floating)):
            return float(value)
    except OverflowError:
        pass
    return str(value) if isinstance(value, str) else shown(value)


def first_dictionary(init: Any, features: int, atoms: int) -> Any:
    """`init` as a matrix of features (and intercept) x atoms, or None."""
    if init is None:
        return None
    matrix = as_matrix(init, "init")
    if matrix.shape != (features, atoms):
        raise ValueError(f"init: has {matrix.shape[0]} x {matrix.shape[1]} numbers, and {features} x {atoms} are "
                         "needed (features, with the intercept if there is one, x atoms); give a matrix of that size")
    if not np.isfinite(matrix).all():
        raise ValueError("init: holds NaN or infinity; remove or fill such values")
    return matrix


class NotFittedError(ValueError, AttributeError):
    """Nothing has been learned yet."""


def not_fitted(learner: Estimator) -> Exception:
    """The error to raise; scikit-learn's own where that is in use."""
    text = f"this {type(learner).__name__} has not learned a task yet; call fit or partial_fit first"
    if sys.modules.get("sklearn") is not None:
        from sklearn.exceptions import NotFittedError as OfScikitLearn

        error: Exception = OfScikitLearn(text)
        return error
    return NotFittedError(text)


class Conditional(Generic[P, R]):
    """A method that some learners do not have."""

    def __init__(self, method: Callable[Concatenate[Any, P], R]) -> None:
        functools.update_wrapper(cast(Any, self), method)
        self._method = method

    def __get__(self, learner: Any, owner: type) -> Callable[P, R]:
        if learner is None:
            return cast(Callable[P, R], self._method)
        self._check(learner)
        return types.MethodType(self._method, learner)

    def _check(self, learner: Any) -> None:
        """Raises AttributeError if the learner does not have it."""
        raise NotImplementedError


class OnlyForClasses(Conditional[P, R]):
    """A method that learners of regression tasks do not have."""

    def _check(self, learner: Any) -> None:
        if not has_labels(learner.problem):
            raise AttributeError(f"{self._method.__name__} is for classification; give problem='classification'")
