"""From a public state to the nodes of a betting tree and back: how a strategy made for some bet sizes answers any bet.

A bet that the tree has leads to its node.  Any other bet is *translated* to one of its neighbours in the tree, by a
mapping of :mod:`errai.abstraction.translation`.  A randomised mapping gives several *readings* of a line, each with its
probability; :func:`mixed_choices` combines them into one strategy.  After a translation the tree's pot differs from the
real one, so bets are compared, and made, as shares of the pot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.translation import Translation, translate
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.game import Subject
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to
from errai.games.lookahead import follows
from errai.running.recent import Recent
from errai.strategies.strategy import Choices, merged_choices
from errai.tree.betting_tree import BettingTree, NodeKind

OFF_TREE = -1
"""The tree has ended, or another player acts there than in the real hand."""

REMEMBERED_LINES = 100_000
MOST_READINGS = 64
"""If a line has more readings, only the most likely are kept."""

HALF_A_PART = 0.5 + 1e-9
"""Bets that differ by at most this are equal: those of the tree are rounded to whole parts of a chip at another pot."""


def total_in(betting: BettingTree, child: int, state: PublicState) -> int:
    """Return the total of a bet of a tree as a real hand counts it, which may divide a chip into more parts."""
    return int(betting.action_total[child]) * state.subject.unit // betting.unit


def action_in(betting: BettingTree, child: int, state: PublicState) -> Action:
    """Return the action in a real hand that leads to a child of a decision in a tree with the same chips.

    In the tree the shorter stack is all-in; a longer one may put in more, to no effect, and its bet may then be less
    than the smallest legal one.
    """
    kind = ActionKind(int(betting.action_kind[child]))
    if kind == ActionKind.RAISE and (allowed := state.betting.legal().raise_range) is not None:
        total = allowed[1] if betting.is_all_in(child) else total_in(betting, child, state)
        return raise_to(min(max(total, allowed[0]), allowed[1]))
    return FOLD if kind == ActionKind.FOLD else CALL


@dataclass(frozen=True, slots=True)
class OwnStep:
    """An earlier decision of the player to act, in one reading."""

    place: int
    """Position of the decision in the line."""
    node: int
    """Node of the decision in the reading, or ``OFF_TREE``."""
    taken: int
    """The number of the tree's action that was taken, or -1 if no action of the tree equals it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One of the lines of the tree to which a line of bets may be translated."""

    node: int
    """The node at which it ends, or ``OFF_TREE``."""
    chance: float
    """Probability of the translations that lead there."""
    own: tuple[OwnStep, ...] = ()
    """The player's own decisions since the readings diverged; earlier ones are the same in all of them."""


Rows = Callable[[int, PublicState], NDArray[np.float64]]
"""Maps a node, or ``OFF_TREE``, and a public state to float64[S, A]: the probabilities of the node's actions with some
hands, always the same ones; off the tree A = 1, and all hands that can be held call."""


class TreeWalk:
    """Finds the nodes of a betting tree.

    Parameters
    ----------
    betting:
        The tree.
    translation:
        How a bet that the tree lacks is translated.
    small_bets:
        Whether a bet may also be translated to a check or call, as a bet of nothing, if the other player acts next on
        the same street either way, which is the case at a player's first action of a street.
    subject:
        What the tree is of; it may be left out for a game or a spot.  The tree of a lookahead begins at its state.
    """

    def __init__(
        self,
        betting: BettingTree,
        translation: Translation | str = Translation.NEAREST_PSEUDO_HARMONIC,
        *,
        small_bets: bool = False,
        subject: Subject | None = None,
    ) -> None:
        self.start = None if subject is None else subject.state
        self.betting = betting
        self.translation = read_translation(translation)
        self.small_bets = small_bets
        self._found: Recent[tuple[object, ...], tuple[Reading, ...]] = Recent(REMEMBERED_LINES)

    def readings(self, state: PublicState) -> tuple[Reading, ...]:
        """Return the lines of the tree to which the line of a state may be translated; there is always one.

        An action of the player to act that its own strategy never takes is translated like the opponent's.  Raises
        :class:`StrategyError` if the state does not come after a lookahead's.
        """
        if self.start is not None and not follows(state, self.start):
            raise StrategyError("The state does not come after the one at which the strategy's tree begins.")
        # Hands of spots that differ in pot, stacks or parts of a chip may have the same actions.
        rules, dead_chips = state.betting.game, state.subject.dead_chips
        return self._found.get_or_make((state.actions, rules.stacks, rules.unit, dead_chips), lambda: self._read(state))

    def node(self, state: PublicState) -> int:
        """Return the decision node of a public state in its most likely reading, or ``OFF_TREE``."""
        return max(self.readings(state), key=lambda reading: reading.chance).node

    def child(self, node: int, state: PublicState, action: Action) -> int:
        """Return the child of a decision node to which an action leads; the likeliest one if the tree lacks the bet."""
        return max(self.translated(node, state, action), key=lambda way: way[1])[0]

    def actions(self, node: int, state: PublicState) -> list[Action]:
        """Return the actions at a node as they are made in the real hand; several may be equal."""
        if node == OFF_TREE:
            return [CALL]
        betting = self.betting
        legal = state.betting.legal()
        found = []
        for child in betting.children(node):
            kind, total = int(betting.action_kind[child]), total_in(betting, child, state)
            if kind == ActionKind.RAISE and legal.raise_range is not None:
                least, most = legal.raise_range
                if betting.is_all_in(child):
                    total = most
                elif not self._same_chips(node, state):
                    faced, pot = max(state.betting.spent), self._pot_after_call(state)
                    total = faced + round(self._share(node, child) * pot)
                found.append(raise_to(min(max(total, least), most)))
            else:
                found.append(FOLD if kind == ActionKind.FOLD and legal.fold else CALL)
        return found

    def translated(self, node: int, state: PublicState, action: Action) -> list[tuple[int, float]]:
        """Return the children of a decision node to which an action may be translated, each with its probability."""
        if node == OFF_TREE:
            return [(OFF_TREE, 1.0)]
        betting = self.betting
        children = betting.children(node)
        if action.kind != ActionKind.RAISE:
            same = [c for c in children if betting.action_kind[c] == action.kind]
            # A fold that the tree does not offer ends the hand, so its node is never used.
            return [(same[0] if same else children[0], 1.0)]
        raises = [c for c in children if betting.action_kind[c] == ActionKind.RAISE]
        calls = [c for c in children if betting.action_kind[c] == ActionKind.CALL]
        if not raises:
            return [(calls[0], 1.0)]
        in_step = self._same_chips(node, state)
        for child in raises:
            if in_step and total_in(betting, child, state) == action.total:
                return [(child, 1.0)]
        most = state.betting.legal().raise_range
        if most is not None and action.total == most[1] and betting.action_total[raises[-1]] == betting.all_in_total:
            return [(raises[-1], 1.0)]
        pot = self._pot_after_call(state)
        x = (action.total - max(state.betting.spent)) / pot
        shares = [self._share(node, child) for child in raises]
        near = HALF_A_PART * state.subject.unit / betting.unit
        for child, share in zip(raises, shares, strict=True):
            if not in_step and abs(share - x) * pot < near:
                return [(child, 1.0)]
        if self.small_bets and calls and betting.kind[calls[0]] == NodeKind.DECISION:
            raises, shares = [calls[0], *raises], [0.0, *shares]
        found = translate(x, shares, self.translation)
        ways = [(raises[found.lower], found.probability), (raises[found.upper], 1.0 - found.probability)]
        return [way for way in ways if way[1] > 0.0]

    def _read(self, state: PublicState) -> tuple[Reading, ...]:
        """Walk the line from the root; the tree must agree about the player who acts and the street."""
        readings = [Reading(self.betting.after_chance(0), 1.0)]
        before = PublicState.start(state.subject) if self.start is None else self.start
        first = len(before.line)
        for place, action in enumerate(state.line[first:], first):
            parted: list[Reading] = []
            for reading in readings:
                if before.betting.actor == state.betting.actor:
                    parted += self._own(reading, before, action, place)
                else:
                    ways = self.translated(reading.node, before, action)
                    parted += [Reading(child, reading.chance * chance, reading.own) for child, chance in ways]
            readings = parted
            if len(readings) > MOST_READINGS:
                readings = sorted(readings, key=lambda reading: -reading.chance)[:MOST_READINGS]
            if len(readings) == 1 and readings[0].own:
                readings = [replace(readings[0], own=())]
            before = before.ahead(action)
            readings = [replace(reading, node=self.arrived(reading.node, before)) for reading in readings]
        return tuple(readings)

    def _own(self, reading: Reading, before: PublicState, action: Action, place: int) -> list[Reading]:
        """Return what a reading becomes after an action of the player to act: its own strategy decides, not chance."""
        node = reading.node
        comes_to = [i for i, made in enumerate(self.actions(node, before)) if made == action]
        if comes_to:
            children = [OFF_TREE] if node == OFF_TREE else self.betting.children(node)
            return [Reading(children[i], reading.chance, (*reading.own, OwnStep(place, node, i))) for i in comes_to]
        own = (*reading.own, OwnStep(place, node, -1))
        return [Reading(child, reading.chance * chance, own) for child, chance in self.translated(node, before, action)]

    def arrived(self, node: int, after: PublicState) -> int:
        """Return where a node leads after the deal; off the tree unless the same player acts on the same street."""
        if node == OFF_TREE:
            return OFF_TREE
        betting = self.betting
        node = betting.after_chance(node)
        first_round = after.first_round if self.start is None else self.start.betting.round
        same_street = int(betting.street[node]) == after.betting.round - first_round
        same_actor = betting.kind[node] == NodeKind.DECISION and betting.actor[node] == after.betting.actor
        return node if same_actor and same_street else OFF_TREE

    def _same_chips(self, node: int, state: PublicState) -> bool:
        """Return whether the same chips are in as in the tree, so that no bet has been translated."""
        tree = self.betting.contributions[node] * state.subject.unit
        # Parts are whole or, in a spot with an odd pot, halves.
        return bool(np.abs(tree - state.betting.spent - state.dead_parts).max() < 0.25)

    def _share(self, node: int, child: int) -> float:
        """Return what a raise puts in above the bet faced, as a share of the pot after a call, in the tree."""
        before, after = (float(self.betting.contributions[n].max()) * self.betting.unit for n in (node, child))
        return (after - before) / max(2.0 * before, 1.0)

    @staticmethod
    def _pot_after_call(state: PublicState) -> float:
        return max(state.called_pot, 1.0)


def mixed_choices(walk: TreeWalk, state: PublicState, rows: Rows) -> Choices:
    """Return a tree strategy's choices at any public state, of the hands of ``rows``: a mixture over all readings.

    A player who draws the translation of each bet, remembers it, and follows the tree's strategy plays a mixed
    strategy. By Kuhn's theorem there is an equivalent behaviour strategy: at each state, with each hand, the mean over
    the readings, each weighted by its probability times the probability with which the strategy took the player's own
    actions in it. This function returns that strategy.  So nothing has to be remembered, no draw depends on the hand
    held, and ``strategy`` and ``act`` are the same strategy.

    A hand with which the strategy reaches the state in no reading gets the mean by the readings' probabilities alone.
    """
    readings = walk.readings(state)
    if len(readings) == 1:
        node = readings[0].node
        return merged_choices(walk.actions(node, state), rows(node, state))
    states = [replace(b, board=state.board[: b.betting.game.board_cards_in(b.betting.round)]) for b, _ in state.steps()]
    found = [rows(reading.node, state) for reading in readings]
    weights = np.empty((len(readings), len(found[0])))
    for weight, reading in zip(weights, readings, strict=True):
        weight[:] = reading.chance
        for step in reading.own:
            weight *= rows(step.node, states[step.place])[:, step.taken] if step.taken >= 0 else 0.0
    total = weights.sum(axis=0)
    chances = np.array([reading.chance for reading in readings])[:, None]
    shares = np.where(total > 0.0, weights, chances) / np.where(total > 0.0, total, chances.sum())
    actions = [action for reading in readings for action in walk.actions(reading.node, state)]
    mixed = np.concatenate([share[:, None] * row for share, row in zip(shares, found, strict=True)], axis=1)
    # A hand outside a spot's range has a strategy only off the tree.
    sums = mixed.sum(axis=1, keepdims=True)
    order = sorted(range(len(actions)), key=actions.__getitem__)
    return merged_choices([actions[i] for i in order], mixed[:, order] / np.where(sums > 0.0, sums, 1.0))


def probability_of(choices: Choices, state: PublicState, action: Action) -> NDArray[np.float64] | float:
    """Return float64[H]: how often each hand takes an action; a raise that the choices lack counts as the nearest one.

    The nearest is that of the hard pseudo-harmonic mapping (:mod:`errai.abstraction.translation`).  If there is no
    raise among the choices, the result is 1: then the action says nothing about the hand.
    """
    if action in choices.actions:
        return choices.probabilities[:, choices.actions.index(action)]
    raises = sorted(a for a in choices.actions if a.kind == ActionKind.RAISE)
    if action.kind != ActionKind.RAISE or not raises:
        return 1.0
    faced, pot = max(state.betting.spent), state.called_pot
    shares = [(a.total - faced) / pot for a in raises]
    found = translate((action.total - faced) / pot, shares, Translation.NEAREST_PSEUDO_HARMONIC)
    nearest = raises[found.pick(0.5)]
    return choices.probabilities[:, choices.actions.index(nearest)]


def read_translation(text: Translation | str) -> Translation:
    """Return a translation by its name.  Raises :class:`StrategyError` if there is none."""
    try:
        return Translation(text)
    except ValueError:
        raise StrategyError(f"There is no translation {text!r}; choose one of {', '.join(Translation)}.") from None
