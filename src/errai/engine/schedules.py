"""Variants of counterfactual regret minimisation as data: how regrets and averages are scaled at each iteration.

:data:`errai.kernels.protocol.COEFFICIENTS` says what a kernel does with the numbers of an iteration; one kernel runs
all variants.  Derivations and sources are in docs/maths.md.

The exponents may change from iteration to iteration.  The hyperparameter schedules of Zhang, McAleer and Sandholm
("Faster game solving via hyperparameter schedules", arXiv:2404.09097, 2024; AAAI 2026) are linear in ``t / n``, where
``n`` is the number of iterations of the whole run.  Here ``n`` is the schedule's ``horizon``.

A variant that no exponents describe is made of own code, which :mod:`errai.engine.own_schedules` asks and checks.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from hashlib import sha256
from numbers import Integral
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from errai.engine.own_schedules import LARGEST_WEIGHT, CoefficientFunction, LocalRule, OwnCode, OwnRows, dither
from errai.errors import SolverOptionError
from errai.kernels.protocol import COEFFICIENTS
from errai.options import DEFAULT as DEFAULT
from errai.own_code import described, number_of

HEAD_START = 30
"""The head start of runs that start from another run's regrets; from 20 to 60 makes little difference (docs/log.md)."""

BLOCK = 256
"""Number of iterations whose coefficients are computed together."""

NO_MEMORY = float("-inf")
"""An exponent with which negative regrets are set to 0, as in CFR+."""


LARGEST_COUNT = 10**12
"""The largest number of iterations that a schedule may name."""


@final
@dataclass(frozen=True)
class Schedule:
    """One variant of counterfactual regret minimisation: its exponents, or own code.

    :meth:`of` makes a schedule of own code.  Raises :class:`SolverOptionError` for a field that is not a number
    within its bounds.

    Examples
    --------
    >>> import errai
    >>> half = errai.Schedule("half", alpha=1.5, beta=0.0, gamma=1.0)  # negative regrets are halved
    >>> float(half.coefficients(1, 1)[0, 1])
    0.5
    >>> print(errai.solve(errai.load_game("kuhn"), "1mbb", algorithm=half).status)
    target met
    """

    name: str
    alpha: float
    """Regrets above 0 are multiplied by t^alpha / (t^alpha + 1); infinity keeps them."""
    beta: float
    """Regrets below 0 are multiplied by t^beta / (t^beta + 1); minus infinity makes them 0, infinity keeps them."""
    gamma: float
    """The weight of iteration t in the average is proportional to t^gamma."""
    prediction: float = 0.0
    """1 for predictive variants."""
    weighted: bool = True
    """Whether the player's own reach weights a strategy in the average, as the theory requires."""
    foresight: float = 0.0
    """The share of the next strategy's value in the value that a node passes to its parent."""
    simultaneous: bool = False
    """Whether both players update against the same old strategies; otherwise player 1
    updates against player 0's new one.
    """
    average_from: int = 1
    """The first iteration whose strategy enters the average.

    DeepStack leaves out the first half or more of the iterations (Moravčík et al. 2017, table 4); the weights of
    ``gamma`` have mostly the same effect without a number to choose.
    """
    head_start: int = 0
    """The iterations by which a run is ahead because it starts from another run's regrets.

    Iteration t discounts regrets and weighs its strategy like iteration t + head_start.
    """
    alpha_change: float = 0.0
    """The change of alpha up to the horizon: at iteration t, alpha is alpha + alpha_change * t / horizon."""
    beta_change: float = 0.0
    """The change of beta up to the horizon."""
    gamma_change: float = 0.0
    """The change of gamma up to the horizon.

    With a changing exponent, iteration t multiplies the sum of the earlier ones by ((t - 1) / t)^gamma(t), as in Zhang
    et al.; the weight of an iteration is then not a power of t.
    """
    horizon: int = 0
    """The iteration from which on the exponents stay constant; 0 if none changes."""
    own_code: OwnCode | None = None
    """What :meth:`of` makes of own code; the exponents, ``prediction`` and ``foresight`` are 0 then."""

    def __init_subclass__(cls) -> None:
        raise SolverOptionError(
            f"{cls.__name__} cannot be a subclass of Schedule, because files would state exponents that it does not "
            "have; make a schedule of own code with errai.Schedule.of(name, coefficients)."
        )

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise SolverOptionError(f"The name of a schedule must be a text, not {described(self.name)}.")
        whose = f"of the schedule {self.name!r:.60}"
        for field, bounds in _BOUNDS.items():
            number = number_of(getattr(self, field), f"{field} {whose}", error=SolverOptionError, **bounds)
            object.__setattr__(self, field, number)
        for field in ("weighted", "simultaneous"):
            if not isinstance(given := getattr(self, field), bool):
                raise SolverOptionError(f"{field} {whose} is True or False, not {described(given)}.")
        if (self.alpha_change or self.beta_change or self.gamma_change) and not self.horizon:
            raise SolverOptionError(
                f"The exponents {whose} change; give the horizon, the iteration up to which they do."
            )
        for field in ("alpha", "gamma"):
            last = getattr(self, field) + getattr(self, f"{field}_change")
            if last < 0.0:
                raise SolverOptionError(f"{field} {whose} falls below 0, to {last:g}; raise {field} or {field}_change.")
        if self.own_code is not None and (
            not isinstance(self.own_code, OwnCode) or any(getattr(self, field) for field in _EXPONENTS)
        ):
            raise SolverOptionError(
                f"The schedule {self.name!r:.60} has exponents and own code; make it with errai.Schedule.of(name, "
                "coefficients), without exponents."
            )

    @classmethod
    def of(
        cls,
        name: str,
        coefficients: CoefficientFunction | None = None,
        *,
        rule: LocalRule | None = None,
        weighted: bool = True,
        simultaneous: bool = False,
    ) -> Schedule:
        """Return a variant of own code; docs/extending.md has examples.

        Parameters
        ----------
        name:
            The name by which files and checkpoints know the variant.  It names the parameters of the code as well if
            there are any, as in ``hedge-0.1``, because a run is resumed by a schedule of the same name.
        coefficients:
            A function of the iteration, counted from 1, that returns the coefficients of that iteration by name.  Those
            that are left out have their defaults: ``positive``, ``negative`` (the factors on regrets above and below 0;
            1), ``average`` (the factor on the strategy sum before the new strategy is added; 1), ``weight`` (the weight
            of the new strategy; 1), ``prediction`` and ``foresight`` (0).  The three factors and the foresight are
            numbers from 0 to 1, and the others from 0 to 1e9.  A variant that predicts does so from iteration 1 on.
            The function must always answer the same for the same iteration.
        rule:
            What takes the place of regret matching at every decision; only the backend ``reference`` runs it.
        weighted, simultaneous:
            As the fields.

        Raises
        ------
        SolverOptionError
            The name is that of a variant of :data:`SCHEDULES`, there is neither a function nor a rule, or the function
            does not answer for iteration 1 as it must.

        Examples
        --------
        >>> import errai
        >>> def slower(t):
        ...     return {"positive": t**1.5 / (t**1.5 + 2), "negative": 0.5, "average": ((t - 1) / t) ** 3}
        >>> kuhn, variant = errai.load_game("kuhn"), errai.Schedule.of("slower", slower)
        >>> solution = errai.solve(kuhn, "1mbb", algorithm=variant)
        >>> print(solution.status, solution.schedule)
        target met {'name': 'slower', 'coefficients': 'own code', 'weighted': True, 'simultaneous': False}
        """
        if isinstance(name, str) and name.lower() in SCHEDULES:
            raise SolverOptionError(f"{name!r} is a variant of Errai; give a schedule of own code a name of its own.")
        return cls(name, 0.0, 0.0, 0.0, 0.0, weighted, 0.0, simultaneous, own_code=OwnCode(name, coefficients, rule))

    @property
    def predictive(self) -> bool:
        """Whether the variant needs an array of predictions."""
        return self.prediction != 0.0 or (self.own_code is not None and self.own_code.predictive)

    @property
    def rule(self) -> LocalRule | None:
        """What takes the place of regret matching, if anything does."""
        return None if self.own_code is None else self.own_code.rule

    def coefficients(self, first: int, count: int) -> NDArray[np.float64]:
        """Return float64[count, 8], read-only: the kernel's columns for ``count`` iterations from ``first`` on.

        Raises :class:`SolverOptionError` if own code does not answer as it must.
        """
        if self.own_code is not None:
            return _own_rows(self.own_code, self.average_from, self.head_start).get(first, count)
        begin, end = first - 1, first - 1 + count
        blocks = [_block(self, number) for number in range(begin // BLOCK, (end - 1) // BLOCK + 1)]
        rows = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        skipped = begin // BLOCK * BLOCK
        return rows[begin - skipped : end - skipped]

    def to_dict(self) -> dict[str, Any]:
        """Return the schedule as values that JSON can hold; infinite exponents are text."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        for field in fields(self):
            if field.name in _ADDED and said[field.name] == field.default:
                del said[field.name]
        if self.own_code is not None:
            kept = {k: v for k, v in said.items() if k not in ("name", "own_code", *_EXPONENTS)}
            return {"name": self.name, **self.own_code.to_dict(), **kept}
        return {k: str(v) if isinstance(v, float) and np.isinf(v) else v for k, v in said.items()}

    def digest(self, iterations: int) -> str | None:
        """Return a digest of the coefficients that own code gives up to an iteration; None without own code.

        Checkpoints state it, so that a run is resumed only with coefficients that are the same so far.
        """
        if self.own_code is None:
            return None
        rows = self.coefficients(1, iterations) if iterations else np.empty(0)
        return sha256(rows.tobytes()).hexdigest()


_EXPONENTS = (
    "alpha", "beta", "gamma", "prediction", "foresight", "alpha_change", "beta_change", "gamma_change", "horizon",
)  # fmt: skip
"""Fields that describe the coefficients of a variant unless own code does."""

_BOUNDS: dict[str, dict[str, Any]] = {
    # With an alpha below 0, regrets above 0 would be forgotten faster and faster, and strategies would become uniform.
    "alpha": {"low": 0.0, "finite": False},
    "beta": {"finite": False},
    "gamma": {"low": 0.0},
    "prediction": {"low": 0.0, "high": LARGEST_WEIGHT},
    "foresight": {"low": 0.0, "high": 1.0},
    "average_from": {"low": 1, "high": LARGEST_COUNT, "whole": True},
    "head_start": {"low": 0, "high": LARGEST_COUNT, "whole": True},
    "alpha_change": {},
    "beta_change": {},
    "gamma_change": {},
    "horizon": {"low": 0, "high": LARGEST_COUNT, "whole": True},
}
"""What :func:`errai.own_code.number_of` checks of each field."""

_ADDED = ("average_from", "head_start", "alpha_change", "beta_change", "gamma_change", "horizon", "own_code")
"""Fields that files omit if they have their defaults, so that files from before these fields still match."""


def _exponent(schedule: Schedule, t: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """Return float64 in the shape of ``t``: the exponent ``alpha``, ``beta`` or ``gamma`` at some iterations."""
    start, change = getattr(schedule, name), getattr(schedule, f"{name}_change")
    done = np.minimum(t / schedule.horizon, 1.0) if change else 0.0
    return start + change * done * np.ones_like(t)


def _kept(t: NDArray[np.float64], exponent: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return t^exponent / (t^exponent + 1), with its limits for infinite exponents, at t = 1 too."""
    finite = np.isfinite(exponent)
    with np.errstate(over="ignore", invalid="ignore"):
        power = t ** np.where(finite, exponent, 0.0)
        return np.where(finite & np.isfinite(power), power / (power + 1.0), exponent > 0.0)


def _average(schedule: Schedule, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64 in the shape of ``t``: the factor on the strategy sum before iteration t's strategy is added."""
    ahead = t + schedule.head_start
    factor = ((ahead - 1.0) / ahead) ** _exponent(schedule, ahead, "gamma")
    return np.where(t <= schedule.average_from, 0.0, factor)  # Until then the sum has only the newest strategy.


_own_rows = lru_cache(maxsize=64)(OwnRows)
"""The coefficients of a schedule of own code, which remember what the code has answered."""


@lru_cache(maxsize=64)
def _block(schedule: Schedule, number: int) -> NDArray[np.float64]:
    """Return float64[BLOCK, 8]: the coefficients of one block of iterations; small games use a few rows at a time."""
    t = np.arange(number * BLOCK + 1, (number + 1) * BLOCK + 1, dtype=np.float64)
    table = np.empty((BLOCK, len(COEFFICIENTS)))
    ahead = t + schedule.head_start
    table[:, 0] = _kept(ahead, _exponent(schedule, ahead, "alpha"))
    table[:, 1] = _kept(ahead, _exponent(schedule, ahead, "beta"))
    table[:, 2] = _average(schedule, t)
    table[:, 3] = 1.0
    table[:, 4] = schedule.prediction
    table[:, 5] = _shares(schedule, 1 << int(t[-1] - 1.0).bit_length())[number * BLOCK : (number + 1) * BLOCK]
    table[:, 6] = schedule.foresight
    table[:, 7] = dither(t)
    table.flags.writeable = False  # Callers get views of this array.
    return table


@cache
def _shares(schedule: Schedule, count: int) -> NDArray[np.float64]:
    """Return float64[count]: the share of iteration t, from 1 on, in the average if reach does not weight it.

    Callers pass powers of 2 as ``count``, so few results are cached.
    """
    shares, whole = np.empty(count), 0.0
    for i, factor in enumerate(_average(schedule, np.arange(1.0, count + 1.0)).tolist()):
        whole = factor * whole + 1.0
        shares[i] = 1.0 / whole
    return shares


_INFINITY = float("inf")

SCHEDULES = {
    s.name: s
    for s in (
        # Zinkevich et al. 2007.
        Schedule("cfr", alpha=_INFINITY, beta=_INFINITY, gamma=0.0),
        # Tammelin 2014; Bowling et al. 2015: average weighted by t.
        Schedule("cfr+", alpha=_INFINITY, beta=NO_MEMORY, gamma=1.0),
        # Brown and Sandholm 2019, linear CFR: regrets and averages weighted by t.
        Schedule("linear", alpha=1.0, beta=1.0, gamma=1.0),
        # Brown and Sandholm 2019, discounted CFR with their exponents (3/2, 0, 2).
        Schedule("dcfr", alpha=1.5, beta=0.0, gamma=2.0),
        # The same with the average weighted by t^4.
        Schedule("dcfr4", alpha=1.5, beta=0.0, gamma=4.0),
        # The same with negative regrets set to 0, and an average that reach does not weight.  It is for games on disk,
        # where regrets that are never negative take less space (docs/log.md).
        Schedule("dcfr4+", alpha=1.5, beta=NO_MEMORY, gamma=4.0, weighted=False),
        # dcfr4 with foresight, and regrets discounted a little more slowly.  It is the default, because it needs the
        # fewest iterations over the set of spots (docs/log.md).  Foresight is Errai's own; docs/maths.md says what it
        # does and what is not proved.
        Schedule("dcfr-foresight", alpha=1.4, beta=0.0, gamma=4.0, foresight=0.5),
        # Farina, Kroer and Sandholm 2021: predictive CFR+ with a quadratic average.
        Schedule("pcfr+", alpha=_INFINITY, beta=NO_MEMORY, gamma=2.0, prediction=1.0),
        # Zhang, McAleer and Sandholm 2024, over 1,000 iterations as in their experiments: alpha from 1 to 4, beta from
        # -1 to -3, and gamma down by 5 from 30 or from 15.  Predictive CFR+ has only a gamma.
        Schedule("hs-dcfr-30", 1.0, -1.0, 30.0, alpha_change=3.0, beta_change=-2.0, gamma_change=-5.0, horizon=1_000),
        Schedule("hs-dcfr-15", 1.0, -1.0, 15.0, alpha_change=3.0, beta_change=-2.0, gamma_change=-5.0, horizon=1_000),
        Schedule("hs-pcfr+-30", _INFINITY, NO_MEMORY, 30.0, prediction=1.0, gamma_change=-5.0, horizon=1_000),
        Schedule("hs-pcfr+-15", _INFINITY, NO_MEMORY, 15.0, prediction=1.0, gamma_change=-5.0, horizon=1_000),
    )
}
"""The variants by name."""


def find_schedule(algorithm: str | Schedule, **changes: Any) -> Schedule:
    """Return a schedule by name, with some of its fields changed.

    Parameters
    ----------
    algorithm:
        A name, or a schedule.  Names of schedules with changing exponents may end with a colon and the horizon in
        iterations, as in ``hs-dcfr-30:2000``; it is 1,000 by default.

    Raises
    ------
    SolverOptionError
        There is no such algorithm, or its horizon is invalid.

    Examples
    --------
    >>> from errai.engine.schedules import find_schedule
    >>> find_schedule("dcfr").gamma, find_schedule("dcfr", gamma=4.0).gamma
    (2.0, 4.0)
    """
    if isinstance(algorithm, Schedule):
        return replace(algorithm, **changes) if changes else algorithm
    if not isinstance(algorithm, str):
        raise SolverOptionError(
            f"An algorithm is a name or an errai.Schedule, not {described(algorithm)}; make a schedule of own code "
            "with errai.Schedule.of(name, coefficients)."
        )
    name, _, horizon = algorithm.lower().partition(":")
    found = SCHEDULES.get(name)
    if found is None:
        raise SolverOptionError(f"There is no algorithm {algorithm!r:.60}; choose one of {', '.join(SCHEDULES)}.")
    if ":" in algorithm:
        if not found.horizon:
            raise SolverOptionError(f"The exponents of {name} do not change; leave out {':' + horizon!r}.")
        if not (horizon.isascii() and horizon.isdigit() and len(horizon) <= 12 and int(horizon) > 0):
            raise SolverOptionError(
                f"After {name}: write a number of iterations, as in {name}:2000, not {horizon!r:.60}."
            )
        found = replace(found, horizon=int(horizon))
    return replace(found, **changes) if changes else found


def checked_average_from(first: int, max_iterations: int | None = None) -> int:
    """Return the first iteration of an average.

    Raises :class:`SolverOptionError` if it is not an iteration, counted from 1, or after the last one of the run.
    """
    if isinstance(first, bool) or not (isinstance(first, Integral) and 1 <= first <= LARGEST_COUNT):
        raise SolverOptionError(f"average_from must be a whole number of at least 1, not {described(first)}.")
    if max_iterations is not None and first > max_iterations:
        raise SolverOptionError(
            f"The average cannot begin with iteration {first:,} of a run of {max_iterations:,}; run more iterations, "
            "or begin earlier."
        )
    return first
