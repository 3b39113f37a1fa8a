"""Games in extensive form that are written out in full: information sets and sequences of every player as arrays.

A *sequence* of a player is the empty one, number 0, or an action at an information set together with all that the
player did before.  With perfect recall a game is told by three things: which sequence leads to each information set,
which sequences the players have played where it ends, and what each player wins there (von Stengel 1996).  A strategy
is a *plan*: the weight of a sequence is the product of the player's own probabilities of the actions in it.

Information sets are grouped into *blocks*: those that are equally deep, counted in the player's own actions, and have
the same number of actions.  A walk over a player's decisions is then a loop over a few blocks, in vectors.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import GameDefinitionError, StrategyError
from errai.extensive.histories import Histories
from errai.judges.sequence_form import sparse_matrices
from errai.kernels.protocol import matched

if TYPE_CHECKING:
    import scipy.sparse

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ZERO_SUM = 1e-12
"""By how much the payoffs of an end may miss 0 in a zero-sum game, as a share of the largest payoff."""


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """Information sets of one player that are equally deep and have ``num_actions`` actions.

    The sequence of action ``a`` at the i-th set of the block is ``first + a * num_sets + i``.
    """

    first: int
    """The first of the sequences that end at these sets."""
    first_set: int
    num_actions: int
    leading: Integers
    """int64[num_sets]: the sequence that leads to each set."""

    @property
    def num_sets(self) -> int:
        """The number of information sets."""
        return len(self.leading)

    @property
    def end(self) -> int:
        """The sequence after the last one of the block."""
        return self.first + self.num_actions * self.num_sets

    def of(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the entries of an array over sequences that belong to the block, as a view [num_actions, num_sets]."""
        return array[self.first : self.end].reshape(self.num_actions, self.num_sets)


@dataclass(frozen=True, eq=False, repr=False)
class Decisions:
    """All information sets of a player (a *treeplex*, Hoda et al. 2010), those that lead to others first."""

    blocks: tuple[Block, ...]

    @cached_property
    def num_sequences(self) -> int:
        """The number of sequences, the empty one included."""
        return self.blocks[-1].end if self.blocks else 1

    @cached_property
    def num_sets(self) -> int:
        """The number of information sets."""
        return sum(block.num_sets for block in self.blocks)

    def uniform(self) -> Floats:
        """Return float64[sequences]: every action of an information set equally likely."""
        found = np.ones(self.num_sequences)
        for block in self.blocks:
            block.of(found)[...] = 1.0 / block.num_actions
        return found

    def plan_of(self, behaviour: Floats) -> Floats:
        """Return the plan of action probabilities, float64[sequences] both; entry 0 of the latter is not read."""
        plan = np.empty(self.num_sequences)
        plan[0] = 1.0
        for block in self.blocks:
            np.multiply(block.of(behaviour), plan[block.leading], out=block.of(plan))
        return plan

    def behaviour_of(self, plan: Floats) -> Floats:
        """Return the action probabilities of a plan, or of any sum of plans; uniform where it does not lead."""
        found = np.ones(self.num_sequences)
        for block in self.blocks:
            block.of(found)[...] = matched(block.of(plan))
        return found

    def best_response(self, values: Floats) -> tuple[float, Floats]:
        """Return the value and the action probabilities of a best response to the gradient ``values``.

        Of several best actions the first one is taken.
        """
        values, chosen = values.copy(), np.zeros(self.num_sequences)
        chosen[0] = 1.0
        for block in reversed(self.blocks):
            here = block.of(values)
            best = here.argmax(axis=0)
            block.of(chosen)[best, np.arange(block.num_sets)] = 1.0
            np.add.at(values, block.leading, here[best, np.arange(block.num_sets)])
        return float(values[0]), chosen

    def check(self, behaviour: Any, what: str) -> Floats:
        """Return action probabilities as float64[sequences].

        Raises :class:`StrategyError` if they have another shape, or those of a set are negative or do not sum to 1.
        """
        found = np.asarray(behaviour, dtype=np.float64)
        if found.shape != (self.num_sequences,):
            raise StrategyError(f"{what} has shape {found.shape}; {self.num_sequences} numbers are needed.")
        for block in self.blocks:
            here = block.of(found)
            wrong = ~((here >= 0.0).all(axis=0) & (np.abs(here.sum(axis=0) - 1.0) <= 1e-6))
            if wrong.any():
                at = int(wrong.argmax())
                raise StrategyError(
                    f"{what} has {here[:, at].tolist()} at information set {block.first_set + at}; the probabilities "
                    "of its actions must be at least 0 and sum to 1."
                )
        return found


@dataclass(frozen=True, eq=False, repr=False)
class ExtensiveGame:
    """A game of two or more players with perfect recall.

    Make one with :func:`extensive_game`; ``of`` takes the arrays themselves.
    """

    title: str
    decisions: tuple[Decisions, ...]
    """By player."""
    ends: Integers
    """int64[T, players]: the last sequence of each player at each end of the game."""
    payoffs: Floats
    """float64[T, players]: what each player wins there times the probability of chance."""
    names: tuple[tuple[str, ...], ...] = ()
    """By player, the text that tells an information set from all others; empty if the game has none."""
    actions: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """By player and information set, the names of its actions."""
    source: Mapping[str, Any] = field(default_factory=dict)
    """What the game was made from, for files."""
    histories: Histories | None = None
    """The tree of histories, if it was kept."""
    span: float = math.inf
    """The most that a player can win, less the least; infinite if that is not known."""

    @classmethod
    def of(
        cls,
        title: str,
        leading: Sequence[Any],
        num_actions: Sequence[Any],
        ends: Any,
        payoffs: Any,
        names: Sequence[Sequence[str]] = (),
        actions: Sequence[Sequence[tuple[str, ...]]] = (),
        source: Mapping[str, Any] | None = None,
        histories: Sequence[tuple[Any, ...]] = (),
        span: float = math.inf,
    ) -> ExtensiveGame:
        """Make a game from information sets in any order in which those that lead to others come first.

        ``leading`` has for each player the sequence that leads to each set, and ``num_actions`` the number of its
        actions; the sequences of set 0 come first, after the empty one, then those of set 1, and so on.  Ends with the
        same sequences of all players are joined.  ``histories`` is what :meth:`Histories.of` takes.

        Raises :class:`GameDefinitionError` if the arrays do not describe a game.
        """
        players = len(leading)
        ends, payoffs = np.asarray(ends, dtype=np.int64), np.asarray(payoffs, dtype=np.float64)
        if players < 1 or len(num_actions) != players or ends.ndim != 2 or ends.shape[1:] != (players,):
            raise GameDefinitionError(f"{title} has arrays for {players} players, and ends of shape {ends.shape}.")
        if payoffs.shape != ends.shape or not len(ends) or not np.isfinite(payoffs).all():
            raise GameDefinitionError(f"The payoffs of {title} must be finite numbers of shape {ends.shape}.")
        made, orders, numbers, renumbered = [], [], [], np.empty_like(ends)
        for p in range(players):
            decisions, order, number = in_blocks(np.asarray(leading[p], int), np.asarray(num_actions[p], int), title)
            if not ((ends[:, p] >= 0) & (ends[:, p] < len(number))).all():
                raise GameDefinitionError(f"An end of {title} has a sequence that player {p} does not have.")
            renumbered[:, p] = number[ends[:, p]]
            made.append(decisions)
            orders.append(order)
            numbers.append(number)
        joined, place = np.unique(renumbered, axis=0, return_inverse=True)
        total = np.zeros(joined.shape)
        np.add.at(total, place.ravel(), payoffs)
        texts = tuple(tuple(given[i] for i in order) for given, order in zip(names, orders, strict=False))
        acts = tuple(tuple(given[i] for i in order) for given, order in zip(actions, orders, strict=False))
        tree = Histories.of(histories, numbers, [np.argsort(order) for order in orders]) if histories else None
        return cls(title, tuple(made), joined, total, texts, acts, dict(source or {}), tree, span)

    def __repr__(self) -> str:
        sets = ", ".join(f"{d.num_sets:,}" for d in self.decisions)
        return f"<{self.title}: {sets} information sets, {self.num_ends:,} ends>"

    def check(self) -> None:
        """Raise :class:`GameDefinitionError` if arrays that were read do not fit together."""
        fits = self.ends.shape == self.payoffs.shape and self.ends.shape[1:] == (self.num_players,)
        for p, decisions in enumerate(self.decisions):
            fits = fits and all(((b.leading >= 0) & (b.leading < b.first)).all() for b in decisions.blocks)
            fits = fits and bool(((self.ends[:, p] >= 0) & (self.ends[:, p] < decisions.num_sequences)).all())
        if not fits or not np.isfinite(self.payoffs).all():
            raise GameDefinitionError(f"The arrays of {self.title} do not fit together.")

    @property
    def num_players(self) -> int:
        """The number of players."""
        return len(self.decisions)

    @property
    def num_ends(self) -> int:
        """The number of ends at which the players' sequences differ."""
        return len(self.ends)

    @cached_property
    def largest(self) -> float:
        """The largest payoff, or loss, times the probability of chance."""
        return float(np.abs(self.payoffs).max())

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether what the players win always sums to 0."""
        return bool(np.abs(self.payoffs.sum(axis=1)).max() <= ZERO_SUM * max(self.largest, 1e-300))

    @cached_property
    def scale(self) -> float:
        """How much is won or lost on average by uniform play: what small is measured against."""
        plans = [d.plan_of(d.uniform()) for d in self.decisions]
        weight = np.ones(len(self.ends))
        for p, plan in enumerate(plans):
            weight *= plan[self.ends[:, p]]
        return float(np.abs(self.payoffs).max(axis=1) @ weight) or 1.0

    @cached_property
    def matrices(self) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
        """For two players: sparse float64[own sequences, other's sequences], what each player wins."""
        sparse = sparse_matrices()
        shape = self.decisions[0].num_sequences, self.decisions[1].num_sequences
        first = sparse.coo_array((self.payoffs[:, 0], (self.ends[:, 0], self.ends[:, 1])), shape=shape).tocsr()
        second = sparse.coo_array((self.payoffs[:, 1], (self.ends[:, 1], self.ends[:, 0])), shape=shape[::-1]).tocsr()
        return first, second

    def gradient(self, player: int, plans: Sequence[Floats]) -> Floats:
        """Return float64[sequences]: what a player wins per unit of weight of each own sequence; own plan not read."""
        if self.num_players == 2:
            return np.asarray(self.matrices[player] @ plans[1 - player])
        weight = self.payoffs[:, player]
        for p, plan in enumerate(plans):
            if p != player:
                weight = weight * plan[self.ends[:, p]]
        return np.asarray(np.bincount(self.ends[:, player], weight, self.decisions[player].num_sequences), np.float64)

    def values(self, plans: Sequence[Floats]) -> tuple[float, ...]:
        """Return what each player wins on average."""
        weight = np.ones(len(self.ends))
        for p, plan in enumerate(plans):
            weight = weight * plan[self.ends[:, p]]
        return tuple(float(column @ weight) for column in self.payoffs.T)

    def best_responses(self, plans: Sequence[Floats]) -> tuple[float, ...]:
        """Return what each player wins on average with a best response to the plans of the others."""
        return tuple(d.best_response(self.gradient(p, plans))[0] for p, d in enumerate(self.decisions))

    def gains(self, plans: Sequence[Floats]) -> tuple[float, ...]:
        """Return by how much each player would win more with a best response; the sum is ``nash_conv``."""
        return tuple(best - value for best, value in zip(self.best_responses(plans), self.values(plans), strict=True))

    @cached_property
    def index(self) -> tuple[dict[str, int], ...]:
        """By player, the number of each information set by its name."""
        return tuple({name: i for i, name in enumerate(names)} for names in self.names)

    def sequences_of(self, player: int, information_set: int) -> Integers:
        """Return the sequences that end at an information set, one for each action."""
        for block in self.decisions[player].blocks:
            if information_set < block.first_set + block.num_sets:
                return block.first + np.arange(block.num_actions) * block.num_sets + information_set - block.first_set
        raise StrategyError(f"Player {player} of {self.title} has no information set {information_set}.")

    def table(self, player: int, behaviour: Floats) -> Iterator[tuple[str, dict[str, float]]]:
        """Yield the name of each information set of a player, with the probability of each action by its name."""
        for number, (name, actions) in enumerate(zip(self.names[player], self.actions[player], strict=True)):
            yield name, dict(zip(actions, behaviour[self.sequences_of(player, number)].tolist(), strict=True))

    def behaviours(self, table: Mapping[str, Any]) -> list[Floats]:
        """Return by player the action probabilities of a table, float64[sequences].

        ``table`` maps the name of each information set to the probabilities of its actions: by their names, or as
        pairs, as the tables of OpenSpiel have them (``pyspiel.TabularPolicy.policy_table()``).

        Raises :class:`StrategyError` if a set or an action is missing or unknown, or probabilities do not sum to 1.
        """
        found = []
        for player, (decisions, names) in enumerate(zip(self.decisions, self.names, strict=True)):
            behaviour = np.ones(decisions.num_sequences)
            for number, name in enumerate(names):
                given = table.get(name)
                if given is None:
                    raise StrategyError(f"The table has nothing for {name!r:.200}, a set of player {player}.")
                said = {str(a): float(p) for a, p in (given.items() if isinstance(given, Mapping) else given)}
                actions = self.actions[player][number]
                if unknown := set(said) - set(actions):
                    raise StrategyError(
                        f"The table has the actions {sorted(unknown)} at {name!r:.200}; there are {actions}."
                    )
                behaviour[self.sequences_of(player, number)] = [said.get(action, 0.0) for action in actions]
            found.append(decisions.check(behaviour, f"The table for player {player}"))
        return found

    def digest(self) -> str:
        """Return a SHA-256 over the arrays and the names."""
        digest = hashlib.sha256()
        for decisions in self.decisions:
            for block in decisions.blocks:
                digest.update(np.array([block.num_actions, block.num_sets], "<i8").tobytes())
                digest.update(block.leading.astype("<i8").tobytes())
        digest.update(self.ends.astype("<i8").tobytes() + self.payoffs.astype("<f8").tobytes())
        digest.update(repr((self.names, self.actions)).encode())
        return digest.hexdigest()


def in_blocks(leading: Integers, num_actions: Integers, title: str) -> tuple[Decisions, Integers, Integers]:
    """Return decisions in blocks, the sets in their new order, and the new number of each sequence."""
    if leading.shape != num_actions.shape or leading.ndim != 1 or (num_actions < 1).any():
        raise GameDefinitionError(f"Every information set of {title} needs a leading sequence and at least one action.")
    first = np.concatenate([[1], 1 + np.cumsum(num_actions)])
    if not ((leading >= 0) & (leading < first[:-1])).all():
        raise GameDefinitionError(f"An information set of {title} comes before the one that leads to it.")
    set_of = np.repeat(np.arange(len(leading)), num_actions)
    depth = np.zeros(len(leading), dtype=np.int64)
    above = np.where(leading > 0, set_of[np.maximum(leading - 1, 0)], -1) if len(leading) else leading
    while len(leading) and (deeper := np.where(above >= 0, depth[above] + 1, 0)).max() > depth.max():
        depth = deeper
    order = np.lexsort((num_actions, depth))
    keys = np.stack([depth[order], num_actions[order]], axis=1)
    cuts = np.concatenate([[0], 1 + np.flatnonzero((np.diff(keys, axis=0) != 0).any(axis=1)), [len(order)]])
    number = np.zeros(int(first[-1]), dtype=np.int64)
    count, spans = 1, []
    for start, stop in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        sets = order[start:stop]
        if not len(sets):
            continue
        actions = int(num_actions[sets[0]])
        for a in range(actions):
            number[first[sets] + a] = count + a * len(sets) + np.arange(len(sets))
        spans.append((count, start, actions, sets))
        count += actions * len(sets)
    blocks = tuple(Block(at, start, actions, number[leading[sets]]) for at, start, actions, sets in spans)
    return Decisions(blocks), order, number
