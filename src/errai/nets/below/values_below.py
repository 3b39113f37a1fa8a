"""Networks below an agent's lookaheads: at their leaves, and where cards have been dealt after them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_text
from errai.engine.leaf_values import LeafValues
from errai.errors import InputError
from errai.games.hand import PublicState
from errai.games.lookahead import Lookahead
from errai.nets.below.averages import AveragedLeafValues
from errai.nets.below.leaf_boards import Members, shares
from errai.nets.below.leaves import EVERY, NetLeafValues, PreparedBoards
from errai.nets.positions import Predictor, checked_net, said_by, values_on
from errai.resolving.below import ValuesBelow, leaf_at
from errai.resolving.subgame import Ranges
from errai.running.recent import Recent
from errai.running.stopping import StopToken
from errai.solutions.solution import Profile, Solution

REMEMBERED_BYTES = 1 << 28
"""Memory for the averages of earlier lookaheads; the oldest are dropped first."""


class NetsBelow:
    """Networks at the leaves of lookaheads, and on new streets; a :class:`errai.resolving.below.ValuesBelow`.

    Parameters
    ----------
    nets:
        One network for each round before which lookaheads are cut or whose values are needed, and perhaps an auxiliary
        one for the end of the first round, which then stands at the leaves there; the values on the boards that follow
        are those of the network of the second round, in the mean over the lookahead's iterations.
    otherwise:
        The source of values for rounds without a network; by default there is none.
    every, parts, threads:
        As for :class:`NetLeafValues`, and :class:`AveragedLeafValues` if ``averaged``; None are their defaults.
    averaged:
        Whether the gadget uses the mean of the network's outputs over a lookahead's iterations, as in DeepStack,
        instead of its output for the ranges of the average strategy (:mod:`errai.nets.below.averages`).

    Raises
    ------
    InputError
        Two networks are for the same round, or a round that is needed has none.
    """

    def __init__(
        self,
        nets: Predictor | Sequence[Predictor],
        otherwise: ValuesBelow | None = None,
        *,
        every: int = EVERY,
        parts: int | None = None,
        threads: int | None = None,
        averaged: bool = False,
    ) -> None:
        given = [checked_net(net) for net in (nets if isinstance(nets, Sequence) else [nets])]
        self.nets = {net.round: net for net in given}
        if len(self.nets) < len(given) or not given:
            raise InputError("Give at least one network, and at most one for each round.")
        self.otherwise, self.averaged = otherwise, averaged
        self._settings: dict[str, Any] = {"every": every, "threads": threads}
        if parts is not None:
            self._settings["parts"] = parts
        self.name = ", ".join(net.name for net in given)
        self._made: deque[AveragedLeafValues] = deque()
        # A bet that a lookahead lacks is answered by another one on the same board.
        self._prepared: PreparedBoards = Recent(1)
        self.stop: StopToken | None = None
        """Ends the preparation of boards with a :class:`~errai.errors.StoppedError`; what has been prepared is kept."""

    def __getstate__(self) -> dict[str, Any]:
        # Another process solves its own lookaheads.
        return {**self.__dict__, "_made": deque()}

    def leaf_values(self, lookahead: Lookahead, player: int | None = None) -> LeafValues:
        """Return the leaf values of a lookahead; see :class:`errai.resolving.below.ValuesBelow`."""
        net = None if lookahead.depth is None else self._at_leaves(lookahead.depth)
        if net is not None:
            if not net.round:
                # What the opponent is held to on a board is computed from the ranges of the iterations.
                over = AveragedLeafValues(net, on_boards=False, parts=1, threads=1)
                over.keeps_history = True
                return over
            if self.averaged:
                for earlier in self._made:
                    earlier.finish()
                while len(self._made) > 1 and sum(earlier.bytes for earlier in self._made) > REMEMBERED_BYTES:
                    self._made.popleft()
                self._made.append(AveragedLeafValues(net, **self._settings, prepared=self._prepared))
                made: NetLeafValues = self._made[-1]
            else:
                made = NetLeafValues(net, **self._settings, prepared=self._prepared)
            made.stop = self.stop
            return made
        return self._other(lookahead.depth).leaf_values(lookahead, player)

    def values(
        self, state: PublicState, ranges: Ranges, player: int, above: Profile | None = None
    ) -> NDArray[np.float64]:
        """Return the network's values on a new street; see :class:`errai.resolving.below.ValuesBelow`."""
        net, betting, game = self.nets.get(state.betting.round), state.betting, state.subject.rules
        if net is None:
            return self._other(state.betting.round - 1).values(state, ranges, player, above)
        for made in self._made:
            if above is not None and made.averaged is above.tree:
                known = made.on_new_street(state, ranges[1 - player], player)
                if known is not None:
                    return known
        held, weights = np.stack(ranges)[None], np.ones(1)
        if isinstance(above, Solution):
            held, weights = reach_in_iterations(above, state, player) or (held, weights)
        said = values_on(net, state.board, game.deck, game.num_hole_cards)
        seats = game.first_player[net.round], 1 - game.first_player[net.round]
        here = held[:, seats][:, :, said.hands]
        left_chips = (min(game.stacks) - betting.stake_chips) / game.unit
        stacks = np.full(len(here), left_chips / state.pot_chips, dtype=np.float32)

        def place(position: int, seat: int, hand: int) -> str:
            own = hand_text(game.deck, int(said.hands[hand]), game.num_hole_cards)
            return f"on the board {game.deck.cards_text(state.board)} for {own} of player {seats[seat]}"

        what = f"The values of the network {net.name!r}"
        values = said_by(said, shares(here).astype(np.float32), stacks, what, place)[:, seats.index(player)]
        brought = weights * here[:, 1 - seats.index(player)].sum(axis=1)
        found = np.zeros(len(ranges[player]))
        if brought.any():
            own = float(ranges[1 - player][said.hands].sum())
            found[said.hands] = brought @ values * (own * state.pot_chips / brought.sum())
        return found

    def _at_leaves(self, depth: int) -> Predictor | None:
        """Return the network at the leaves of a lookahead that is cut after a round: an auxiliary one, if there is."""
        return self.nets.get(0 if depth == 0 and 0 in self.nets else depth + 1)

    def _other(self, depth: int | None) -> ValuesBelow:
        if self.otherwise is None:
            asked = "the end" if depth is None else f"round {depth + 1}"
            raise InputError(f"Give a network for {asked} too; those given are for the rounds {sorted(self.nets)}.")
        return self.otherwise


def reach_in_iterations(
    solution: Solution, state: PublicState, player: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return both players' reach in the iterations of a solution, where cards have been dealt after one of its leaves.

    The result is float64[E, P, H] over all hands of the deck, and float64[E], what each counts for the player's values;
    or None if the solution has no history, or if its tree has no line to the state.
    """
    leaf = leaf_at(solution.tree, solution.subject.state or PublicState.start(solution.subject), state)
    if solution.history is None or leaf is None:
        return None
    level = solution.tree.deal.streets[0]
    found = np.zeros((len(solution.history.weights), 2, len(solution.tree.root.hands)))
    for p, (reach, hands) in enumerate(zip(solution.history.reach, level.hands, strict=True)):
        members = Members.on(hands, 0)
        found[:, p, members.hands] = np.repeat(reach[:, leaf], members.sizes, axis=1)
    return found, solution.history.weights[:, player]
