"""Hands before any card of the board: in classes that are equal up to a renaming of suits, for auxiliary networks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards, hand_texts
from errai.cards.isomorphism import HandIndexer
from errai.games.game import Game
from errai.nets.networks.matchups import matchups, product
from errai.nets.positions import BoardValues, Floats, Predictor, ValuesOn, said_by, values_on


@dataclass(frozen=True, eq=False)
class ClassMatchups:
    """Hands against hands before any card of the board, in classes of hands that are equal up to a renaming of suits.

    It answers what :class:`~errai.nets.networks.matchups.Matchups` answers, for ranges in which all hands of a class
    have the same weight: before the board nothing tells them apart.  Axes: L hands, K classes (169 in hold'em).
    """

    hands: NDArray[np.int64]
    """int64[L]: as in :class:`~errai.nets.networks.matchups.Matchups`."""
    class_of: NDArray[np.int64]
    """int64[L]: the class of each hand."""
    members: Floats | None
    """float32[L, K]: 1 for the class of each hand; None where the hands are the classes themselves."""
    margins: Floats
    """float32[K, K]: the row class's chance to win at the showdown less its chance to lose, times the chance that the
    two hands share no card."""
    fits: Floats
    """float32[K, K]: the chance that two hands of these classes share no card."""

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """int64[K]: the number of hands of each class."""
        return np.bincount(self.class_of, minlength=len(self.fits))

    def by_class(self) -> ClassMatchups:
        """Return the classes themselves in place of hands; a range then has the weight of each class as a whole."""
        first = self.hands[np.unique(self.class_of, return_index=True)[1]]
        return replace(self, hands=first, class_of=np.arange(len(self.fits)), members=None)

    def sums(self, ranges: Floats) -> Floats:
        """float32[..., K]: the weight of each class."""
        return ranges if self.members is None else product(ranges, self.members)

    def check_down(self, ranges: Floats) -> Floats:
        """See :meth:`~errai.nets.networks.matchups.Matchups.check_down`."""
        return 0.5 * product(self.sums(ranges), self.margins.T)[..., self.class_of]

    def fitting(self, ranges: Floats) -> Floats:
        """See :meth:`~errai.nets.networks.matchups.Matchups.fitting`."""
        return product(self.sums(ranges), self.fits)[..., self.class_of]


def class_matchups(game: Game, among: NDArray[np.int64] | None = None) -> ClassMatchups:
    """Return the classes of a game's hands before any card of the board.

    ``among`` is as for :func:`~errai.nets.networks.matchups.matchups`.
    """
    class_of, members, margins, fits = _classes(game)
    hands = np.arange(len(class_of)) if among is None else among
    return ClassMatchups(hands, class_of[hands], members[hands], margins, fits)


@lru_cache(maxsize=4)
def _classes(game: Game) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    """Return the class of every hand, and the matrices of :class:`ClassMatchups`."""
    met = matchups(game, ())
    held = hand_cards(game.deck.num_cards, game.num_hole_cards)
    class_of = np.unique(HandIndexer((game.num_hole_cards,), game.deck).index(held), return_inverse=True)[1].reshape(-1)
    members = np.eye(int(class_of.max()) + 1, dtype=np.float32)[class_of]
    mean = members / members.sum(axis=0)
    fitting = (met.holds @ met.holds.T == 0.0).astype(np.float32)
    return class_of, members, mean.T @ met.margins @ mean, mean.T @ fitting @ mean


def values_on_classes(net: Predictor, game: Game) -> BoardValues:
    """Return an auxiliary network's values before the board on classes of hands in place of hands.

    The classes are those of :func:`class_matchups`, and a range has the weight of each as
    a whole.  A network's own ``on_classes()`` is used where it has one.  Errors are those of :func:`values_on` and
    :func:`said_by`.
    """
    own = getattr(net, "on_classes", None)
    if own is not None:
        found: BoardValues = own()
        return found
    classes = class_matchups(game)
    said = values_on(net, (), game.deck, game.num_hole_cards)
    first = classes.by_class().hands
    texts = hand_texts(game.deck, game.num_hole_cards)

    def values(ranges: Floats, stacks: Floats) -> Floats:
        of_hands = (ranges / classes.sizes)[..., classes.class_of].astype(np.float32)
        place = lambda position, player, hand: f"before the board for {texts[hand]} of player {player}"  # noqa: E731
        return said_by(said, of_hands, stacks, f"The values of the network {net.name!r}", place)[..., first]

    return ValuesOn(first, values)
