"""A node's hands gathered into the classes that a picture shows.

Two-card hands become the grid of players' charts: pairs on the diagonal, suited hands above it, offsuit
hands below. Hands of any other number of cards become rows, and strategically equivalent cards of one rank share
a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from errai.cards.deck import RANKS, SUITS, suit_letters
from errai.cards.hands import class_of_text
from errai.errors import InputError, LineError
from errai.pictures.nodes import action_text, split_cards
from errai.pictures.palette import IN_RANGE, ActionStyle, action_styles
from errai.solutions.node import NO_EQUITY, SolutionNode
from errai.tree.lines import BetShare, percents_of

Group = tuple[str, list[int]]
"""The label of a class, and its hands by index."""


@dataclass(frozen=True, slots=True)
class HandClass:
    """Hands shown together.

    ``combos`` hands that the board leaves; ``weight`` their mean reach; ``shares`` frequency of each
    action, weighted by reach (empty when nothing reaches); ``ev_chips``, ``equity`` and ``action_ev_chips`` means
    weighted by reach, and ``equity_realised`` made of the first two; None when nothing reaches or it is not known.
    """

    label: str
    hands: tuple[str, ...]
    combos: int
    weight: float
    shares: tuple[float, ...]
    ev_chips: float | None
    equity: float | None = None
    equity_realised: float | None = None
    action_ev_chips: tuple[float | None, ...] = ()
    """One an action where the player acts, taken or not."""


@dataclass(frozen=True, slots=True)
class HandSummary:
    """All classes of a node for one player.

    ``styles`` show the actions, in drawing order.  ``ranks`` is the side of the grid, highest rank first, and
    ``classes`` its cells row by row; for rows ``ranks`` is empty.  ``actions`` are the node's, or 'in range' where the
    player does not act; ``frequencies`` match them, NaN where no pair of hands gets here.  ``full_weight`` is the
    largest weight of a class; ``combos`` the sum of all reach weights.
    """

    node: SolutionNode
    player: int
    acts: bool
    styles: tuple[ActionStyle, ...]
    actions: tuple[str, ...]
    frequencies: tuple[float, ...]
    ranks: tuple[str, ...]
    classes: tuple[HandClass, ...]
    full_weight: float
    combos: float
    action_ev_chips: tuple[float, ...] = ()
    """EV of each action for the hands that take it; NaN where it is not known."""

    @property
    def has_action_ev(self) -> bool:
        """Return whether the EV of any action is known."""
        return any(value == value for value in self.action_ev_chips)

    @property
    def is_grid(self) -> bool:
        """Return whether the classes form a grid of two-card hands."""
        return bool(self.ranks)

    def filled(self, item: HandClass) -> float:
        """Return the weight of a class relative to the largest, from 0 to 1."""
        return min(1.0, item.weight / self.full_weight) if self.full_weight > 0 else 0.0


def summarise(node: SolutionNode, player: int | None = None) -> HandSummary:
    """Gather the hands of one player at a node; by default the player to act, else player 0.

    Raises :class:`InputError` if ``player`` is not 0, 1 or None.
    """
    if player not in (0, 1, None):
        raise InputError(f"The player must be 0 or 1, not {player!r}.")
    who = player if player is not None else (node.player if node.player is not None else 0)
    acts = node.player == who and bool(node.actions)
    reach = np.asarray(node.ranges, dtype=np.float64)[who]
    if acts:
        actions = tuple(node.actions)
        play = np.nan_to_num(np.asarray(node.strategies, dtype=np.float64))
        frequencies = tuple(float(f) for f in node.frequencies)
        styles = named_styles(node.actions, node.all_in, node.shares)
    else:
        actions = ("in range",)
        play = np.ones((len(reach), 1))
        frequencies = (1.0,)
        styles = (ActionStyle(f"range, {node.player_names[who]}", IN_RANGE, "#", 0),)
    ev, equity = (np.asarray(values, dtype=np.float64)[who] for values in (node.ev, node.equity))
    action_ev = np.asarray(node.action_ev, dtype=np.float64).T if acts else np.empty((0, len(reach)))
    board = frozenset(split_cards(node.board_text))
    cards = [split_cards(hand) for hand in node.hands]
    live = np.array([not board.intersection(hand) for hand in cards], dtype=bool)

    def gather(label: str, members: list[int]) -> HandClass:
        present = [i for i in members if live[i]]
        hands = tuple(node.hands[i] for i in present)
        mass = reach[present]
        total = float(mass.sum())
        if total <= 0:
            return HandClass(label, hands, len(present), 0.0, (), None)
        shares = tuple(float(s) for s in (mass @ play[present]) / total)
        mean_ev, mean_equity, *of_actions = (_mean(mass, v[present]) for v in (ev, equity, *action_ev))
        realised = None
        if mean_ev is not None and mean_equity is not None and mean_equity > NO_EQUITY:
            realised = (mean_ev + node.sunk_chips[who]) / (mean_equity * node.pot_chips)
        weight = total / len(present)
        return HandClass(label, hands, len(present), weight, shares, mean_ev, mean_equity, realised, tuple(of_actions))

    if all(len(hand) == 2 for hand in cards):
        ranks, groups = _square(cards)
    else:
        columns = [play, reach[:, None], np.nan_to_num(ev)[:, None]]
        ranks, groups = (), _rows(cards, live, np.hstack(columns))
    classes = tuple(gather(label, members) for label, members in groups)
    full = max((c.weight for c in classes), default=0.0)
    worth = tuple(float(value) for value in node.range_action_ev) if acts else ()
    combos = float(reach[live].sum())
    return HandSummary(node, who, acts, styles, actions, frequencies, ranks, classes, full, combos, worth)


def named_styles(
    actions: Sequence[str], all_in: Sequence[bool], shares: Sequence[BetShare | None]
) -> tuple[ActionStyle, ...]:
    """Return the styles of actions, whose labels say what a bet is in per cent of the pot."""
    styles = action_styles(actions, all_in, percents_of(shares))
    return tuple(replace(style, label=action_text(style.label, shares[style.index])) for style in styles)


def chosen_hands(node: SolutionNode, wanted: Sequence[str]) -> list[str]:
    """Return hands as a node writes them, each of which is given by its cards, as AhKd, or by its class, as AKs.

    Raises :class:`LineError` if there is no such hand.
    """
    by_cards = {frozenset(split_cards(hand)): hand for hand in node.hands}
    by_class = {item.label.lower(): item.hands for item in summarise(node).classes}
    chosen: list[str] = []
    for text in wanted:
        cards = frozenset(card[:1].upper() + card[1:].lower() for card in split_cards(suit_letters(text)))
        if cards in by_cards:
            found: tuple[str, ...] = (by_cards[cards],)
        elif by_class.get(text.lower()):
            found = by_class[text.lower()]
        else:
            example = node.hands[-1]
            raise LineError(f"There is no hand {text!r} here; write its cards as {example}, or a class as AKs.")
        chosen.extend(hand for hand in found if hand not in chosen)
    return chosen


def _mean(mass: np.ndarray, values: np.ndarray) -> float | None:
    """Return the mean of the known values, None if there are none."""
    known = np.isfinite(values) & (mass > 0)
    total = float(mass[known].sum())
    return float(mass[known] @ values[known] / total) if total > 0 else None


def _square(cards: list[tuple[str, ...]]) -> tuple[tuple[str, ...], list[Group]]:
    """Return the ranks of the grid, and its cells row by row."""
    ranks = tuple(sorted({card[0] for hand in cards for card in hand}, key=RANKS.index, reverse=True))
    members: dict[str, list[int]] = {}
    for i, hand in enumerate(cards):
        members.setdefault(class_of_text("".join(hand)), []).append(i)
    cells = []
    for row, upper in enumerate(ranks):
        for column, left in enumerate(ranks):
            label = upper + left + ("" if row == column else "s") if row <= column else left + upper + "o"
            cells.append((label, members.get(label, [])))
    return ranks, cells


def _rows(cards: list[tuple[str, ...]], live: np.ndarray, features: np.ndarray) -> list[Group]:
    """Return rows, highest cards first; equivalent one-card hands of a rank share a row."""

    def strength(i: int) -> list[tuple[int, int]]:
        return sorted(((RANKS.index(c[0]), SUITS.index(c[1])) for c in cards[i]), reverse=True)

    order = sorted((i for i in range(len(cards)) if live[i]), key=strength, reverse=True)
    if not cards or len(cards[0]) != 1:
        return [("".join(cards[i]), [i]) for i in order]
    groups: list[list[int]] = []
    for i in order:
        for group in groups:
            same_rank = cards[group[0]][0][0] == cards[i][0][0]
            if same_rank and np.allclose(features[group[0]], features[i], rtol=1e-5, atol=1e-5):
                group.append(i)
                break
        else:
            groups.append([i])
    ranks = [cards[group[0]][0][0] for group in groups]
    return [
        (rank if ranks.count(rank) == 1 else " ".join(cards[i][0] for i in group), group)
        for rank, group in zip(ranks, groups, strict=True)
    ]
