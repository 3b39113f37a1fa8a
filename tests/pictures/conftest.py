"""Nodes that look like those of a solution, made up by simple rules; a picture needs no solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from errai.tree.lines import BetShare

RANKS = "23456789TJQKA"


@dataclass
class FakeNode:
    """The attributes of a SolutionNode that pictures read."""

    hands: tuple[str, ...]
    strategies: np.ndarray
    ranges: np.ndarray
    ev: np.ndarray
    frequencies: np.ndarray
    actions: tuple[str, ...] = ()
    line: str = ""
    board_text: str = ""
    kind: str = "decision"
    player: int | None = 0
    player_name: str = "out of position"
    pot_chips: float = 200.0
    pot_big_blinds: float | None = None
    to_call_chips: float = 0.0
    stacks_chips: tuple[float, float] = (900.0, 900.0)
    children: tuple[str, ...] = field(default=())
    player_names: tuple[str, str] = ("out of position", "in position")
    sunk_chips: tuple[float, float] = (0.0, 0.0)
    reached: float = 1.0
    unconverged: float = 0.003

    @property
    def shares(self) -> tuple[BetShare | None, ...]:
        """As if the pot were 200 and nothing had been bet on this street."""
        amounts = [label.partition(" ")[2] for label in self.actions]
        return tuple(BetShare(float(amount) / 2, 0.25) if amount else None for amount in amounts)

    @property
    def all_in(self) -> tuple[bool, ...]:
        """As if nothing had been put in on this street."""
        amounts = [label.partition(" ")[2] or "0" for label in self.actions]
        return tuple(float(amount) >= self.stacks_chips[self.player or 0] for amount in amounts)

    @property
    def action_ev(self) -> np.ndarray:
        """The later an action, the less it is worth."""
        own = self.ev[self.player or 0][:, None] + np.zeros(len(self.actions))
        return own - np.arange(len(self.actions))

    @property
    def equity(self) -> np.ndarray:
        """As if hands realised 80 per cent."""
        return np.clip((self.ev + np.array(self.sunk_chips)[:, None]) / (0.8 * self.pot_chips), 0.0, 1.0)

    @property
    def equity_realised(self) -> np.ndarray:
        return np.where(self.equity > 0, 0.8, np.nan)

    @property
    def range_ev(self) -> np.ndarray:
        return self._over_range(self.ev)

    @property
    def range_action_ev(self) -> np.ndarray:
        return self._over_range(self.ev)[0] - np.arange(len(self.actions))

    @property
    def range_equity(self) -> np.ndarray:
        return self._over_range(self.equity)

    @property
    def range_equity_realised(self) -> np.ndarray:
        return np.full(2, 0.8)

    def _over_range(self, values: np.ndarray) -> np.ndarray:
        total = self.ranges.sum(axis=1)
        return (self.ranges * np.nan_to_num(values)).sum(axis=1) / np.where(total > 0, total, np.nan)


def deck(ranks: str = RANKS, suits: str = "cdhs") -> list[str]:
    return [rank + suit for rank in ranks for suit in suits]


def spot_node(
    actions: tuple[str, ...] = ("check", "bet 66", "bet 120", "bet 300", "bet 900"),
    board: tuple[str, ...] = ("Td", "9d", "6h"),
    *,
    ranks: str = RANKS,
    wide: bool = False,
    **settings: object,
) -> FakeNode:
    """A two-card node: strong hands bet more, weak hands check, the worst are not in the range."""
    cards = deck(ranks)
    hands = [f"{b}{a}" for b, a in ((cards[j], cards[i]) for j in range(len(cards)) for i in range(j))]
    count, choices = len(hands), len(actions)
    strategies = np.full((count, choices), np.nan)
    ranges = np.zeros((2, count))
    ev = np.full((2, count), np.nan)
    for h, hand in enumerate(hands):
        pair = (hand[:2], hand[2:])
        if set(pair) & set(board):
            continue
        high, low = sorted((ranks.index(pair[0][0]), ranks.index(pair[1][0])), reverse=True)
        paired, suited = high == low, pair[0][1] == pair[1][1]
        score = (high + low) / (2 * (len(ranks) - 1)) + 0.12 * suited
        score += 0.5 if paired else -0.04 * (high - low)
        weight = 1.0 if wide else float(np.clip(1.6 * score - 0.35, 0, 1))
        if weight < 0.04:
            continue
        ranges[:, h] = weight, 1 - weight / 2
        steps = np.linspace(0.2, 1.3, choices)
        pull = np.exp(-((score - steps) ** 2) / 0.05) + 0.08 * (np.arange(choices) == choices - 1) * suited
        strategies[h] = pull / pull.sum()
        ev[:, h] = 200 * score, 200 * (1 - score)
    mass = ranges[0][:, None] * np.nan_to_num(strategies)
    frequencies = mass.sum(axis=0) / ranges[0].sum()
    node = FakeNode(tuple(hands), strategies, ranges, ev, frequencies, actions, board_text="".join(board))
    for name, value in settings.items():
        setattr(node, name, value)
    return node


def kuhn_node() -> FakeNode:
    """The first decision of Kuhn poker with alpha = 1/4; three cards of one suit."""
    strategies = np.array([[0.75, 0.25], [1.0, 0.0], [0.25, 0.75]])
    return FakeNode(
        hands=("Qc", "Kc", "Ac"),
        strategies=strategies,
        ranges=np.ones((2, 3)),
        ev=np.array([[-1.0, -1 / 3, 7 / 6], [-1.0, 0.1, 1.0]]),
        frequencies=strategies.mean(axis=0),
        actions=("check", "bet 1"),
        player_name="player 0",
        pot_chips=2.0,
        stacks_chips=(1.0, 1.0),
    )


@dataclass
class FakeTree:
    """The arrays of a betting tree that pictures read."""

    street: np.ndarray
    kind: np.ndarray
    actor: np.ndarray
    first_child: np.ndarray
    num_children: np.ndarray
    contributions: np.ndarray
    action: tuple[str, ...]
    action_total: np.ndarray
    all_in_total: int = 900
    num_streets: int = 2

    def is_all_in(self, node: int) -> bool:
        """As in a betting tree."""
        return bool(self.action_total[node] == self.all_in_total)


def small_tree() -> FakeTree:
    """Two streets of check or bet 50: check-check and bet-call lead to a second street of one check each."""
    rows = [
        # street, kind, actor, first child, children, contributions, action
        (0, 0, 0, 1, 2, (50, 50), ""),
        (0, 0, 1, 3, 2, (50, 50), "check"),
        (0, 0, 1, 5, 2, (100, 50), "bet 50"),
        (0, 3, -1, 9, 1, (50, 50), "check"),
        (0, 0, 0, 7, 2, (50, 100), "bet 50"),
        (0, 1, 1, -1, 0, (100, 50), "fold"),
        (0, 3, -1, 10, 1, (100, 100), "call"),
        (0, 1, 0, -1, 0, (50, 100), "fold"),
        (0, 4, -1, -1, 0, (100, 100), "call"),
        (1, 0, 0, 11, 1, (50, 50), ""),
        (1, 2, -1, -1, 0, (100, 100), ""),
        (1, 2, -1, -1, 0, (50, 50), "check"),
    ]
    columns = list(zip(*rows, strict=True))
    return FakeTree(
        street=np.array(columns[0], np.int8),
        kind=np.array(columns[1], np.int8),
        actor=np.array(columns[2], np.int8),
        first_child=np.array(columns[3], np.int32),
        num_children=np.array(columns[4], np.int32),
        contributions=np.array(columns[5], np.float64),
        action=tuple(columns[6]),
        action_total=np.array([50 if "bet" in label else 0 for label in columns[6]], np.int64),
    )


@pytest.fixture
def make_spot_node() -> Callable[..., FakeNode]:
    return spot_node


@pytest.fixture
def flop() -> FakeNode:
    return spot_node()


@pytest.fixture
def kuhn() -> FakeNode:
    return kuhn_node()


@pytest.fixture
def tree() -> FakeTree:
    return small_tree()
