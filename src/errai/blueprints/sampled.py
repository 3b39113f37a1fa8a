"""The methods that draw cards: whole boards with all hands, or single deals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction, BeforeTheLast
from errai.blueprints.solver import SampledSolver, in_bounds, make_bucket_kernel, new_tables
from errai.cards.hands import hand_index
from errai.cards.strength import HandRanking, strength
from errai.errors import InputError, SolverOptionError
from errai.kernels import _cpu
from errai.kernels.buckets import BucketArrays, BucketKernel, BucketTree, HandStrategy, Learning, Tables, bucket_arrays
from errai.kernels.layout import BEST, FIXED, FOLD, LEARNS, SHOWDOWN, Roles
from errai.tree.drawn_boards import DrawnBoards
from errai.tree.public_tree import TreePlan

BATCH = 64
"""Number of deals between two updates of the tables, for each player."""

DEALS_PER_BOARD = 8
"""Number of deals per board where boards cannot all be cached: finding the buckets of one costs more than a walk."""

PRUNED_SHARE = 0.95
"""Share of the walks that skip own actions with very negative regret."""

KNOWN_BOARDS = 30_000
"""Largest number of boards whose buckets are cached."""


@dataclass(eq=False, repr=False)
class BoardSampler:
    """Samples one board on each street but the first, uniformly, with all hands that are possible on it.

    Root values are unbiased (:mod:`errai.tree.drawn_boards`).  All boards of a street are sampled equally often, so
    hands learn with equal weight on them.  Raises :class:`SolverOptionError` for a game without boards.
    """

    plan: TreePlan
    """The plan of the game's tree, whose boards are never built."""
    abstraction: Abstraction
    seed: int
    """Samples depend only on it and on the number of the iteration."""
    opponents: Abstraction | None = None
    """Other buckets for player 1."""

    def __post_init__(self) -> None:
        theirs = self.opponents
        self.abstractions = (self.abstraction,) if theirs is None else (self.abstraction, theirs)
        if self.plan.betting.num_streets == 1:
            raise SolverOptionError("The game deals no board, so there is none to sample; use the method 'full'.")
        self.trees = DrawnBoards(self.plan)

    @cached_property
    def _first(self) -> list[BucketArrays]:
        """Both players' buckets of the first street."""
        hands, sizes, first = self.trees.root, self.trees.sizes, []
        for abstraction in self.abstractions:
            of_hand = in_bounds(abstraction.buckets((), 0), abstraction, 0)
            first.append(bucket_arrays(hands.start, of_hand[hands.hand], abstraction.num_buckets(0), sizes))
            if (of_hand[hands.member] != np.repeat(of_hand[hands.hand], sizes.astype(int))).any():
                raise InputError(
                    "The abstraction puts hands that suits make equal into different buckets before the flop."
                )
        return [first[0], first[-1]]

    def draw(self, iteration: int) -> BucketTree:
        """Return the boards of an iteration, as the kernels take them."""
        return self.over(self.boards(iteration))

    def boards(self, iteration: int) -> list[NDArray[np.int64]]:
        """Return the boards of an iteration: on each street but the first all cards dealt so far, street by street."""
        root = self.plan.root
        random = np.random.Generator(np.random.Philox(key=[self.seed & 0xFFFFFFFFFFFFFFFF, iteration]))
        found = [np.zeros(0, dtype=np.int64)]
        for new in root.new_cards:
            rest = np.setdiff1d(np.arange(root.deck.num_cards), found[-1], assume_unique=True)
            cards = np.sort(random.choice(rest, new, replace=False, shuffle=False))
            found.append(np.concatenate([found[-1], cards]))
        return found[1:]

    def over(self, drawn: list[NDArray[np.int64]]) -> BucketTree:
        """Return given boards, in the form of :meth:`boards`, as the kernels take them."""
        tree, buckets = self.trees.over(drawn), [self._first]
        for s, (board, held) in enumerate(zip(tree.boards, tree.hand, strict=True)):
            if s == 0:
                continue
            of_street = [
                bucket_arrays(
                    tree.arrays.streets[s].hands[0].start, of.buckets(tuple(board.tolist()), s)[held], of.num_buckets(s)
                )
                for of in self.abstractions
            ]
            buckets.append([of_street[0], of_street[-1]])
        return BucketTree(tree.arrays, buckets, self.trees.tie)

    def root_value(self, values: NDArray[np.float64]) -> float:
        """Return net chips per hand from counterfactual values at the root (float64 by class)."""
        return self.trees.root_value(values)


@dataclass(eq=False, repr=False, kw_only=True)
class ChanceSampling(SampledSolver):
    """Public chance sampling: every iteration walks a few sampled boards with all hands.

    Johanson, Bard, Lanctot, Gibson & Bowling, "Efficient Nash equilibrium approximation through Monte Carlo
    counterfactual regret minimization" (AAMAS 2012).  With one board on each street, no regret that a walk changes is
    read again on another board.  Regrets can therefore be updated in place, and the cost of an iteration depends on its
    boards and not on the size of the tables.

    The average contains the strategy that the other player faces, so walks need no own reach, and lines that a player
    never takes can be skipped.  Raises :class:`SolverOptionError` for a game without boards too.
    """

    method = "pcs"

    average_every: int = 1
    """Strategies enter the average only in every so many iterations, which saves up to a fifth of the time."""

    def __post_init__(self) -> None:
        if self.average_every < 1:
            raise SolverOptionError(f"average_every must be at least 1, not {self.average_every}.")
        super().__post_init__()
        self.sampler = BoardSampler(self.plan, self.abstraction, self.seed)
        self.kernel = make_bucket_kernel(self.backend, self.sampler.draw(0), self.threads)

    @property
    def identity(self) -> dict[str, Any]:
        # Earlier versions could sample several boards.
        shape = [1] * len(self.plan.root.new_cards)
        return {**super().identity, "shape": shape, "average_every": self.average_every}

    def sample(self, t: int, regret_weight: float, sum_weight: float) -> None:
        self.kernel.deal(self.sampler.draw(t))
        enters = bool(sum_weight) and t % self.average_every == 0
        for player in (0, 1):
            learning = Learning(
                [pair[player] for pair in self.regrets],
                [pair[1 - player] for pair in self.sums] if enters else None,
                others_average=True,
                regret_weight=regret_weight,
                sum_weight=sum_weight,
                floor=self.growth.floor,
            )
            self.kernel.learn(self.regrets, player, learning)


class AgainstOpponent(SampledSolver):
    """A solver of two games, one for the player in each seat, whose opponent has tables of its own."""

    kernel: BucketKernel
    theirs: Tables
    """The regrets of the opponent in each seat."""

    def learn(
        self,
        player: int,
        regret_weight: float,
        sum_weight: float,
        *,
        roles: tuple[Roles, Roles] = (LEARNS, LEARNS),
        choices: HandStrategy | None = None,
    ) -> None:
        """Run the opponent's half of an iteration in a player's game, and then the player's.

        The average is that of the strategy which the opponent meets.  ``roles`` are those of the player and of the
        opponent.  ``choices`` receive what the opponent does hand by hand, and the player meets that.
        """
        other = 1 - player
        tables: Tables = [[pair[0], pair[1]] for pair in self.regrets]
        for pair, theirs in zip(tables, self.theirs, strict=True):
            pair[other] = theirs[other]
        opponent = Learning(
            [pair[other] for pair in self.theirs],
            [pair[player] for pair in self.sums] if sum_weight else None,
            others_average=True,
            regret_weight=regret_weight,
            sum_weight=sum_weight,
            floor=self.growth.floor,
            choices=choices,
        )
        self.kernel.learn(tables, other, opponent, role=roles[1])
        own = Learning(
            [pair[player] for pair in self.regrets], None, regret_weight=regret_weight, floor=self.growth.floor
        )
        self.kernel.learn(tables, player, own, role=roles[0], given=choices)

    def kept(self) -> dict[str, Tables]:
        return {**super().kept(), "theirs": self.theirs}


@dataclass(eq=False, repr=False, kw_only=True)
class SampledCfrBr(AgainstOpponent):
    """CFR-BR on sampled boards: each player learns against an opponent who responds best on the last street.

    Johanson, Bard, Burch & Bowling, "Finding optimal abstract strategies in extensive-form games" (AAAI 2012), let the
    opponent minimise regret in a trunk and respond best below it, so that a response need not cover the whole game.
    Here boards are sampled as in public chance sampling.  On the last street no card is left to be dealt, so there the
    best response of an opponent who sees the own cards is exact on each sampled board by itself.  Before the last
    street the opponent minimises regret in separate tables, over buckets that may be finer than the player's.  (The
    paper's opponent does so without buckets, which takes tables as large as the game.) The resulting strategy is less
    exploitable in the whole game than an equilibrium of the abstract game.

    There are two games, one for the player in each seat; an iteration walks each of them twice.  At the start the
    player loses much to an opponent who responds best, and folds too often; an average from the first iteration on
    needs thousands of them to forget this.  Raises :class:`SolverOptionError` for a game without boards too.
    """

    method = "pcs-br"

    opponents: Abstraction | None = None
    """The buckets in which the opponent minimises regret before the last street; by default the same."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.against = self.abstraction if self.opponents is None else self.opponents
        """The buckets of the opponent before the last street."""
        theirs = BeforeTheLast(self.against)
        self.sampler = BoardSampler(self.plan, self.abstraction, self.seed, opponents=theirs)
        first = self.sampler.draw(0)
        self.kernel = make_bucket_kernel(self.backend, first, self.threads)
        self.theirs = new_tables(self.plan, theirs, self.dtype)
        last = first.tree.streets[-1]
        hands = int(last.hands[0].start[-1])
        self._choices = [np.zeros(last.num_rows[p] * hands, np.uint16) for p in (0, 1)]

    @property
    def identity(self) -> dict[str, Any]:
        return {**super().identity, "opponents": self.against.digest()}

    def sample(self, t: int, regret_weight: float, sum_weight: float) -> None:
        drawn = self.sampler.draw(t)
        swapped = BucketTree(drawn.tree, [[theirs, mine] for mine, theirs in drawn.buckets], drawn.tie)
        for player, boards in ((0, drawn), (1, swapped)):
            self.kernel.deal(boards)
            # Lines that the player does not reach are skipped, and their entries keep the value 0.
            choices = self._choices[1 - player]
            choices.fill(0)
            last = len(self.regrets) - 1
            roles = (LEARNS, (*[LEARNS] * last, BEST))
            self.learn(player, regret_weight, sum_weight, roles=roles, choices=[*[None] * last, choices])

    def kept(self) -> dict[str, Tables]:
        # On the last street the opponent has no table.
        return {**super().kept(), "theirs": self.theirs[:-1]}


@dataclass(eq=False, repr=False, kw_only=True)
class Grafting(AgainstOpponent):
    """Strategy grafting: a player keeps the base strategy on the first street and learns the rest in finer buckets.

    Waugh, Bard & Bowling, "Strategy grafting in extensive games" (NIPS 2009), divide the game into a part in which a
    player follows a base strategy and parts that are solved anew in a finer abstraction, against an opponent who is
    free everywhere; the parts are then grafted onto the base strategy.  Here the base is kept on the first street, and
    what follows it is one part.  Boards are sampled as in public chance sampling.  There are two games, one for the
    player in each seat.

    The buckets of the first street have to be the base's; see :func:`errai.blueprints.abstractions.grafted`.
    """

    method = "pcs-graft"

    base: Tables
    """The base strategy's probabilities; those of the first street are read."""
    based_on: str = ""
    """Identifies the base strategy in checkpoints."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sampler = BoardSampler(self.plan, self.abstraction, self.seed)
        self.kernel = make_bucket_kernel(self.backend, self.sampler.draw(0), self.threads)
        self.theirs = new_tables(self.plan, self.abstraction, self.dtype)
        for mine, kept in zip(self.regrets[0], self.base[0], strict=True):
            mine[...] = kept

    @property
    def identity(self) -> dict[str, Any]:
        return {**super().identity, "base": self.based_on}

    def sample(self, t: int, regret_weight: float, sum_weight: float) -> None:
        self.kernel.deal(self.sampler.draw(t))
        kept = (FIXED, *[LEARNS] * (len(self.regrets) - 1))
        for player in (0, 1):
            self.learn(player, regret_weight, sum_weight, roles=(kept, LEARNS))


@dataclass(eq=False, repr=False, kw_only=True)
class ExternalSampling(SampledSolver):
    """External sampling: a walk has one deal of cards, all actions of one player and one sampled action of the other.

    An iteration is a batch of deals for each player.

    Lanctot, Waugh, Zinkevich & Bowling, "Monte Carlo sampling for regret minimization in extensive games" (NIPS 2009).
    Walks of a batch read the tables as they were before the batch, and their updates are added in the order of the
    deals, so results do not depend on threads.

    Regret-based pruning is as Brown & Sandholm used it in Pluribus (2019): in 19 of 20 walks, own actions with very
    negative regret are skipped unless they end the hand.  The other walks take all actions, so no action is lost for
    good.  Raises :class:`SolverOptionError` for a regret that is not negative too.
    """

    method = "es"

    prune_below_chips: float | None = None
    """The mean regret per iteration, negative, below which most walks skip an own action; None skips none."""

    def __post_init__(self) -> None:
        if self.prune_below_chips is not None and not self.prune_below_chips < 0:
            raise SolverOptionError(f"Pruning needs a regret below 0, not {self.prune_below_chips}.")
        super().__post_init__()
        root, betting = self.plan.root, self.plan.betting
        left, boards = root.deck.num_cards, 1
        for new in root.new_cards:
            boards, left = boards * comb(left, new), left - new
        self.deals_per_board = 1 if boards <= KNOWN_BOARDS else DEALS_PER_BOARD
        self.visited = 0
        """Number of nodes visited so far."""
        loser = np.where(betting.kind == FOLD, betting.actor, 0)
        ends = np.isin(betting.kind, (FOLD, SHOWDOWN))
        payoff = np.where(ends, betting.contributions[np.arange(betting.num_nodes), loser], 0.0)
        self._sampler = _cpu.Sampler(
            betting.num_streets,
            *(np.ascontiguousarray(a, dtype=np.int8) for a in (betting.kind, betting.actor, betting.street)),
            *(
                np.ascontiguousarray(a, dtype=np.int32)
                for a in (betting.first_child, betting.num_children, betting.row_start)
            ),
            np.ascontiguousarray(payoff, dtype=np.float64),
            max(1, self.threads),
        )
        self._buckets = lru_cache(KNOWN_BOARDS)(self.abstraction.buckets)

    @property
    def identity(self) -> dict[str, Any]:
        pruning = None if self.prune_below_chips is None else [self.prune_below_chips, PRUNED_SHARE]
        return {**super().identity, "batch": [BATCH, self.deals_per_board], "pruning": pruning}

    def sample(self, t: int, regret_weight: float, sum_weight: float) -> None:
        below = share = 0.0
        if self.prune_below_chips is not None:
            # Regrets are sums over iterations, with their weights, and over the deals of a batch.
            below = self.prune_below_chips * BATCH * float(t) ** (self.growth.regret + 1.0)
            share = PRUNED_SHARE
        for player in (0, 1):
            buckets, sign = self._deals(t * 2 + player)
            self.visited += self._sampler.sample(
                [table for pair in self.regrets for table in pair],
                [table for pair in self.sums for table in pair],
                buckets,
                sign,
                self.seed & 0xFFFFFFFFFFFFFFFF,
                t * BATCH,
                player,
                regret_weight,
                sum_weight,
                self.growth.floor,
                below,
                share,
            )

    def _deals(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Return the buckets of both hands, int32[n, streets, 2], and int8[n]: 1 where player 0 wins, 0 for a tie."""
        root, game = self.plan.root, self.game
        rounds = [0, *np.cumsum(root.new_cards).tolist()]
        hole, dealt = root.hands.shape[1], rounds[-1]
        random = np.random.Generator(np.random.Philox(key=[self.seed & 0xFFFFFFFFFFFFFFFF, number]))
        boards = BATCH // self.deals_per_board
        board = random.random((boards, root.deck.num_cards)).argsort(axis=1)[:, :dealt]
        for first, last in pairwise(rounds):
            board[:, first:last].sort(axis=1)
        # Hands are dealt from the cards that are not on the board: board cards sort to the end.
        keys = random.random((boards, self.deals_per_board, root.deck.num_cards))
        np.put_along_axis(keys, np.repeat(board[:, None], self.deals_per_board, axis=1), 2.0, axis=2)
        cards = keys.reshape(BATCH, -1).argsort(axis=1)
        held = [np.sort(cards[:, p * hole : (p + 1) * hole], axis=1) for p in (0, 1)]
        hands = np.stack([hand_index(h) for h in held], axis=1).reshape(boards, self.deals_per_board, 2)
        found = np.empty((boards, self.deals_per_board, len(rounds), 2), dtype=np.int32)
        for s, out in enumerate(rounds):
            for b, table in enumerate(board[:, :out].tolist()):
                found[b, :, s] = self._buckets(tuple(table), s)[hands[b]]
        buckets = found.reshape(BATCH, len(rounds), 2)
        board = np.repeat(board, self.deals_per_board, axis=0)
        ranking = game.ranking if hole + dealt == 3 else HandRanking.STANDARD
        strengths = [strength(np.concatenate([h, board], axis=1), game.deck, ranking).astype(np.int64) for h in held]
        return buckets, np.sign(strengths[0] - strengths[1]).astype(np.int8)
