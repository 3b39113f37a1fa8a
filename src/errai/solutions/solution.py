"""A solution: the strategy of every hand on every line, its values, and the certificate of its exploitability."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from operator import getitem
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cards.hands import fitting_weights
from errai.engine.certificate import StrategyProfile
from errai.engine.curve import Curve
from errai.engine.leaf_values import LeafHistory, LeafMeasurement, LeafValues
from errai.engine.root import Entering, in_hands
from errai.engine.status import Status
from errai.engine.units import Exploitability, Units
from errai.errors import InputError, LeafValuesError, LineError
from errai.games.game import Subject
from errai.games.streets import street_name
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, FIXED
from errai.kernels.protocol import Arrays, Kernel, RootReach
from errai.options import Encoding
from errai.running.recent import Recent
from errai.solutions.node import NOTEBOOK, SolutionNode
from errai.solutions.node_board import MemoryBoard, NodeBoard
from errai.solutions.subjects import subject_document
from errai.store.container import write_container
from errai.tree.betting_tree import BettingTree, NodeKind
from errai.tree.lines import card_texts, is_deal, steps
from errai.tree.public_tree import PublicTree, TreePlan

if TYPE_CHECKING:
    from errai.games.hand import PublicState
    from errai.strategies.strategy import Choices

KIND = "solution"
"""Kind of the container of a solution file."""


@dataclass(frozen=True)
class ProfileValues:
    """What a strategy profile earns."""

    chips: tuple[float, float]
    """Chips per hand of player 0 and 1.  Games: net, summing to 0.  Spots: share of the pot, summing to it less the
    rake."""


@dataclass(frozen=True)
class Difference:
    """A number of a certificate that differs from the recomputed one."""

    name: str
    """Such as ``exploitability`` or ``value of player 0``."""
    certificate: float
    recomputed: float

    def __str__(self) -> str:
        # As many digits as it takes to see the difference.
        pairs = [(f"{self.certificate:.{n}g}", f"{self.recomputed:.{n}g}") for n in range(4, 18)]
        claimed, found = next((pair for pair in pairs if pair[0] != pair[1]), pairs[-1])
        return f"{self.name}: {claimed} chips in the certificate, {found} recomputed"


Pairs = dict[str, tuple[float, float]]
"""Maps the name of a number to its values in chips: in the certificate, and recomputed."""


def exploitability_pairs(prefix: str, certificate: Exploitability, recomputed: Exploitability) -> Pairs:
    """Return the numbers of two exploitabilities; ``prefix`` goes before their names."""
    pairs = {f"{prefix}exploitability": (certificate.chips, recomputed.chips)}
    for p in (0, 1):
        pairs[f"{prefix}gain of player {p}"] = certificate.by_player[p], recomputed.by_player[p]
    return pairs


def value_pairs(certificate: ProfileValues, recomputed: ProfileValues) -> Pairs:
    """Return the values of both players."""
    return {f"value of player {p}": (certificate.chips[p], recomputed.chips[p]) for p in (0, 1)}


@dataclass(frozen=True)
class Verification:
    """A certificate, and the result of recomputing it."""

    recomputed: Exploitability
    certificate: Exploitability
    tolerance_chips: float
    differences: tuple[Difference, ...] = ()
    """Numbers that differ by more than ``tolerance_chips``."""

    @classmethod
    def of(
        cls, recomputed: Exploitability, certificate: Exploitability, tolerance_chips: float, compared: Pairs
    ) -> Verification:
        """Compare two exploitabilities, and further pairs of numbers."""
        pairs = {**exploitability_pairs("", certificate, recomputed), **compared}
        # Written so that NaN differs.
        differing = (Difference(name, a, b) for name, (a, b) in pairs.items() if not abs(a - b) <= tolerance_chips)
        return cls(recomputed, certificate, tolerance_chips, tuple(differing))

    @property
    def certified(self) -> bool:
        """Whether all numbers agree."""
        return not self.differences

    def __bool__(self) -> bool:
        return self.certified


@dataclass(frozen=True, eq=False)
class RootValues:
    """Values of the root for every hand, in net chips over the whole hand (half of a spot's pot counts as put in)."""

    counterfactual: NDArray[np.float64]
    """float64[2, H]: summed over the opponent's hands that share no card with the hand, weighted by the opponent's
    range; NaN for hands outside the player's range."""
    ev: NDArray[np.float64]
    """float64[2, H]: the same, divided by the weight of those hands; NaN also if there are none."""


@dataclass(frozen=True)
class Below:
    """The name of the leaf values of a solution that is cut."""

    name: str
    digest: str | None = None

    @classmethod
    def of(cls, leaf_values: LeafValues) -> Below:
        """Take name and digest from leaf values."""
        return cls(leaf_values.name, leaf_values.digest)

    def __str__(self) -> str:
        return repr(self.name) if self.digest is None else f"{self.name!r} ({self.digest:.12})"


ROLES = {"values": FIXED, "best": BEST}
"""The names of the arrays that a file has of a player's values, and what the player does: the own strategy, or a best
response."""


@dataclass(frozen=True, eq=False)
class FirstStreetValues:
    """Values at all nodes of the first street of a tree; a walk of everything that follows is needed to compute them.

    Both are one float64[n, H_b] for each player: counterfactual values of the classes of the root board at the street's
    ``n`` nodes, in net chips over the whole hand, against the other player's reach in the solution.
    """

    values: tuple[NDArray[np.float64], NDArray[np.float64]]
    """The player follows the own strategy."""
    best: tuple[NDArray[np.float64], NDArray[np.float64]]
    """The player responds best from the node on."""

    def at(self, betting: BettingTree, player: int, node: int, *, best: bool) -> NDArray[np.float64]:
        """Return float64[.., H_b]: a player's values at a node and, if the player acts there, after each action."""
        after = betting.children(node) if betting.actor[node] == player else ()
        return np.asarray((self.best if best else self.values)[player][np.array([node, *after])])

    def difference(self, other: FirstStreetValues) -> float:
        """Return the greatest difference from other values of the same nodes."""
        both = zip((*self.values, *self.best), (*other.values, *other.best), strict=True)
        return max(float(np.abs(mine - theirs).max(initial=0.0)) for mine, theirs in both)


MOST_EVALUATED = 4_000_000
"""The most pairs of information set and action below a node that are read from a file to compute its hands' values.

A file of a larger solution has the values of the first street.
"""

VERIFY_TOLERANCE = 1e-9
"""Tolerance of :meth:`Solution.verify`, as a fraction of the initial pot, since both sides are summed in float64; leaf
values may have a greater one of their own."""


class Profile(ABC):
    """The common base of a solution in memory and one on disk: its game, and the access to its nodes."""

    tree: PublicTree | TreePlan

    @property
    def first_street(self) -> FirstStreetValues | None:
        """The values of the first street, if they are kept."""
        return None

    @property
    @abstractmethod
    def root_board(self) -> NodeBoard:
        """The board at the root, as nodes see it."""

    @property
    def subject(self) -> Subject:
        """The game, spot or lookahead that was solved."""
        return self.tree.subject

    @property
    def title(self) -> str:
        """Title of the game or spot."""
        return self.subject.label

    @property
    def zero_sum(self) -> bool:
        """Whether the players win only from each other; False if the pot is raked."""
        return self.subject.zero_sum

    @property
    def depth(self) -> int | None:
        """The round of the game after which the tree is cut; None if it goes to the end."""
        return self.tree.depth

    @property
    def root_ranges(self) -> NDArray[np.float64]:
        """float64[2, H]: both players' ranges at the root."""
        return np.stack([np.asarray(w, dtype=np.float64) for w in self.tree.root.weights])

    @property
    def root_gains(self) -> tuple[float, float] | None:
        """Chips that each player would gain by a best response from the root on, as certified; else None."""
        return None

    @property
    def deck(self) -> Deck:
        """The cards."""
        return self.tree.root.deck

    @property
    def board(self) -> tuple[int, ...]:
        """Cards on the table at the root, in the order of the spot."""
        return self.subject.board

    @property
    def initial_pot_chips(self) -> float:
        """Chips in the middle at the root."""
        return self.tree.betting.initial_pot

    @cached_property
    def units(self) -> Units:
        """Conversions of chips."""
        return Units.of(self.subject, self.initial_pot_chips)

    @property
    def information_sets(self) -> int:
        """Exact number of information sets, without merging suits."""
        return self.tree.information_sets

    @property
    def canonical_information_sets(self) -> int:
        """Information sets up to suits."""
        return self.tree.canonical_information_sets

    @cached_property
    def root(self) -> SolutionNode:
        """The first decision."""
        return SolutionNode.at_root(self)

    def __getitem__(self, action: str) -> SolutionNode:
        return self.root[action]

    def at(self, line: str = "") -> SolutionNode:
        """Return the node to which a line leads, such as ``check bet 120 call / Ah / check``.

        Cards are named where a street is dealt, between slashes or as words.  Raises :class:`LineError` if there is no
        such line; the message says what is possible.
        """
        return [self.root, *(node for _, node in line_nodes(self.root, line))][-1]

    def strategy_at(self, state: PublicState) -> Choices:
        """Return the actions and the probabilities of every hand at a public state.

        The hands are all of the deck, in hand-index order: ``probabilities`` is float64[H, A], with rows of 0 for hands
        that cannot be held there.  A bet that the solution does not know is translated to one that it knows
        (:mod:`errai.strategies.tree_walk`).

        Raises :class:`StrategyError` if the state is of another game, or one after which the tree is cut.

        Examples
        --------
        >>> import errai
        >>> from errai.games.hand import CALL, PublicState
        >>> solution = errai.solve(errai.load_game("kuhn"), "0.1mbb")
        >>> after_a_check = PublicState.start(solution.subject).after(CALL)
        >>> solution.strategy_at(after_a_check).probabilities.round(2).tolist()
        [[0.67, 0.33], [1.0, 0.0], [0.0, 1.0]]
        """
        # What plays solutions stands above them, and is looked up when it is asked for.
        choices: Choices = import_module("errai.strategies.solution").choices_at(self, state)
        return choices


class MemoryProfile(Profile):
    """A profile whose whole tree is in memory."""

    tree: PublicTree
    strategy: Arrays
    """Arrays of probabilities, laid out as the tree's state."""
    threads: int
    below: Below | None
    leaves: LeafMeasurement | None

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel that evaluates nodes."""
        return make_kernel("cpu", self.tree.arrays, self.threads)

    @cached_property
    def known_values(self) -> dict[int, Recent[Hashable, NDArray[np.float64]]]:
        """Values of boards that were computed last, by street, for the nodes."""
        return {}

    @property
    def root_board(self) -> MemoryBoard:
        return MemoryBoard(self, 0, 0)


@dataclass(eq=False)
class Solution(MemoryProfile):
    """A strategy profile for both players, with the certificate of its exploitability.

    ``solution["check"]`` or ``solution.at("check bet 120")`` gives a :class:`~errai.solutions.node.SolutionNode`.

    Parameters
    ----------
    tree:
        The public tree.
    strategy:
        Arrays of probabilities, in one of the encodings of :mod:`errai.engine.strategy`.
    exploitability:
        The certificate: computed in float64 from ``strategy`` as it is held here.
    """

    tree: PublicTree
    strategy: Arrays
    exploitability: Exploitability
    values: ProfileValues
    status: Status
    """How the solve ended; the text of :class:`~errai.engine.status.Status`, whose ``advice`` says what can be done."""
    iterations: int
    seconds: float
    schedule: dict[str, Any]
    curve: Curve
    """float64[k, 3]: iteration, seconds, exploitability in chips; ``curve.to_frame()`` is a data frame."""
    encoding: Encoding
    menu: str | None = None
    """Bet sizes of a no-limit game, as they were given."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Backend, threads, precision, seed, target, versions and instruction set of the run."""
    threads: int = 1
    memory_bytes: int = 0
    """Estimated peak of the solver's own arrays."""
    below: Below | None = None
    """Name of the leaf values of a tree that is cut; the certificate is that of the cut game with these values."""
    entering: Entering | None = None
    """The reach that enters at the root if it is not the ranges; the certificate is that of the game with the
    gadget."""
    leaves: LeafMeasurement | None = field(default=None, repr=False)
    """Values of the leaves under the strategy; None in a tree that is not cut, and if a file does not have them."""
    first_street: FirstStreetValues | None = field(default=None, repr=False)
    """The values of the first street, in files of solutions so large that it takes seconds to compute them."""
    history: LeafHistory | None = field(default=None, repr=False)
    """The reach at the leaves in the iterations, if the leaf values kept it; :func:`errai.preflop` asks for that."""
    other_curve: Curve | None = field(default=None, repr=False)
    """The curve of the other strategy, current beside average, if both were measured; see :attr:`curves`."""

    @property
    def title(self) -> str:
        """Title of the game or spot; it says where the tree is cut and the name of the values there."""
        if self.below is None or self.depth is None:
            return super().title
        return f"{super().title} {cut_text(self.subject, self.depth, self.below.name)}"

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel that evaluates nodes."""
        backend = str(self.settings.get("backend", "cpu"))
        # A node is one board, and a GPU has nothing to gain there.
        return make_kernel("cpu" if backend == "cuda" else backend, self.tree.arrays, self.threads)

    @property
    def curves(self) -> dict[str, Curve]:
        """The curve by the name of the strategy, ``average`` or ``current``; both if both were measured."""
        mine = "current" if self.settings.get("strategy") == "current" else "average"
        found = {mine: self.curve}
        if self.other_curve is not None:
            found["average" if mine == "current" else "current"] = self.other_curve
        return found

    def verify(self, leaf_values: Any = None) -> Verification:
        """Recompute exploitability and values from the strategy, and compare them with the certificate.

        ``leaf_values`` are those of :func:`errai.solve`, for a solution that is cut.  Raises :class:`LeafValuesError`
        if they are missing or not those of the solution.
        """
        leaves, rounding = self._leaves(leaf_values)
        profile = StrategyProfile(self.tree, self.kernel, self.strategy, leaves, self.entering)
        recomputed, net = profile.certificate(self.units)
        tolerance = max(VERIFY_TOLERANCE, rounding) * self.initial_pot_chips
        pairs = value_pairs(self.values, profile_values(self.tree, net))
        # The greatest differences from the values that are kept, for a range of weight 1.
        weight = max(1.0, float(self.root_ranges.sum(axis=1).max()))
        if leaves is not None and self.leaves is not None:
            pairs |= {"values of the leaves": (self.leaves.difference(leaves) / weight, 0.0)}
        if self.first_street is not None:
            most = self.first_street.difference(self._first_street_values(leaves)) / weight
            pairs |= {"values of the first street": (most, 0.0)}
        return Verification.of(recomputed, self.exploitability, tolerance, pairs)

    def _first_street_values(self, leaves: LeafMeasurement | None) -> FirstStreetValues:
        """Compute the values of the first street, by one walk for each player and role."""
        reach = [self.root.reach(p).entering[None] for p in (0, 1)]
        found = []
        for name, role in ROLES.items():
            below = (None, None) if leaves is None else getattr(leaves, name)
            first, second = (
                self.kernel.board_values(self.strategy, p, 0, 0, reach[1 - p], role=role, leaf_values=below[p])
                for p in (0, 1)
            )
            found.append((first, second))
        return FirstStreetValues(*found)

    def _leaves(self, given: Any) -> tuple[LeafMeasurement | None, float]:
        """Return the values of the leaves under the strategy, from the given leaf values, and their rounding."""
        if self.below is None:
            if given is not None:
                raise LeafValuesError(f"The solution of {self.title} goes to the end of the game; it has no leaves.")
            return None, 0.0
        if given is None:
            raise LeafValuesError(
                f"The solution depends on the leaf values {self.below.name!r}; pass them: "
                "solution.verify(leaf_values=...)."
            )
        from errai.engine.leaf_values import as_leaf_values
        from errai.engine.seams import measured_below

        below = as_leaf_values(given)
        if Below.of(below) != self.below:
            raise LeafValuesError(f"The solution depends on the leaf values {self.below}, not on {Below.of(below)}.")
        reach = self.kernel.leaf_reach(self.strategy, tied=False, reach=self._root_reach)
        return measured_below(below, self.tree, reach), below.rounding

    @property
    def _root_reach(self) -> RootReach | None:
        return None if self.entering is None else self.entering.reach

    @cached_property
    def root_values(self) -> RootValues:
        """Values of the root for every hand of both players if they follow the strategy.

        Raises :class:`LeafValuesError` for a solution from a file that is cut and has no values of the leaves.
        """
        if self.below is not None and self.leaves is None:
            raise LeafValuesError(f"The values of the root depend on {self.below}, which are not in the file.")
        found = np.full((2, len(self.tree.root.hands)), np.nan)
        for p in (0, 1):
            leaf_values = None if self.leaves is None else self.leaves.values[p]
            values = self.kernel.root_values(self.strategy, p, leaf_values=leaf_values, reach=self._root_reach)
            found[p] = in_hands(values, self.tree, p)
        weights = self.root_ranges
        against = np.stack([fitting_weights(self.tree.root.hands, weights[1 - p]) for p in (0, 1)])
        met = against > 1e-15 * np.maximum(1.0, weights[::-1].sum(axis=1, keepdims=True))
        return RootValues(found, np.divide(found, against, out=np.full_like(found, np.nan), where=met))

    @property
    def root_ranges(self) -> NDArray[np.float64]:
        if self.entering is None:
            return super().root_ranges
        return np.stack([np.nan_to_num(in_hands(self.entering.reach[p], self.tree, p)) for p in (0, 1)])

    @property
    def root_gains(self) -> tuple[float, float] | None:
        """See :attr:`Profile.root_gains`; None with a gadget, whose certificate is not that of the root."""
        return self.exploitability.by_player if self.entering is None else None

    def save(self, path: str | Path) -> None:
        """Write the solution to one file, atomically; see docs/file-formats.md."""
        if self.entering is not None:
            raise InputError("A solution with a gadget cannot be saved; there is no file format for it.")
        certificate = self.exploitability
        metadata = {
            "subject": subject_document(self.subject, self.menu),
            **self.tree.options,
            "schedule": self.schedule,
            "settings": dict(self.settings),
            "status": self.status,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "encoding": self.encoding,
            "certificate": {
                "exploitability_chips": certificate.chips,
                "gain_chips": list(certificate.by_player),
                "value_chips": list(self.values.chips),
            },
            "curve": self.curve.tolist(),
            **({} if self.other_curve is None else {"other_curve": self.other_curve.tolist()}),
            "memory_bytes": self.memory_bytes,
        }
        arrays = {f"strategy/{s}/{p}": a for s, pair in enumerate(self.strategy) for p, a in enumerate(pair)}
        unknown = self.below is not None and self.leaves is None
        if len(self.strategy) > 1 and sum(a.size for a in arrays.values()) > MOST_EVALUATED and not unknown:
            if self.first_street is None:
                self.first_street = self._first_street_values(self.leaves)
            for role in ROLES:
                arrays |= {f"first/{role}/{p}": a.ravel() for p, a in enumerate(getattr(self.first_street, role))}
        if self.below is not None:
            below: dict[str, Any] = {"name": self.below.name, "digest": self.below.digest}
            if self.leaves is not None:
                below["zero_sum"] = self.leaves.zero_sum
                for role in ROLES:
                    arrays |= {f"leaves/{role}/{p}": found[-1] for p, found in enumerate(getattr(self.leaves, role))}
            if self.history is not None:
                below["evaluations"] = len(self.history.weights)
                arrays |= {f"history/reach/{p}": found.ravel() for p, found in enumerate(self.history.reach)}
                arrays["history/weights"] = self.history.weights.ravel()
            metadata |= {"depth": self.depth, "leaf_values": below}
        write_container(path, KIND, metadata, arrays, pieces=True)

    def __repr__(self) -> str:
        return f"<Solution of {self.title}: exploitability {self.exploitability}, {self.iterations:,} iterations>"

    def _repr_html_(self) -> str:
        html: str = import_module(NOTEBOOK).solution_html(self)
        return html


Follow = Callable[[SolutionNode, str], SolutionNode]
"""Returns the node after a step from another."""


def line_nodes(node: SolutionNode, line: str, follow: Follow = getitem) -> Iterator[tuple[str, SolutionNode]]:
    """Yield every step of a line from a node on, and the node after it.

    ``follow`` takes a single step; one that keeps the nodes that it has made saves work where many lines are followed.
    Raises :class:`LineError` where there is no such step.
    """
    for step in steps(line):
        if node.kind == "chance" and not is_deal(step):
            cards = "".join(node.children[-node.solution.tree.root.new_cards[node.street] :])
            raise LineError(
                f"After '{node.line}' the street is closed; name the cards, as in '{node.line} / {cards} / {step}'."
            )
        while step:
            now, step = step, ""
            if node.kind == "chance":
                # After an all-in and a call several streets may be dealt in one step.
                betting, dealt = node.solution.tree.betting, card_texts(now)
                count = node.solution.tree.root.new_cards[node.street]
                if len(dealt) > count and betting.kind[betting.first_child[node.node]] == NodeKind.CHANCE:
                    now, step = "".join(dealt[:count]), "".join(dealt[count:])
            node = follow(node, now)
            yield now, node


def cut_text(subject: Subject, depth: int, below: str) -> str:
    """Return where a tree is cut and the name of the values there, for a title."""
    return f"(cut after the {street_name(subject.rules, depth)}: {below})"


def profile_values(tree: PublicTree, net: tuple[float, float]) -> ProfileValues:
    """Return what both players earn per hand: net chips, which are given, in games; shares of the pot in spots."""
    share = 0.0 if tree.subject.values_are_net else tree.subject.dead_chips
    return ProfileValues((share + net[0], share + net[1]))
