"""Positions about which a network is asked while an agent plays: the leaves of the lookaheads on the street before.

A re-solving agent asks its network about the ranges of every iteration of its lookaheads.  These differ from ranges
drawn at random and from those of a blueprint, and a network trained without them is inaccurate where it matters: ReBeL
(Brown et al., "Combining deep reinforcement learning and search for imperfect-information games", NeurIPS 2020) learns
from such positions alone.  Here hands are played up to the street before, the lookahead is solved there over the
network for some iterations, with one of several bet menus, and some of the positions of its last iteration are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.blueprint import shipped_blueprint
from errai.engine.loop import Solver
from errai.engine.schedules import DEFAULT, find_schedule
from errai.errors import InputError
from errai.games.game import Game
from errai.games.lookahead import lookahead
from errai.games.sizing import BetMenu
from errai.nets.below.leaf_boards import LastBoard
from errai.nets.below.leaves import NetLeafValues
from errai.nets.examples.play import Play, as_stored, shipped_play
from errai.nets.examples.situations import PARTS, Stratum
from errai.nets.examples.targets import tree_of
from errai.nets.network import load_net
from errai.nets.networks.classes import class_matchups
from errai.nets.networks.matchups import hands_on
from errai.nets.positions import Positions, Predictor
from errai.running.recent import Recent
from errai.tree.public_tree import plan_public_tree

PER_LOOKAHEAD = 12
"""Positions of one lookahead, which have successive numbers; a lookahead takes longer than the solve of a position."""

SPREAD = (0.5, 2.0)
"""A lookahead begins with so many times the stack that the blueprint left, at least and at most, because the blueprint
has few bet sizes, and opponents have all of them."""

FIRST_SPREAD = (0.1, 2.0)
"""The same for positions on the flop after a lookahead before it, so that some are those of smaller stacks."""

MENUS = ("100%, a", "50%, 100%, a | 100%, a", "33%, 75%, a | 100%, a", "66%, a", "150%, a | 100%, a")
"""The bet menus of the lookaheads, bets before raises; each is as likely."""

FIRST_MENUS = ("75%, a", "2x, 3x, a", "2.5x, a", "100%, a", "3x, a", "4x, a")
"""The same before the flop, for bets and raises."""

ITERATIONS = (5, 41)
"""The iterations after which positions are taken, from the first number and below the second."""

FIRST_ITERATIONS = (20, 201)
"""The same before the flop, where an iteration takes milliseconds."""

MOST_DRAWS = 1_000

PARTS_ASKED = 2
"""In how many parts the network is asked about the boards, as agents do it."""


class Asked:
    """Positions about which a network is asked.

    ``net`` stands at the leaves of the lookaheads: it is the network of the street that begins after them, or an
    auxiliary one.  ``play`` gives the beginnings of the street before; before the flop it is not needed, because
    lookaheads begin with the hand.
    """

    def __init__(self, game: Game, net: Predictor, play: Play | None = None) -> None:
        if net.round != (0 if play is None else play.round + 1):
            raise InputError(f"The hands must be played up to the street before that of the network {net.name}.")
        self.game, self.net, self._play = game, net, play
        self._num_hands = comb(game.deck.num_cards, game.num_hole_cards)
        self._known: Recent[tuple[object, ...], list[Positions]] = Recent(2)

    def position(self, seed: int, index: int, strata: Sequence[Stratum]) -> Positions:
        """Return the position of a number, which depends on it and the seed alone.

        The strata are those of the positions at which the lookaheads begin; before the flop they are not used.
        """
        group, number = divmod(index, PER_LOOKAHEAD)
        key = (seed, group, tuple(strata))
        return self._known.get_or_make(key, lambda: self._positions(seed, group, strata))[number]

    def _positions(self, seed: int, group: int, strata: Sequence[Stratum]) -> list[Positions]:
        rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=(group, 1))))
        if self._play is None:
            menu, between = FIRST_MENUS[int(rng.integers(len(FIRST_MENUS)))], FIRST_ITERATIONS
            bets = BetMenu.parse(self.game.num_rounds, "a", menu)  # the blinds are bets, so all others are raises
            tree = plan_public_tree(lookahead(self.game, depth=0, menu=bets), last_street=0).build()
        else:
            start = self._play.position(seed, group, strata)
            menu, between = MENUS[int(rng.integers(len(MENUS)))], ITERATIONS
            board, ranges = tuple(start.boards[0].tolist()), start.ranges[0].astype(np.float64)
            tree = tree_of(board, self._spread(float(start.stacks[0]), rng), ranges, menu, 0)
        leaves = NetLeafValues(self.net, parts=PARTS_ASKED if self._play else 1, threads=1)
        solver = Solver(tree, find_schedule(DEFAULT), precision="float32", leaf_values=leaves)
        solver.run(max_iterations=int(rng.integers(*between)))
        ((last, reach),) = leaves.asked_for()
        return [self._drawn(last, reach, rng) for _ in range(PER_LOOKAHEAD)]

    def _spread(self, stack: float, rng: np.random.Generator) -> float:
        """Return a stack in pots times a number whose logarithm is uniform between those of the bounds."""
        least, most = np.log(FIRST_SPREAD if self._play is None else SPREAD)
        return max(round(stack * float(np.exp(rng.uniform(least, most))) * PARTS), 1) / PARTS

    def _drawn(self, last: LastBoard, reach: NDArray[np.float64], rng: np.random.Generator) -> Positions:
        """Draw a line, by the root of both players' chances to take it, so that rare lines come up, and then cards."""
        chances = np.where(last.not_all_in, np.sqrt(reach.sum(axis=2).prod(axis=1)), 0.0)
        new, deck = self.game.num_board_cards[max(self.net.round, 1)], self.game.deck
        for _ in range(MOST_DRAWS):
            line = int(rng.choice(len(chances), p=chances / chances.sum()))
            stack = float(last.stacks[line] / last.pots[line])
            if self._play is None:
                cards = tuple(np.sort(rng.permutation(deck.num_cards)[:new]).tolist())
                hands, here = hands_on(self.game, cards), reach[line] / last.sizes
                here, stack = here[:, class_matchups(self.game).class_of[hands]], self._spread(stack, rng)
            else:
                after = last.next[int(rng.integers(len(last.next)))]
                cards, hands, here = after.cards, after.said.hands, reach[line][:, after.places]
            if (here.max(axis=1) > 0.0).all():
                break
        else:
            raise InputError("No hand of one of the players reaches the end of the street.")
        found = np.zeros((1, 2, self._num_hands), dtype=np.float32)
        found[0][:, hands] = here / here.sum(axis=1, keepdims=True)
        stack = max(round(stack * PARTS), 1) / PARTS
        board = np.array([cards], dtype=np.uint8)
        return as_stored(Positions(board, found, np.array([stack], dtype=np.float32)))


@lru_cache(maxsize=2)
def shipped_asked(name: str, net: str) -> Asked:
    """Positions after self-play of a blueprint of the package; ``net`` is a network of the package or a file."""
    found = load_net(net)
    play = shipped_play(name, found.round - 1) if found.round > 1 else None
    return Asked(shipped_blueprint(name).game, found, play)
