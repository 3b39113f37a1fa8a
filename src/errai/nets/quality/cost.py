"""What a strategy for a first street costs, exactly: how much worse off it leaves its player than the game is worth.

A spot solved over a network has a strategy for its first street and none below.  Player p's first street is locked, as
it was solved, and everything else is solved exactly: all that the opponent does, and what p does once cards are dealt.
The value of that game to p is what his first street is good for with perfect play behind it; what the whole game is
worth to him less that is its loss.  The loss is 0 for every first street of an equilibrium, and for no other: it is the
exploitability that the values below the cut have caused, and nothing else.  The mean over both players is told in
percent of the pot, as exploitabilities are.

Three solves are needed, of the whole game and with either player locked.  Each is certified: its strategies guarantee
the value up to what either player could still gain, so that losses come with bounds that hold whatever was left to
learn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errai.cards.hands import hand_text
from errai.engine.loop import Progress
from errai.engine.status import Status
from errai.engine.strategy import node_strategy
from errai.engine.units import Measurement
from errai.errors import InputError, StoppedError
from errai.games.hand import first_round_of
from errai.games.lock_file import LockTables
from errai.games.lookahead import Lookahead, Solvable
from errai.kernels.layout import DECISION, FIXED, LEARNS
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution
from errai.solving.estimate import Estimate, estimate
from errai.solving.solve import solve
from errai.tree.locks import Lock, NodeLocks

TARGET = "0.05%pot"
"""Exploitability at which each of the three solves ends; what is left of it is in the bounds."""

CostProgress = Callable[[str, Progress], Any]
"""Told which solve is running, and how far it is."""

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Cost:
    """What the first streets of a solution lose, in chips per hand."""

    losses: tuple[Bounds, Bounds]
    """Of each player, at least and at most; at least 0."""
    value: Bounds
    """What the whole game is worth to player 0, at least and at most."""
    loss: Measurement
    """The mean of both players' losses, from the middles of what the three games are worth."""
    bounds: tuple[Measurement, Measurement]
    """The mean of both at least and at most."""
    seconds: float
    """Of the three solves."""


def cost(
    solution: Solution,
    target: str = TARGET,
    *,
    game: Solution | None = None,
    threads: int | None = None,
    memory: int | None = None,
    stop: StopToken | None = None,
    progress: CostProgress | None = None,
) -> Cost:
    """What the strategies of a solution's first street lose against the game's value.

    Parameters
    ----------
    solution:
        Of a spot, a game or a lookahead without rake; cut after its first street, or whole, in which case what it does
        on later streets is not looked at.
    target:
        Of the exact solves.
    game:
        An exact solution of the whole game that is at hand; by default it is solved.
    threads, memory, stop:
        As for :func:`errai.solve`.
    progress:
        Told of each solve.

    Raises
    ------
    InputError
        The solution is cut after a later street, its pot is raked, something is locked in it or stands above it, or
        ``game`` is of something else.
    StoppedError
        The token was set before the end.
    TargetError, TreeTooLargeError
        As :func:`errai.solve`.
    """
    whole = whole_of(solution)
    settings: dict[str, Any] = {"menu": solution.menu, "threads": threads, "memory": memory, "stop": stop}

    def solved(what: str, locks: LockTables | None) -> Solution:
        told = False if progress is None else lambda now: progress(what, now)
        found = solve(whole, target, locks=locks, progress=told, **settings)
        if found.status is Status.INTERRUPTED:
            raise StoppedError("It was stopped before the cost was known; nothing of it is kept.")
        return found

    if game is None:
        game = solved("the whole game", None)
    elif game.depth is not None or game.subject.digest() != whole.digest() or game.menu != solution.menu:
        raise InputError("The exact solution is of something else than the one whose cost is asked for.")
    first = _value_of(game, 0)
    seconds, losses = game.seconds, []
    for p, value in enumerate((first, (-first[1], -first[0]))):
        found = solved(f"player {p} locked", first_street(solution, p))
        seconds += found.seconds
        kept = _value_of(found, p)
        losses.append((value[0] - kept[1], value[1] - kept[0]))
    middle = sum(max(least + most, 0.0) / 4.0 for least, most in losses)
    first_loss, second_loss = ((max(least, 0.0), max(most, 0.0)) for least, most in losses)
    least, most = ((first_loss[i] + second_loss[i]) / 2.0 for i in (0, 1))
    units = solution.units
    return Cost(
        losses=(first_loss, second_loss),
        value=first,
        loss=Measurement(middle, units),
        bounds=(Measurement(least, units), Measurement(most, units)),
        seconds=seconds,
    )


def cost_estimate(solution: Solution, target: str = TARGET, **settings: Any) -> Estimate:
    """How large the solves of :func:`cost` are; ``settings`` are those of :func:`errai.estimate`."""
    return estimate(whole_of(solution), target, menu=solution.menu, **settings)


def whole_of(solution: Solution) -> Solvable:
    """What a solution is of, to its end.  Raises :class:`InputError` where :func:`cost` cannot be asked of it."""
    subject: Solvable = solution.subject
    if solution.depth is not None and solution.depth != first_round_of(subject):
        raise InputError("The cost of a first street is asked of a solution that is cut after its first street.")
    if not solution.zero_sum:
        raise InputError("What a strategy loses is told where the pot is not raked.")
    if solution.tree.locks is not None or solution.entering is not None:
        raise InputError("What a strategy loses is told where nothing is locked and nothing stands above the root.")
    return replace(subject, depth=None) if isinstance(subject, Lookahead) else subject


def first_street(solution: Solution, player: int) -> LockTables:
    """What all hands of a player do on the first street of a solution, as locks for :func:`errai.solve`."""
    tree, deck = solution.tree, solution.deck
    hole_cards, count = tree.root.hands.shape[1], len(tree.root.hands)
    hands = tree.deal.streets[0].hands[player]
    class_of = np.repeat(np.arange(len(hands.hand)), np.diff(hands.member_start))
    role = np.full(count, LEARNS, dtype=np.uint8)
    role[hands.member] = FIXED
    locks = []
    for node in tree.betting.street_nodes(0):
        if tree.betting.kind[node] == DECISION and tree.betting.actor[node] == player:
            rows = node_strategy(tree, solution.strategy, 0, 0, node)
            given = np.zeros((len(rows), count))
            given[:, hands.member] = rows[:, class_of]
            locks.append(Lock(int(node), (), role, given))
    texts = tuple(hand_text(deck, i, hole_cards) for i in range(count))
    cards = tuple(deck.card_text(card) for card in range(deck.num_cards))
    return LockTables(NodeLocks(tree.betting, texts, cards, tuple(locks)).to_dict())


def _value_of(solution: Solution, player: int) -> Bounds:
    """What a game that was solved is worth to a player, in chips, at least and at most.

    Against his strategy the opponent gets no more than he gets now and what he could still gain, and the other way
    round.
    """
    gains, shares = solution.exploitability.by_player, solution.values.chips
    value = shares[player] - sum(shares) / 2.0  # of a spot's pot; in games they cancel
    return value - gains[1 - player], value + gains[player]
