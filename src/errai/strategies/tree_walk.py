"""From a public state to the nodes of a betting tree and back: how a strategy made for some bet sizes meets any bet.

A bet that the tree has leads to its node.  Another one is *translated*: it is taken for one of its neighbours in the
tree, by a mapping of :mod:`errai.abstraction.translation`.  A mapping that draws makes several *readings* of a line,
each with its probability; :func:`mixed_choices` makes one strategy of them.  From then on the tree's pot differs from
the real one, and bets are compared, and made, as shares of the pot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.translation import Translation, translate
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to
from errai.games.lookahead import Lookahead, Solvable
from errai.games.sizing import BetMenu
from errai.games.spot import Spot
from errai.strategies.strategy import Choices, merged_choices
from errai.tree.betting_tree import (
    BettingTree,
    NodeKind,
    build_betting_tree,
    build_lookahead_betting_tree,
    build_spot_betting_tree,
)

OFF_TREE = -1
"""The tree has ended, or somebody else acts there than in the hand that is played."""

REMEMBERED_LINES = 100_000
MOST_READINGS = 64
"""Of more readings of one line the likeliest are kept."""

HALF_A_CHIP = 0.5 + 1e-9
"""Bets that are so near are the same: the tree's, rounded to whole chips at another pot."""


@dataclass(frozen=True, slots=True)
class OwnStep:
    """An earlier decision of the player who is asked, in one reading."""

    place: int
    """Of the decision in the line."""
    node: int
    """Where the reading had it, or ``OFF_TREE``."""
    taken: int
    """The number of the tree's action that was taken, or -1 where the strategy has nothing that comes to it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One of the lines of the tree that a line of bets may be taken for."""

    node: int
    """Where it ends, or ``OFF_TREE``."""
    chance: float
    """How likely the translations are that lead there."""
    own: tuple[OwnStep, ...] = ()
    """The player's own decisions since the readings parted; before that they are the same in all of them."""


Rows = Callable[[int, PublicState], NDArray[np.float64]]
"""A node, or ``OFF_TREE``, and a public state to float64[S, A]: the probabilities of the node's actions with some
hands, the same ones always; off the tree all hands that can be held call, A = 1."""


class TreeWalk:
    """Finds nodes of one betting tree.

    Parameters
    ----------
    betting:
        The tree.
    translation:
        What a bet that the tree does not have is taken for.
    small_bets:
        Whether a bet may also be taken for a check or call, as if that were a bet of nothing, where the other player
        acts next on the same street either way: at a player's first action of a street.
    """

    def __init__(
        self,
        betting: BettingTree,
        translation: Translation | str = Translation.NEAREST_PSEUDO_HARMONIC,
        *,
        small_bets: bool = False,
    ) -> None:
        self.betting = betting
        self.translation = read_translation(translation)
        self.small_bets = small_bets
        self._found: dict[tuple[tuple[Action, ...], ...], tuple[Reading, ...]] = {}

    def readings(self, state: PublicState) -> tuple[Reading, ...]:
        """The lines of the tree that the line of a state may be taken for; there is always one.

        Where the player who acts has done what the strategy never does, his action is translated like another's.
        """
        key = state.actions
        if key not in self._found:
            if len(self._found) >= REMEMBERED_LINES:
                self._found.clear()
            self._found[key] = self._read(state)
        return self._found[key]

    def node(self, state: PublicState) -> int:
        """The decision node that stands for a public state in its likeliest reading, or ``OFF_TREE``."""
        return max(self.readings(state), key=lambda reading: reading.chance).node

    def child(self, node: int, state: PublicState, action: Action) -> int:
        """The child of a decision node that an action leads to, the likeliest where the tree does not have the bet."""
        return max(self.translated(node, state, action), key=lambda way: way[1])[0]

    def actions(self, node: int, state: PublicState) -> list[Action]:
        """What the actions at a node are in the hand that is played; several may come out as the same."""
        if node == OFF_TREE:
            return [CALL]
        betting = self.betting
        legal = state.betting.legal()
        found = []
        for child in betting.children(node):
            kind, total = int(betting.action_kind[child]), int(betting.action_total[child])
            if kind == ActionKind.RAISE and legal.raise_range is not None:
                least, most = legal.raise_range
                if total == betting.all_in_total:
                    total = most
                elif not self._same_chips(node, state):
                    faced, pot = max(state.betting.spent), self._pot_after_call(state)
                    total = faced + round(self._share(node, child) * pot)
                found.append(raise_to(min(max(total, least), most)))
            else:
                found.append(FOLD if kind == ActionKind.FOLD and legal.fold else CALL)
        return found

    def translated(self, node: int, state: PublicState, action: Action) -> list[tuple[int, float]]:
        """The children of a decision node that an action may be taken for, each with its probability."""
        betting = self.betting
        children = betting.children(node)
        if action.kind != ActionKind.RAISE:
            same = [c for c in children if betting.action_kind[c] == action.kind]
            # A fold that the tree does not offer ends the hand; where it leads is never asked.
            return [(same[0] if same else children[0], 1.0)]
        raises = [c for c in children if betting.action_kind[c] == ActionKind.RAISE]
        calls = [c for c in children if betting.action_kind[c] == ActionKind.CALL]
        if not raises:
            return [(calls[0], 1.0)]
        in_step = self._same_chips(node, state)
        for child in raises:
            if in_step and int(betting.action_total[child]) == action.total:
                return [(child, 1.0)]
        most = state.betting.legal().raise_range
        if most is not None and action.total == most[1] and betting.action_total[raises[-1]] == betting.all_in_total:
            return [(raises[-1], 1.0)]
        pot = self._pot_after_call(state)
        x = (action.total - max(state.betting.spent)) / pot
        shares = [self._share(node, child) for child in raises]
        for child, share in zip(raises, shares, strict=True):
            if not in_step and abs(share - x) * pot < HALF_A_CHIP:
                return [(child, 1.0)]
        if self.small_bets and calls and betting.kind[calls[0]] == NodeKind.DECISION:
            raises, shares = [calls[0], *raises], [0.0, *shares]
        found = translate(x, shares, self.translation)
        ways = [(raises[found.lower], found.probability), (raises[found.upper], 1.0 - found.probability)]
        return [way for way in ways if way[1] > 0.0]

    def _read(self, state: PublicState) -> tuple[Reading, ...]:
        """Walk the line from the root; the tree must agree on who acts on which street."""
        readings = [Reading(self.betting.after_chance(0), 1.0)]
        before = PublicState.start(state.subject)
        for place, action in enumerate(state.line):
            if before.betting.actor == state.betting.actor:
                parted = [self._own(reading, before, action, place) for reading in readings]
            else:
                parted = [self._theirs(reading, before, action) for reading in readings]
            readings = list(chain.from_iterable(parted))
            if len(readings) > MOST_READINGS:
                readings = sorted(readings, key=lambda reading: -reading.chance)[:MOST_READINGS]
            if len(readings) == 1 and readings[0].own:
                readings = [replace(readings[0], own=())]
            before = before.ahead(action)
            readings = [replace(reading, node=self.arrived(reading.node, before)) for reading in readings]
        return tuple(readings)

    def _theirs(self, reading: Reading, before: PublicState, action: Action) -> list[Reading]:
        """What a reading becomes by an action of the other player."""
        if reading.node == OFF_TREE:
            return [reading]
        return [
            Reading(child, reading.chance * chance, reading.own)
            for child, chance in self.translated(reading.node, before, action)
        ]

    def _own(self, reading: Reading, before: PublicState, action: Action, place: int) -> list[Reading]:
        """What a reading becomes by an action of the player who is asked: no chance, but his own strategy decides."""
        node = reading.node
        comes_to = [i for i, made in enumerate(self.actions(node, before)) if made == action]
        if node == OFF_TREE:
            return [replace(reading, own=(*reading.own, OwnStep(place, node, 0 if comes_to else -1)))]
        if comes_to:
            children = self.betting.children(node)
            return [Reading(children[i], reading.chance, (*reading.own, OwnStep(place, node, i))) for i in comes_to]
        own = (*reading.own, OwnStep(place, node, -1))
        return [Reading(child, reading.chance * chance, own) for child, chance in self.translated(node, before, action)]

    def arrived(self, node: int, after: PublicState) -> int:
        """Where a node leads once the cards are dealt; off the tree unless the same player acts on the same street."""
        if node == OFF_TREE:
            return OFF_TREE
        betting = self.betting
        node = betting.after_chance(node)
        same_street = int(betting.street[node]) == after.betting.round - after.first_round
        same_actor = betting.kind[node] == NodeKind.DECISION and betting.actor[node] == after.betting.actor
        return node if same_actor and same_street else OFF_TREE

    def _same_chips(self, node: int, state: PublicState) -> bool:
        """Whether as many chips are in as in the tree: no bet has been taken for another one."""
        tree, dead = self.betting.contributions[node], state.dead_chips
        spent = state.betting.spent
        return bool(tree[0] == spent[0] + dead and tree[1] == spent[1] + dead)

    def _share(self, node: int, child: int) -> float:
        """What a raise puts in above the bet faced, as a share of the pot after a call, in the tree."""
        faced = float(self.betting.contributions[node].max())
        return (float(self.betting.contributions[child].max()) - faced) / max(2.0 * faced, 1.0)

    @staticmethod
    def _pot_after_call(state: PublicState) -> float:
        return max(2.0 * (max(state.betting.spent) + state.dead_chips), 1.0)


def mixed_choices(walk: TreeWalk, state: PublicState, rows: Rows) -> Choices:
    """What a strategy for a tree does at any public state: the mixture of what it does in every reading of the line.

    A player who draws what each bet is taken for, remembers it, and goes on as the tree's strategy says, plays a mixed
    strategy.  By Kuhn's theorem there is a behaviour strategy that plays the same: at each state, with each hand, the
    mean over the readings, each weighted by its chance times the probability with which the strategy took the player's
    own actions in it.  This function returns that one.  So nothing has to be remembered, no draw depends on the hand
    that is held, and ``strategy`` and ``act`` are one and the same strategy.

    A hand that the strategy brings to the state in no reading gets the mean by the chances alone.

    Returns
    -------
    Choices
        Of the S hands that ``rows`` is about.
    """
    readings = walk.readings(state)
    if len(readings) == 1:
        node = readings[0].node
        return merged_choices(walk.actions(node, state), rows(node, state))
    states = _states(state, {step.place for reading in readings for step in reading.own})
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
    # A hand outside a spot's range has a strategy off the tree alone.
    sums = mixed.sum(axis=1, keepdims=True)
    order = sorted(range(len(actions)), key=actions.__getitem__)
    return merged_choices([actions[i] for i in order], mixed[:, order] / np.where(sums > 0.0, sums, 1.0))


def read_translation(text: Translation | str) -> Translation:
    """A translation by its name.  Raises :class:`StrategyError` where there is none."""
    try:
        return Translation(text)
    except ValueError:
        raise StrategyError(f"There is no translation {text!r}; choose one of {', '.join(Translation)}.") from None


def _states(state: PublicState, places: set[int]) -> dict[int, PublicState]:
    """The states in which the actions at some places of the line were taken, with the cards that lay there."""
    found: dict[int, PublicState] = {}
    before = PublicState.start(state.subject)
    for place, action in enumerate(state.line):
        if place in places:
            cards = before.betting.game.board_cards_in(before.betting.round)
            found[place] = replace(before, board=state.board[:cards])
        before = before.ahead(action)
    return found


def tree_of(subject: Solvable, menu: BetMenu | None = None) -> BettingTree:
    """The betting tree of a game or spot, or of what is left of one; the latter two carry their own bets."""
    if isinstance(subject, Lookahead):
        return build_lookahead_betting_tree(subject)
    return build_spot_betting_tree(subject) if isinstance(subject, Spot) else build_betting_tree(subject, menu)
