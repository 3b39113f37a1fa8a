"""Variants made of own code: coefficients as a function of the iteration, and local rules in place of regret matching.

:meth:`errai.Schedule.of` makes a schedule of them.  What the code answers is checked every time that it is asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.errors import SolverOptionError
from errai.kernels.protocol import COEFFICIENTS, Values
from errai.own_code import described, faults_named, number_of, numbers_of

if TYPE_CHECKING:
    from errai.kernels.reference import At
    from errai.tree.public_tree import PublicTree

CoefficientFunction = Callable[[int], Mapping[str, float]]
"""Returns the coefficients of an iteration, counted from 1, by name; see :meth:`errai.Schedule.of`."""

GOLDEN_RATIO = (5.0**0.5 - 1.0) / 2.0

LARGEST_WEIGHT = 1e9
"""The largest weight of a strategy or of a prediction; sums of so large weights stay finite in float32."""

DEFAULTS = {"positive": 1.0, "negative": 1.0, "average": 1.0, "weight": 1.0, "prediction": 0.0, "foresight": 0.0}
"""The coefficients that own code may give; the kernels' other two columns follow from these and from the iteration."""

WITH_A_RULE = ("average", "weight")
"""The coefficients that own code may give beside a local rule, which has no regrets."""

ROW_SUM_TOLERANCE = 1e-6
"""By how much the probabilities of a hand may miss 1."""


class LocalRule(Protocol):
    """What takes the place of regret matching at every decision: a strategy from a state, and a state from values.

    All arrays are float64[A, H]: A actions and H hands of the player who acts, at one decision on one board.  Hands
    that suits make equal are one hand.  The engine keeps the states, which are 0 before iteration 1, and checkpoints
    hold them.  The same arguments must always get the same answers.
    """

    def strategy(self, state: NDArray[np.float64], iteration: int) -> ArrayLike:
        """Return the probabilities with which the hands act in an iteration, counted from 1."""

    def update(
        self, state: NDArray[np.float64], values: NDArray[np.float64], played: NDArray[np.float64], iteration: int
    ) -> ArrayLike:
        """Return the state after an iteration.

        Parameters
        ----------
        state:
            The state before it.
        values:
            The counterfactual value of each action in chips, weighted by the reach of chance and of the opponent.
        played:
            The probabilities with which the hands acted.
        iteration:
            Its number, counted from 1.
        """


RECORDED: set[type] = set()
"""The rules of :mod:`errai.engine.rules`, which files name with their parameters instead of calling them own code."""


@dataclass(frozen=True, eq=False)
class OwnCode:
    """The own code of a schedule; raises :class:`SolverOptionError` unless it can be asked."""

    name: str
    coefficients: CoefficientFunction | None
    rule: LocalRule | None
    predictive: bool = field(init=False)
    """Whether the state needs a third array: for predictions, or for the strategies that a rule plays."""

    def __post_init__(self) -> None:
        given, rule = self.coefficients, self.rule
        if given is None and rule is None:
            raise SolverOptionError(
                f"The schedule {self.name!r} has no own code; give coefficients, a rule, or both, or take "
                "errai.Schedule(name, alpha, beta, gamma)."
            )
        if given is not None and (isinstance(given, type) or not callable(given)):
            raise SolverOptionError(
                f"The coefficients of the schedule {self.name!r} are a function of the iteration that returns numbers "
                f"by name, not {described(given)}."
            )
        if rule is not None and (
            isinstance(rule, type) or not all(callable(getattr(rule, verb, None)) for verb in ("strategy", "update"))
        ):
            raise SolverOptionError(
                f"The rule of the schedule {self.name!r} is an object with the methods strategy(state, iteration) and "
                f"update(state, values, played, iteration), not {described(rule)}."
            )
        first = dict(zip(DEFAULTS, self.asked(1), strict=True))
        object.__setattr__(self, "predictive", rule is not None or first["prediction"] != 0.0)

    def asked(self, iteration: int) -> list[float]:
        """Return the coefficients of an iteration in the order of ``DEFAULTS`` after checking them."""
        if self.coefficients is None:
            return list(DEFAULTS.values())
        when = f"at iteration {iteration:,}"
        whose = f"of the schedule {self.name!r} {when}"
        with faults_named(f"The coefficients of the schedule {self.name!r}", SolverOptionError, lambda: when):
            given = self.coefficients(iteration)
        if not isinstance(given, Mapping):
            raise SolverOptionError(
                f"The coefficients {whose} must be numbers by name, such as {{'average': 0.5}}, not {described(given)}."
            )
        known = DEFAULTS if self.rule is None else WITH_A_RULE
        for unknown in (name for name in given if name not in known):
            beside = "" if self.rule is None else " beside a local rule"
            raise SolverOptionError(
                f"The coefficients {whose} have no {unknown!r:.60}{beside}; give some of {', '.join(known)}."
            )
        found = []
        for name, default in DEFAULTS.items():
            high = LARGEST_WEIGHT if name in ("weight", "prediction") else 1.0
            what = f"The coefficient {name!r} {whose}"
            found.append(number_of(given.get(name, default), what, low=0.0, high=high, error=SolverOptionError))
        return found

    def to_dict(self) -> dict[str, str]:
        """Return what files say of the code."""
        said = {} if self.coefficients is None else {"coefficients": "own code"}
        rule = self.rule
        return said if rule is None else said | {"rule": repr(rule) if type(rule) in RECORDED else "own code"}


class OwnRows:
    """The coefficients that own code gives in one run, iteration by iteration; each is asked for once.

    ``average_from`` and ``head_start`` are those of :class:`errai.Schedule`.
    """

    def __init__(self, code: OwnCode, average_from: int, head_start: int) -> None:
        self._code, self._average_from, self._head_start = code, average_from, head_start
        self._rows = np.empty((0, len(COEFFICIENTS)))
        self._known, self._whole = 0, 0.0
        self._lock = Lock()

    def get(self, first: int, count: int) -> NDArray[np.float64]:
        """Return float64[count, 8], read-only: as :meth:`errai.Schedule.coefficients`."""
        last = first + count - 1
        with self._lock:
            if last > len(self._rows):
                more = np.empty((max(last, 2 * len(self._rows)) - len(self._rows), self._rows.shape[1]))
                self._rows = np.concatenate([self._rows, more])
            for iteration in range(self._known + 1, last + 1):
                self._rows[iteration - 1] = self._row(iteration)
                self._known = iteration
            found = self._rows[first - 1 : last].view()
        found.flags.writeable = False
        return found

    def _row(self, iteration: int) -> tuple[float, ...]:
        """Return the row of the next iteration."""
        positive, negative, average, weight, prediction, foresight = self._code.asked(iteration + self._head_start)
        if prediction and not self._code.predictive:
            raise SolverOptionError(
                f"The schedule {self._code.name!r} predicts at iteration {iteration:,} but not at iteration 1; a "
                "variant that predicts gives a prediction above 0 from the beginning."
            )
        average = 0.0 if iteration <= self._average_from else average
        self._whole = average * self._whole + weight
        share = weight / self._whole if self._whole else 0.0
        return positive, negative, average, weight, prediction, share, foresight, dither(iteration)


def dither(iteration: Any) -> Any:
    """Return what is added to averages in steps before they are rounded, for one iteration or for an array of them.

    A rounded average would not follow changes of less than half a step.  With an offset that is spread evenly over a
    step, as multiples of the golden ratio are, rounding is unbiased.
    """
    return np.mod(iteration * GOLDEN_RATIO, 1.0) - 0.5


class RuleInRun:
    """A local rule in one run, as the reference kernel asks it; its answers are checked every time.

    Raises :class:`SolverOptionError` for an answer that is no array of finite numbers of the right shape, or no
    probabilities; the message has the iteration, the line, the board and the hand.
    """

    def __init__(self, rule: LocalRule, name: str, tree: PublicTree) -> None:
        self.rule = rule
        self.name = name
        self.tree = tree
        self.iteration = 1
        """The iteration that is run."""

    def first(self, at: At, shape: tuple[int, int]) -> Values:
        """Return the strategy of iteration 1 at a decision, which is given by street, board and node."""
        return self._strategy(at, np.zeros(shape), 1)

    def learn(self, at: At, state: NDArray[Any], values: Values, played: Values) -> tuple[Values, Values]:
        """Return the new state at a decision, and the strategy that follows from it."""
        arguments = [np.array(array, np.float64) for array in (state, values, played)]
        new = self._asked("update", "states", at, *arguments, self.iteration)
        return new, self._strategy(at, new, self.iteration + 1)

    def _strategy(self, at: At, state: Values, iteration: int) -> Values:
        found = self._asked("strategy", "strategies", at, state.copy(), iteration, low=0.0)
        total = found.sum(axis=0)
        off = np.abs(total - 1.0)
        if off.max() > ROW_SUM_TOLERANCE:
            h = int(off.argmax())
            raise SolverOptionError(
                f"The strategies of the rule {self.name!r} sum to {total[h]:g} {self._place(at, iteration)(0, h)}; the "
                "probabilities of each hand must sum to 1."
            )
        return np.asarray(found / total)

    def _asked(self, verb: str, what: str, at: At, *arguments: Any, low: float = -math.inf) -> Values:
        subject, place = f"The {what} of the rule {self.name!r}", self._place(at, arguments[-1])
        with faults_named(subject, SolverOptionError, place):
            given = getattr(self.rule, verb)(*arguments)
        shape, high = arguments[0].shape, math.inf if low == -math.inf else 1.0 + ROW_SUM_TOLERANCE
        return numbers_of(given, subject, shape, low=low, high=high, place=place, error=SolverOptionError)

    def _place(self, at: At, iteration: int) -> Callable[..., str]:
        def place(action: int | None = None, hand: int | None = None) -> str:
            s, b, node = at
            betting, street = self.tree.betting, self.tree.deal.streets[s]
            number = betting.street_nodes(s)[node]
            member = None
            if hand is not None:
                hands = street.hands[int(betting.actor[number])]
                member = int(hands.member[hands.member_start[hands.start[b] + hand]])
            where = self.tree.root.place_text(street.boards[b], " ".join(betting.path(number)), member)
            return f"at iteration {iteration:,} {where}" + ("" if action is None else f", action {action}")

        return place
