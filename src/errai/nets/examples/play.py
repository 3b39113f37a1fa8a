"""Positions met in play: states at the beginning of a street that a strategy's self-play reaches.

Ranges drawn at random differ from those that come up in play, and networks trained on them alone are inaccurate where
it matters (Brown et al., "Combining deep reinforcement learning and search for imperfect-information games", NeurIPS
2020, who also let players explore).  Here both seats follow a strategy, but a player sometimes takes another action
that the strategy knows, so that lines which the strategy avoids come up too.  Both ranges follow from the strategy by
Bayes' rule, whichever player explored, just as when the strategy is queried after the same actions
(:func:`errai.resolving.values.ranges_at`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from errai.blueprints.blueprint import shipped_blueprint
from errai.cards.hands import hand_index
from errai.errors import InputError
from errai.games.game import Game
from errai.games.hand import FOLD, Action, Hand, Lines, PublicState, Shuffle
from errai.nets.examples.shards import as_stored
from errai.nets.examples.situations import PARTS, Stratum, stratum_of
from errai.nets.positions import Positions
from errai.resolving.values import ranges_at, strategy_of
from errai.strategies.strategy import Strategy

BLUEPRINT = "blueprint-nl"
"""The strategy of the package that is played."""

EXPLORATION = 0.25
"""Chance that a player takes a random action that the strategy knows, uniform over all actions except folding."""

LEAST_WEIGHT = 1e-9
"""A line that a strategy takes more rarely than this with every hand gives no usable range; it is not kept."""

MOST_HANDS = 20_000
"""Most hands that are played for one position."""


class Play:
    """Self-play of a strategy of a whole game, up to a street."""

    def __init__(self, game: Game, strategy: Strategy, round_index: int) -> None:
        self.game = game
        self.round = round_index
        self._strategy = strategy
        self._shuffle = Shuffle(game)
        self._lines = Lines(game)

    def position(self, seed: int, index: int, strata: Sequence[Stratum]) -> Positions:
        """Return the position of a number, which depends on it and the seed alone.

        Its stratum is drawn first, by the shares; then hands are played until one reaches the street with a stack of
        this stratum.

        Raises
        ------
        InputError
            No hand reached the street.
        """
        rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=(index,))))
        bounds = np.cumsum([stratum.share for stratum in strata])
        wanted = min(int(np.searchsorted(bounds, rng.random(), side="right")), len(strata) - 1)
        for _ in range(MOST_HANDS):
            state = self._played(rng)
            if state is None:
                continue
            stack = max(round((min(self.game.stacks) - max(state.betting.spent)) / state.pot_chips * PARTS), 1) / PARTS
            if int(stratum_of(np.array([stack]), strata)[0]) != wanted:
                continue
            ranges = ranges_at(self._strategy, state)
            if min(weights.max() for weights in ranges) >= LEAST_WEIGHT:
                both = np.stack([ranges[state.actor], ranges[1 - state.actor]])[None]
                board = np.sort(np.array([state.board], dtype=np.uint8), axis=1)
                return as_stored(Positions(board, both.astype(np.float32), np.array([stack], dtype=np.float32)))
        raise InputError(f"None of {MOST_HANDS:,} hands reached the street with {strata[wanted].name} pots to bet.")

    def _played(self, rng: np.random.Generator) -> PublicState | None:
        """Return the state in which a hand reaches the street with chips left to bet; None where it does not."""
        hand = Hand(self.game, self._shuffle.deal(rng), lines=self._lines)
        while not hand.is_over:
            if hand.state.betting.round == self.round:
                return hand.state
            hand.act(self._action(hand, rng))
        return None

    def _action(self, hand: Hand, rng: np.random.Generator) -> Action:
        choices = self._strategy.strategy(hand.state)
        if rng.random() < EXPLORATION:
            others = [action for action in choices.actions if action != FOLD]
            return others[int(rng.integers(len(others)))]
        held = int(hand_index(np.sort(hand.deal.hole[hand.actor])))
        sums = np.cumsum(choices.probabilities[held])
        return choices.actions[int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))]


@lru_cache(maxsize=2)
def shipped_play(name: str, round_index: int) -> Play:
    """Self-play of a blueprint of the package; errors as for :func:`errai.blueprints.blueprint.shipped_blueprint`."""
    blueprint = shipped_blueprint(name)
    return Play(blueprint.game, strategy_of(blueprint), round_index)
