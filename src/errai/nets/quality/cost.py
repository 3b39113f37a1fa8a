"""The exact cost of a strategy for a first street: how far its player's value falls below the game's value.

A spot solved over a network has a strategy for its first street only.  Player p's first street is locked as it was
solved, and everything else is solved exactly: all decisions of the opponent, and p's decisions after cards are dealt.
The value of that game to p is the value of p's first street with perfect play afterwards, and p's loss is the value of
the whole game less that value.  The loss is 0 for every first street of an equilibrium, and for no other: it is exactly
the exploitability that the leaf values have caused.  The mean over both players is stated in percent of the pot, as
exploitabilities are.

Three solves are needed: one of the whole game, and one with each player locked.  Each is certified: its strategies
guarantee the value up to the exploitability that remains, so the losses have bounds that hold however far the solves
went.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from errai.cards.hands import hand_texts
from errai.engine.loop import Progress
from errai.engine.status import Status
from errai.engine.strategy import node_strategy
from errai.engine.units import Measurement
from errai.errors import InputError, StoppedError
from errai.games.game import Subject
from errai.games.lock_file import LockTables
from errai.kernels.layout import DECISION, FIXED, LEARNS
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution
from errai.solving.estimate import Estimate, estimate
from errai.solving.solve import solve
from errai.tree.locks import Lock, NodeLocks

TARGET = "0.05%pot"
"""Exploitability at which each of the three solves ends; the bounds include what remains."""

CostProgress = Callable[[str, Progress], Any]
"""Called with the name of the running solve and its progress."""

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Cost:
    """The losses of the first streets of a solution, in chips per hand."""

    losses: tuple[Bounds, Bounds]
    """Lower and upper bound of each player's loss; at least 0."""
    value: Bounds
    """Lower and upper bound of the value of the whole game to player 0."""
    loss: Measurement
    """The mean of both players' losses, from the middles of the bounds of the three values."""
    bounds: tuple[Measurement, Measurement]
    """The mean of both players' lower bounds, and that of their upper bounds."""
    seconds: float
    """Seconds of the three solves."""


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
    """Return the losses of a solution's first-street strategies against the game's value.

    Parameters
    ----------
    solution:
        The solution of a spot, a game or a lookahead without rake; cut after its first street, or whole, in which case
        its later streets are ignored.
    target:
        Target exploitability of the exact solves.
    game:
        An exact solution of the whole game, if there is one; by default the game is solved.
    threads, memory, stop:
        As for :func:`errai.solve`.
    progress:
        Called during each solve.

    Raises
    ------
    InputError
        The solution is cut after a later street, its pot is raked, it has locks or a gadget above its root, or ``game``
        is a solution of another game.
    StoppedError
        The token was set before the end.
    TargetError, TreeTooLargeError
        As for :func:`errai.solve`.
    """
    whole = whole_of(solution)
    settings: dict[str, Any] = {"menu": solution.menu, "threads": threads, "memory": memory, "stop": stop}

    def solved(what: str, locks: LockTables | None) -> Solution:
        told = False if progress is None else lambda now: progress(what, now)
        found = solve(whole, target, locks=locks, progress=told, **settings)
        if found.status is Status.INTERRUPTED:
            raise StoppedError("The measurement was stopped before the cost was known; nothing of it is kept.")
        return found

    if game is None:
        game = solved("the whole game", None)
    elif game.depth is not None or game.subject.digest() != whole.digest() or game.menu != solution.menu:
        raise InputError(
            f"The exact solution must be of the same game and menu as the given one; it is of {game.title}."
        )
    first = value_bounds(game, 0)
    seconds, losses = game.seconds, []
    for p, value in enumerate((first, (-first[1], -first[0]))):
        found = solved(f"player {p} locked", first_street(solution, p))
        seconds += found.seconds
        kept = value_bounds(found, p)
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
    """Return the size of the solves of :func:`cost`; ``settings`` are those of :func:`errai.estimate`."""
    return estimate(whole_of(solution), target, menu=solution.menu, **settings)


def whole_of(solution: Solution) -> Subject:
    """Return what a solution is of, without its cut.  Raises :class:`InputError` where :func:`cost` is not defined."""
    subject: Subject = solution.subject
    if solution.depth is not None and solution.depth != subject.first_round:
        raise InputError("The cost of a first street needs a solution that is cut after its first street.")
    if not solution.zero_sum:
        raise InputError("The cost of a first street is defined only where the pot is not raked.")
    if solution.tree.locks is not None or solution.entering is not None:
        raise InputError(
            "The cost of a first street is defined only where nothing is locked and no gadget is above the root."
        )
    return subject.without_cut()


def first_street(solution: Solution, player: int) -> LockTables:
    """Return a player's strategy on the first street of a solution, as locks for :func:`errai.solve`."""
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
    texts = hand_texts(deck, hole_cards)
    cards = tuple(deck.card_text(card) for card in range(deck.num_cards))
    return LockTables(NodeLocks(tree.betting, texts, cards, tuple(locks)).to_dict())


def value_bounds(solution: Solution, player: int) -> Bounds:
    """Return the lower and upper bound of a solved game's value to a player, in chips.

    Against the player's strategy the opponent gets no more than the opponent's current value plus the gain of a best
    response, and vice versa.
    """
    gains, shares = solution.exploitability.by_player, solution.values.chips
    value = shares[player] - sum(shares) / 2.0  # of a spot's pot; in games they cancel
    return value - gains[1 - player], value + gains[player]
