# SPDX-License-Identifier: Apache-2.0
"""The two methods that learn task after task: the collective prior (bayes) and dictionaries (colla)."""
from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from enum import Enum
from typing import Any

from numpy.typing import NDArray

from colla import _core
from colla._predictor import Predicted, Predictor, features_in
from colla._rows import Batch, Floats, Form
from colla._settings import Conditional, Estimator, P, R, choice, core_options, parameters_from, same

Prior = tuple[Floats, Floats, float]  # mean, spread, noise
ONLY_OF_DICTIONARIES = ("n_atoms", "lam", "mu", "gamma", "rho", "metric", "codes", "solver", "init")


class Method(Enum):
    bayes = "bayes"
    colla = "colla"


class OnlyForDictionaries(Conditional[P, R]):
    """A method that learners with a collective prior do not have."""

    def _check(self, learner: Any) -> None:
        learner._check_method(self._method.__name__, "colla")


class TwoMethods(Predictor):
    """Learns by a collective prior or by dictionaries."""

    _learned_with_names = (*Predictor._learned_with_names, "method")

    method: str
    _released: _core.ReleasedRows | None = None  # with privacy

    @abstractmethod
    def _learned_method(self) -> str | None:
        """None before anything is learned."""

    @abstractmethod
    def _prior_predictions(self, key: Any, rows: Floats) -> tuple[Floats, Floats]:
        """Means and deviations; of an unknown key, those of the prior."""

    def _algorithm_name(self) -> str:
        return "bayes" if self._has_prior() else super()._algorithm_name()

    def _if_alone_is_better(self) -> str:
        return "try method='colla', or a model for each task" if self._has_prior() else super()._if_alone_is_better()

    def _has_prior(self) -> bool:
        return (self._learned_method() or self.method) == "bayes"

    def _check_method(self, what: str, method: str) -> None:
        """For what learners by the other method do not have."""
        if self._has_prior() == (method == "colla"):
            raise AttributeError(f"{what} is for method='{method}', and this learner's is "
                                 f"'{self._learned_method() or self.method}'")

    def _finds_curves(self) -> bool:
        return self.method == "bayes"

    def _new_form(self) -> Form:
        if choice("method", self.method, Method) == Method.bayes:
            for name, parameter in self._parameters().items():
                if name in ONLY_OF_DICTIONARIES and not same(getattr(self, name), parameter.default):
                    raise ValueError(f"{name}: is for dictionaries, which method='bayes' does not have; give "
                                     "method='colla', or leave it out")
        return super()._new_form()

    def _new_options(self, names: list[str], streams: list[list[Batch]], edges: list[tuple[int, int]],
                     form: Form) -> _core.Options:
        """Of agents that begin with these rows."""
        options = core_options(self, features_in(streams), len(names))
        if self.method == "bayes":
            self._released = _core.describe_prior(options, self._data(names, streams), edges, self._linear(form),
                                                  self._gives_refresh(), getattr(self, "privacy", None))
        return options

    def _first_dictionary(self, features: int) -> Any:
        return None if self.method == "bayes" else super()._first_dictionary(features)

    def _predicted(self, key: Any, rows: Floats) -> Predicted:
        if not self._has_prior():
            return super()._predicted(key, rows)
        return Predicted(*self._prior_predictions(key, rows))

    def _learns_any_class(self) -> bool:
        return self._has_prior()

    def _predicts_new(self) -> bool:
        return self._has_prior()

    def _answers_with_std(self, rows: Floats, keys: list[Hashable]) -> tuple[NDArray[Any], Floats]:
        """Predictions, and the standard deviation of a new observation, in the targets' units."""
        if self._is_classifier():
            raise ValueError("return_std: is for regression; classes have predict_proba")
        if not self._has_prior():
            raise ValueError("return_std: is for method='bayes'; dictionaries give no deviations")
        scores, deviations = self._predicted_by_key(rows, keys)
        recipe = getattr(self, "recipe_", None)
        return self._answers(scores), deviations if recipe is None else recipe.spread * deviations

    def _noise_of(self, prior: Prior) -> float:
        if self._is_classifier():
            raise AttributeError("the noise is for regression; give problem='regression'")
        return prior[2]


def parameters_of(options: _core.Options, learner: type[Estimator]) -> dict[str, Any]:
    """The parameters of a learner that was made with these options."""
    method = "bayes" if options.has_prior else "colla"
    parameters = parameters_from(options, learner)
    return {name: value for name, value in parameters.items()
            if method == "colla" or name not in ONLY_OF_DICTIONARIES} | {"method": method}
