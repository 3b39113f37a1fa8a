"""Solving games that are written out, by any method, with a certificate that does not depend on the method."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from errai import __version__
from errai.engine.curve import Curve
from errai.engine.schedules import SCHEDULES, Schedule, find_schedule
from errai.engine.status import Status
from errai.engine.units import Target, Units
from errai.errors import (
    CertificateError,
    DamagedFileError,
    InputError,
    SolverOptionError,
    StrategyError,
    TargetError,
    TreeTooLargeError,
)
from errai.extensive.first_order import ExcessiveGap, MagneticMirrorDescent
from errai.extensive.game import Block, Decisions, ExtensiveGame, Floats
from errai.extensive.merged import MergedGame, merged_game
from errai.extensive.method import Method
from errai.extensive.oracle import RangeOfSkill
from errai.extensive.poker import PokerRules
from errai.extensive.programs import NormalForm, SequenceFormProgram
from errai.extensive.regrets import RegretMinimisation
from errai.extensive.ring import RingRules
from errai.extensive.sampling import ChanceSampling, ExternalSampling, OutcomeSampling
from errai.extensive.walk import MAX_HISTORIES, Rules, SpielRules, is_spiel_game, walked_game
from errai.games.game import Subject
from errai.games.ring import RingGame
from errai.judges.sequence_form import refuse_large
from errai.options import DEFAULT
from errai.own_code import number_of
from errai.running.stopping import StopToken, stops
from errai.solutions.subjects import read_subject
from errai.store.container import Container, open_container, write_container

METHODS: dict[str, Callable[..., Method]] = {
    "lp": SequenceFormProgram,
    "normal-form": NormalForm,
    "egt": ExcessiveGap,
    "egt-euclidean": lambda game: ExcessiveGap(game, "euclidean"),
    "mmd": MagneticMirrorDescent,
    "range-of-skill": RangeOfSkill,
    "chance-sampling": ChanceSampling,
    "external-sampling": ExternalSampling,
    "outcome-sampling": OutcomeSampling,
}
"""The methods by name, besides the variants of CFR of :data:`errai.engine.schedules.SCHEDULES`."""

SAMPLING = ("chance-sampling", "external-sampling", "outcome-sampling")
"""The methods that sample: the same seed gives the same solution."""

KIND = "extensive"
APART = 1.2
"""The iterations at which a run is measured grow by this factor."""
COLUMNS = ("iteration", "seconds", "gradients", "exploitability")
SOON = 0.02
"""Seconds after which a run looks whether it must end."""
NEGATIVE = 1e-9
"""By how much of the scale of a game a gain may be below 0 because of rounding."""


def extensive_game(
    what: Any,
    *,
    menu: str | None = None,
    title: str | None = None,
    max_histories: int = MAX_HISTORIES,
    histories: bool = False,
) -> ExtensiveGame:
    """Return a game in extensive form, written out.

    Parameters
    ----------
    what:
        A game of the catalogue, a ring game, a spot or a lookahead; a game of OpenSpiel
        (``pyspiel.load_game("liars_dice")``); or an object with the methods of :class:`errai.extensive.Rules`.
    menu:
        The bet sizes of a no-limit game of the catalogue.
    title:
        What the game is called, by default what it calls itself.
    max_histories:
        Games with more histories are refused; poker with more is written out with hands and boards merged up to suits
        (:class:`errai.extensive.MergedGame`), as far as that fits in memory.

    histories:
        Whether the tree of histories is kept (``ExtensiveGame.histories``), which methods that sample need, and
        pictures; it takes some hundred bytes a history.

    Raises
    ------
    UnsupportedGameError
        The game has imperfect recall (the message says where), or ends before its last street.
    GameDefinitionError
        The rules contradict themselves; the message says where.
    TreeTooLargeError
        The game has more histories.
    InputError
        It is nothing of the kind.

    Examples
    --------
    >>> import errai
    >>> kuhn = errai.extensive_game(errai.load_game("kuhn"))
    >>> [d.num_sets for d in kuhn.decisions], len(kuhn.ends)
    ([6, 6], 30)
    """
    if isinstance(what, ExtensiveGame):
        return what
    rules: Rules
    if isinstance(what, Subject):
        rules = PokerRules(what, menu)
        try:
            refuse_large(rules.betting, rules.root, max_histories)
        except TreeTooLargeError:
            if histories:
                raise
            return merged_game(what, menu)
    elif isinstance(what, RingGame):
        rules = RingRules(what, max_histories)
    elif is_spiel_game(what):
        rules = SpielRules(what)
    elif isinstance(what, Rules) and not isinstance(what, type):
        rules = what
    else:
        raise InputError(
            f"{what!r:.80} is not a game: give one of errai.load_game or pyspiel.load_game, or an object with the "
            "methods start, player, actions, after, information and payoffs."
        )
    return walked_game(rules, title, max_histories=max_histories, histories=histories)


@dataclass(frozen=True, eq=False, repr=False)
class ExtensiveSolution:
    """Strategies of all players of a game that is written out, with their certificate."""

    game: ExtensiveGame
    strategies: tuple[Floats, ...]
    """By player the action probabilities, float64[sequences]."""
    method: str
    status: Status
    iterations: int
    gradients: int
    """How often the method walked over all ends of the game."""
    seconds: float
    curve: Curve
    """float64[k, 4]: iteration, seconds, gradients and exploitability at each measurement."""
    values: tuple[float, ...]
    """What each player wins on average."""
    gains: tuple[float, ...]
    """By how much each player could win more with a best response: an equilibrium up to the largest of them."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<{self.game.title} by {self.method}: {self.status}, exploitability {self.exploitability:.3g}>"

    @property
    def nash_conv(self) -> float:
        """The sum of all gains."""
        return sum(self.gains)

    @property
    def exploitability(self) -> float:
        """The mean of the gains: ``nash_conv`` divided by the number of players."""
        return self.nash_conv / len(self.gains)

    @property
    def bracket(self) -> tuple[float, float] | None:
        """Numbers between which the value of the game for player 0 is; None unless two players share a zero sum.

        Player 0 wins at least the first whatever the other does, and the other's strategy gives no more than the
        second.
        """
        if len(self.values) != 2 or not self.game.is_zero_sum:
            return None
        return -(self.values[1] + self.gains[1]), self.values[0] + self.gains[0]

    def strategy_at(self, player: int, information_set: str) -> dict[str, float]:
        """Return the probability of each action at an information set, which is given by its name.

        Raises :class:`StrategyError` if the player has no such set.
        """
        number = self.game.index[player].get(information_set) if player in range(len(self.game.index)) else None
        if number is None:
            raise StrategyError(
                f"Player {player} of {self.game.title} has no information set {information_set!r:.200}."
            )
        chosen = self.strategies[player][self.game.sequences_of(player, number)]
        return dict(zip(self.game.actions[player][number], chosen.tolist(), strict=True))

    def table(self) -> Iterator[tuple[int, str, dict[str, float]]]:
        """Yield each player, each information set by its name, and the probability of each action by its name."""
        for player, behaviour in enumerate(self.strategies):
            for name, chosen in self.game.table(player, behaviour):
                yield player, name, chosen

    def openspiel_table(self) -> dict[str, list[tuple[int, float]]]:
        """Return the strategy as OpenSpiel's tables have it: by information state, pairs of action and probability.

        The game must come from OpenSpiel.  ``pyspiel.TabularPolicy`` and ``open_spiel.python.policy`` take it.
        """
        return {name: [(int(a), p) for a, p in chosen.items()] for _, name, chosen in self.table()}

    def verify(self) -> bool:
        """Return whether gains and values follow from the strategies, recomputed with nothing of the method."""
        values, gains = certified(self.game, self.strategies)
        within = NEGATIVE * self.game.scale
        return all(
            bool(np.allclose(found, said, rtol=0, atol=within))
            for found, said in ((values, self.values), (gains, self.gains))
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the solution with its game to one file.  Raises what :func:`write_container` raises."""
        arrays: dict[str, np.ndarray] = {f"strategy/{p}": behaviour for p, behaviour in enumerate(self.strategies)}
        # A game with merged hands is made again from its description.
        if not isinstance(self.game, MergedGame):
            arrays |= {"ends": self.game.ends, "payoffs": self.game.payoffs}
            for p, decisions in enumerate(self.game.decisions):
                arrays[f"leading/{p}"] = np.concatenate([np.zeros(0, np.int64), *(b.leading for b in decisions.blocks)])
        blocks = [[[b.num_actions, b.num_sets] for b in d.blocks] for d in self.game.decisions]
        metadata = {
            "title": self.game.title,
            "blocks": blocks,
            "names": self.game.names,
            "actions": self.game.actions,
            "source": dict(self.game.source),
            "digest": self.game.digest(),
            "method": self.method,
            "status": self.status.value,
            "iterations": self.iterations,
            "gradients": self.gradients,
            "seconds": self.seconds,
            "curve": self.curve.tolist(),
            "values": self.values,
            "gains": self.gains,
            "settings": dict(self.settings),
        }
        write_container(Path(path), KIND, metadata, arrays)


def load_extensive(path: str | os.PathLike[str]) -> ExtensiveSolution:
    """Read what :meth:`ExtensiveSolution.save` has written.

    Raises :class:`FileAccessError`, :class:`ForeignFileError`, or :class:`DamagedFileError` if the file is not whole,
    or its parts do not fit together.
    """
    container = open_container(Path(path), KIND)
    data = container.metadata
    try:
        game = _read_game(container)
        if game.digest() != data["digest"]:
            raise DamagedFileError(f"The game in {path} does not match its digest; the file was changed.")
        game.check()
        strategies = [d.check(container.read(f"strategy/{p}"), "The strategy") for p, d in enumerate(game.decisions)]
        return ExtensiveSolution(
            game,
            tuple(strategies),
            data["method"],
            Status(data["status"]),
            data["iterations"],
            data["gradients"],
            data["seconds"],
            Curve.of(data["curve"], COLUMNS),
            tuple(map(float, data["values"])),
            tuple(map(float, data["gains"])),
            data["settings"],
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise DamagedFileError(
            f"{path} does not hold what a solution of a game in extensive form has: {error}."
        ) from error


def _read_game(container: Container) -> ExtensiveGame:
    data = container.metadata
    if "merged" in data["source"]:
        return merged_game(*read_subject(data["source"]["merged"]))
    decisions = []
    for p, sizes in enumerate(data["blocks"]):
        leading, blocks, first, number = container.read(f"leading/{p}"), [], 1, 0
        for actions, sets in sizes:
            blocks.append(Block(first, number, int(actions), leading[number : number + sets]))
            first, number = first + actions * sets, number + sets
        decisions.append(Decisions(tuple(blocks)))
    return ExtensiveGame(
        data["title"],
        tuple(decisions),
        container.read("ends"),
        container.read("payoffs"),
        tuple(tuple(names) for names in data["names"]),
        tuple(tuple(tuple(one) for one in actions) for actions in data["actions"]),
        data["source"],
    )


def certified(game: ExtensiveGame, strategies: tuple[Floats, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the value and the gain of each player.  Raises :class:`CertificateError` if a gain is below 0."""
    plans = [d.plan_of(behaviour) for d, behaviour in zip(game.decisions, strategies, strict=True)]
    values, gains = game.values(plans), game.gains(plans)
    if not np.isfinite([*values, *gains]).all() or min(gains) < -NEGATIVE * game.scale:
        raise CertificateError(f"The players of {game.title} would gain {gains}, which is impossible.")
    return values, tuple(max(gain, 0.0) for gain in gains)


def solve_extensive(
    what: Any,
    target: float | str | None = None,
    *,
    algorithm: str | Schedule = DEFAULT,
    max_iterations: int | None = None,
    seconds: float | None = None,
    stop: StopToken | None = None,
    progress: Callable[[int, float], Any] | None = None,
    measured: Callable[[int], int] | None = None,
    seed: int = 0,
) -> ExtensiveSolution:
    """Solve a game in extensive form by an algorithm until the mean gain of a best response is at most the target.

    With three players and more nothing promises that a method comes closer to an equilibrium.  The gains say how close
    it came: no player alone wins more than that by another strategy; two who change theirs together may.

    Parameters
    ----------
    what:
        What :func:`errai.extensive_game` takes.
    target:
        The exploitability at which the run ends, in the payoffs of the game: the mean of the players' gains.  Without
        it and without a limit it is a thousandth of what is won or lost on average by uniform play.
    algorithm:
        One of :data:`METHODS`, a variant of CFR by name, or an :class:`errai.Schedule`, also one of own code.
    max_iterations, seconds, stop:
        Other ends of the run; the result so far is returned.
    progress:
        Called at each measurement with the iteration and the exploitability.
    measured:
        Gives, for the iteration of a measurement, that of the next one; by default a fifth later.
    seed:
        The seed of methods that sample.

    Raises
    ------
    SolverOptionError, TargetError
        An algorithm, a limit or the target is wrong.
    UnsupportedGameError, TreeTooLargeError
        The method does not solve the game.
    """
    samples = isinstance(algorithm, str) and algorithm in SAMPLING
    game = extensive_game(what, histories=samples)
    aim = _aim(target)
    for name, limit in (("max_iterations", max_iterations), ("seconds", seconds)):
        if limit is not None:
            number_of(limit, name, low=1 if name == "max_iterations" else 0.0, error=SolverOptionError)
    if isinstance(algorithm, str) and algorithm in METHODS:
        run, name = (METHODS[algorithm](game, seed=seed) if samples else METHODS[algorithm](game)), algorithm
    elif isinstance(algorithm, Schedule) or str(algorithm).split(":")[0].lower() in SCHEDULES:
        schedule = find_schedule(algorithm)
        run, name = RegretMinimisation(game, schedule), schedule.name
    else:
        known = ", ".join([*METHODS, *SCHEDULES])
        raise SolverOptionError(
            f"{algorithm!r:.40} is not an algorithm for games in extensive form; take one of {known}."
        )
    if (
        aim is None
        and max_iterations is None
        and seconds is None
        and not isinstance(run, SequenceFormProgram | NormalForm)
    ):
        aim = 1e-3 * game.scale
    follow = measured or (lambda iteration: max(iteration + 1, ceil(APART * iteration)))
    began, due, curve = time.perf_counter(), 1, list[tuple[int, float, int, float]]()
    status = None
    chunk = 1
    while status is None:
        # As many steps at once as take a few hundredths of a second, so that a limit or Ctrl-C is soon seen.
        steps = min(chunk, max(due - run.iteration, 1))
        if max_iterations is not None:
            steps = min(steps, max_iterations - run.iteration)
        started = time.perf_counter()
        run.advance(steps)
        if steps == chunk and time.perf_counter() - started < SOON:
            chunk *= 2
        last = run.is_exact or stops(stop) or (max_iterations is not None and run.iteration >= max_iterations)
        late = seconds is not None and time.perf_counter() - began >= seconds
        if not (last or late) and run.iteration < due:
            continue
        due = follow(run.iteration)
        spent = time.perf_counter() - began
        _, gains = certified(game, tuple(run.average))
        found = sum(gains) / len(gains)
        curve.append((run.iteration, spent, run.gradients, found))
        if progress is not None:
            progress(run.iteration, found)
        if (aim is not None and found <= aim) or (run.is_exact and aim is None):
            status = Status.TARGET_MET
        elif stops(stop):
            status = Status.INTERRUPTED
        elif run.is_exact:
            status = Status.PRECISION_LIMIT
        elif last:
            status = Status.ITERATION_LIMIT
        elif late:
            status = Status.TIME_LIMIT
    strategies = tuple(run.average)
    values, gains = certified(game, strategies)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    settings: dict[str, Any] = {"target": aim, "errai": __version__, "date": now}
    if samples:
        settings["seed"] = seed
    if isinstance(run, RegretMinimisation):
        settings["schedule"] = run.schedule.to_dict()
        settings["regret_bound"] = run.regret_bound()
    return ExtensiveSolution(
        game,
        strategies,
        name,
        status,
        run.iteration,
        run.gradients,
        curve[-1][1],
        Curve.of(curve, COLUMNS),
        values,
        gains,
        settings,
    )


def solve_requested(what: Any, target: str | None, options: Mapping[str, Any]) -> ExtensiveSolution:
    """Solve what :func:`errai.solve` was given, with its options.

    The target of a poker game or a spot may be in its units.  Raises :class:`SolverOptionError` for an option that
    games in extensive form do not take, and what :func:`solve_extensive` raises.
    """
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    takes = ("algorithm", "max_iterations", "seconds", "stop", "progress", "measured", "seed")
    for name in given:
        if name not in (*takes, "menu"):
            raise SolverOptionError(f"{name} cannot be used for a game in extensive form; it takes {', '.join(takes)}.")
    if given.get("progress") is True:
        raise SolverOptionError("progress of a game in extensive form is a function of iteration and exploitability.")
    menu = given.pop("menu", None)
    aim: float | str | None = target
    if isinstance(what, Subject) and target is not None:
        aim = Target.parse(target, Units.of(what, what.initial_pot_chips)).chips
    elif isinstance(what, RingGame) and target is not None:
        aim = Target.parse(target, Units(float(sum(what.blinds)), float(what.big_blind))).chips
    histories = given.get("algorithm") in SAMPLING
    return solve_extensive(extensive_game(what, menu=menu, histories=histories), aim, **given)


def _aim(target: float | str | None) -> float | None:
    """Return a target in the payoffs of a game.  Raises :class:`TargetError`."""
    if target is None:
        return None
    try:
        found = float(target)
    except (TypeError, ValueError):
        found = -1.0
    if not 0.0 < found < float("inf"):
        raise TargetError(
            f"The target of a game in extensive form is a number above 0 in its payoffs, not {target!r:.40}."
        )
    return found
