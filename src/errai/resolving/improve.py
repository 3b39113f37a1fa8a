"""The self-improver: bets that opponents made and the strategy lacked become branches, re-solved safely.

Method: Brown and Sandholm, "Superhuman AI for heads-up no-limit poker: Libratus beats top professionals" (Science 359,
2018).  Their program's third part added, each night, the bet sizes that its opponents had used most and that were
furthest from its own, at the lines where they were used; the new branches were solved against the values of the old
strategy and spliced in.

Here the bets are counted in hands that were played.  A bet is worth a branch by how often it was made, by the pot after
it, and by how much it differs from the nearest bet of the tree.  The answer to it is solved to the end of the game, or
of the street over leaf values, on every board up to a renaming of suits.  The gadget holds each of the bettor's hands
to its value *before* the bet: the best that the hand can win with the actions that the strategy knows.  So the new bet
wins no more than those, up to the accuracy of the solves, whatever else the opponent does.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median_low
from typing import Any

import numpy as np

from errai.errors import InputError
from errai.games.betting import ActionKind
from errai.games.hand import Action, PlayedHand, PublicState, line_text, raise_to
from errai.games.lookahead import lookahead
from errai.games.sizing import BetMenu
from errai.resolving.below import ValuesBelow
from errai.resolving.gadgets import find_method
from errai.resolving.gadgets.method import Method
from errai.resolving.improved import Branch, Improved
from errai.resolving.resolve import TARGET, solve_subgame
from errai.resolving.subgame import Ranges, Subgame
from errai.resolving.values import menu_of_known, ranges_at, subgame_at
from errai.running.stopping import StopToken, stops
from errai.solving.solve import solve
from errai.strategies.suits import SuitsAlike

ALIKE = 1.1
"""Bets at one line whose chips differ by at most this factor become one branch, with the median of them."""

NIGHT = 3
"""Branches that are added at once, as many as Libratus added in a night."""

MOST_BOARDS = 500
"""A line with more boards than this before it is not improved: its bets are for re-solving while playing.  So hold'em
is improved before the flop."""


@dataclass(frozen=True)
class Missed:
    """A bet that was made, and that a strategy lacks."""

    line: tuple[Action, ...]
    """The actions before it."""
    total: int
    """The chips to which the bet raises what the player has put in on the street, as in :class:`Action`."""
    count: int
    """How often it was made."""
    worth: float
    """The sum of pots after it, in chips, times its relative difference from the nearest bet of the tree."""
    round: int
    """The round in which it was made."""

    @property
    def action(self) -> Action:
        """The bet."""
        return raise_to(self.total)

    @property
    def text(self) -> str:
        """The bet and the line before it in words."""
        return f"raise to {self.total:,} after {line_text(self.line) or 'nothing'}"

    def to_dict(self) -> dict[str, Any]:
        """Return the bet as JSON values."""
        return {"line": line_text(self.line), "total": self.total, "count": self.count, "worth_chips": self.worth}


def missed_bets(improved: Improved, hands: Iterable[PlayedHand]) -> list[Missed]:
    """Return the bets in some hands that a strategy lacks, the most valuable first.

    Only the first such bet of a hand counts, because what follows depends on the answer to it.  Raises
    :class:`InputError` for a hand of another game.
    """
    made: dict[tuple[Action, ...], list[tuple[int, float, PublicState]]] = defaultdict(list)
    representative = _representatives(improved)
    for hand in hands:
        if hand.subject.rules.digest() != improved.subject.rules.digest():
            raise InputError(
                f"Hand {hand.number} is of {hand.subject.rules.label}, not of {improved.subject.rules.label}."
            )
        for real, action in hand.moments():
            state = replace(real, board=representative(real.board))
            if action.kind != ActionKind.RAISE or improved.has_bet(state, action):
                continue
            pot = float(state.after(action).pot_chips)
            made[state.line].append((action.total, pot * _difference(improved, state, action), state))
            break
    found = []
    for line, bets in made.items():
        for alike in _alike(sorted(bets, key=lambda bet: bet[0])):
            total = median_low([total for total, *_ in alike])
            worth = sum(worth for _, worth, _ in alike)
            found.append(Missed(line, total, len(alike), worth, alike[0][2].betting.round))
    return sorted(found, key=lambda bet: (-bet.worth, bet.total))


def improve(
    improved: Improved,
    hands: Iterable[PlayedHand],
    *,
    most: int = NIGHT,
    method: Method | str = "resolve",
    menu: BetMenu | str | None = None,
    below: ValuesBelow | None = None,
    seconds: float | None = None,
    stop: StopToken | None = None,
    progress: Callable[[Missed, int, int], Any] | None = None,
    threads: int = 1,
    target: str = TARGET,
) -> tuple[Improved, list[Missed]]:
    """Add branches for the most valuable bets that opponents made and a strategy lacks.

    Parameters
    ----------
    improved:
        The strategy so far.
    hands:
        What was played.  Bets of the strategy itself are in its tree, so all players' bets are counted.
    most:
        The most branches to add.
    method:
        The method of :mod:`errai.resolving.gadgets` by which a branch is solved.
    menu:
        Bet sizes of a branch; by default those of the old strategy, or the pot and all-in.
    below:
        Values at the end of a street, for games whose rest cannot be solved.  A branch then ends with its street, and
        the values before the bet are estimates: those of a lookahead there with the strategy's ranges, over the same
        values.  By default branches go to the end of the game, and the values are those of a best response to the
        strategy, which is laid out on the whole rest of the game.
    seconds:
        No branch is begun after this time.
    stop:
        Ends before the next subgame; a branch that is not complete on all boards is not added.
    progress:
        Called with the bet, the number of its subgames that are solved, and of all.
    threads, target:
        Of each solve, as for :func:`errai.solve`.

    Returns
    -------
    Improved, list of Missed
        The strategy with its new branches, and the bets that they answer.

    Raises :class:`InputError` for a hand of another game or ``most`` below 1, and what the solves raise.
    """
    if most < 1:
        raise InputError(f"At least 1 branch must be added, not {most}.")
    began = time.monotonic()
    added: list[Missed] = []
    bets = menu_of_known(improved.known) if menu is None else menu
    solver = _Solver(find_method(method), bets, below, {"target": target, "threads": threads})
    for bet in missed_bets(improved, hands):
        if len(added) == most or stops(stop) or (seconds is not None and time.monotonic() - began >= seconds):
            break
        states = _states(improved, bet)
        branches: list[Branch] = []
        for done, state in enumerate(states):
            if progress is not None:
                progress(bet, done, len(states))
            if stops(stop):
                return improved, added
            branches += solver.answers(improved, state, bet.action)
        if branches:
            improved = improved.with_branches(branches)
            added.append(bet)
    return improved, added


@dataclass(frozen=True)
class _Solver:
    """How branches are solved; see :func:`improve`."""

    method: Method
    menu: BetMenu | str | None
    below: ValuesBelow | None
    settings: dict[str, Any]

    def answers(self, improved: Improved, before: PublicState, bet: Action) -> list[Branch]:
        """Solve the answer to a bet on one board; nothing where the player never comes there."""
        player, after = 1 - before.actor, before.after(bet)
        known = improved if improved.branches else improved.known
        subgame = subgame_at(known, after, player) if self.below is None else self._estimated(improved, before, bet)
        own, theirs = subgame.ranges[player], subgame.ranges[1 - player]
        if not own.any():
            return []
        if not theirs.any():
            theirs = subgame.possible.astype(np.float64)
            subgame = replace(subgame, ranges=(own, theirs) if player == 0 else (theirs, own))
        found = solve_subgame(subgame, self.method, menu=self.menu, **self._cut(after, subgame.ranges, player))
        facts = {
            "method": self.method.name,
            "exploitability_chips": found.exploitability.chips,
            "iterations": found.iterations,
            "seconds": round(found.seconds, 3),
        }
        return [Branch.of(found, player, facts, suits_alike=improved.suits_alike)]

    def _estimated(self, improved: Improved, before: PublicState, bet: Action) -> Subgame:
        """Return the subgame after a bet, with the bettor's values before it estimated by a lookahead there."""
        bettor, ranges = before.actor, ranges_at(improved, before)
        cut = self._cut(before, ranges, 1 - bettor)
        rest = lookahead(before.subject, before, ranges, cut.pop("depth"), menu=self.menu)
        values = solve(rest, **cut).root.counterfactual(bettor, best=True)
        return Subgame(before.after(bet), 1 - bettor, ranges, np.nan_to_num(values))

    def _cut(self, state: PublicState, ranges: Ranges, player: int) -> dict[str, Any]:
        """Return the options of a solve at a state, with the values below where it is cut."""
        if self.below is None:
            return {**self.settings, "depth": None}
        rest = lookahead(state.subject, state, ranges, menu=self.menu)
        return {**self.settings, "depth": "street", "leaf_values": self.below.leaf_values(rest, player)}


def _states(improved: Improved, bet: Missed) -> list[PublicState]:
    """Return the states in which a bet is made, on each board up to a renaming of suits; none if these are too many."""
    start, game = PublicState.start(improved.subject), improved.subject.rules
    counts = game.num_board_cards[start.first_round + 1 : bet.round + 1]
    representative = _representatives(improved)
    boards: set[tuple[int, ...]] = set()
    for board in _boards(game.deck.num_cards, start.board, counts):
        boards.add(representative(board))
        if len(boards) > MOST_BOARDS:
            return []
    found = []
    for board in sorted(boards):
        state = start.dealt(board)
        for action in bet.line:
            state = state.after(action).dealt(board)
        found.append(state)
    return found


def _boards(cards: int, board: tuple[int, ...], counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all boards after some streets, with the cards of each street ascending."""
    if not counts:
        yield board
        return
    for new in combinations([card for card in range(cards) if card not in board], counts[0]):
        yield from _boards(cards, (*board, *new), counts[1:])


def _representatives(improved: Improved) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
    """Return a function of a board that gives the one on which the strategy's branches for it stand."""
    if not improved.suits_alike:
        return lambda board: board
    alike = SuitsAlike(improved, improved.subject)
    return lambda board: alike.representative(board)[0]


def _difference(improved: Improved, state: PublicState, action: Action) -> float:
    """Return 1 less the ratio of a bet to the nearest bet of the tree, both as shares of the pot after calling."""
    betting = state.betting
    known = [a.total for a in improved.strategy(state).actions if a.kind == ActionKind.RAISE]
    to_call = max(betting.spent)
    own = action.total - to_call
    sizes = [max(total - to_call, 1) for total in known] or [max(int(state.called_pot), 1)]
    return 1.0 - max(min(own, size) / max(own, size) for size in sizes)


def _alike(bets: list[tuple[int, float, PublicState]]) -> Iterator[list[tuple[int, float, PublicState]]]:
    """Yield groups of bets, sorted by their chips, of which the greatest is at most ``ALIKE`` times the smallest."""
    group: list[tuple[int, float, PublicState]] = []
    for bet in bets:
        if group and bet[0] > ALIKE * group[0][0]:
            yield group
            group = []
        group.append(bet)
    if group:
        yield group
