"""Value networks, and whatever stands for one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.errors import ContractError
from errai.games.game import Game
from errai.nets.positions import Predictor, check_has_networks, checked_net, said_by
from errai.own_code import described
from errai.testing.blame import blamed

FLOAT32 = 1e-4
"""How far two answers of a network for the same position may be apart, in pots."""


def check_predictor(net: Predictor, game: Game, boards: int = 8) -> None:
    """Check a value network: what it answers on boards, for positions one by one and together.

    Parameters
    ----------
    net:
        An object with the members of :class:`errai.nets.positions.Predictor`.
    game:
        The no-limit game that it is for.
    boards:
        On how many boards it is asked, which are drawn at random with a fixed seed.

    Raises
    ------
    ContractError
        It lacks a member; its hands are not those that the board leaves; its values have another shape or are not
        finite; they do not repeat, depend on the order of the cards, on which other positions are asked about at the
        same time, or on which other hands are selected; or it changes its arguments.
    """
    with blamed(f"The network {getattr(net, 'name', described(net))!r:.60}"):
        rng, found = np.random.default_rng(3), checked_net(net)
        check_has_networks(game, raked=False)
        if not 0 < found.round < game.num_rounds:
            raise ContractError(f"`round` is {found.round}, and no cards are dealt there in {game.name}.")
        cards = hand_cards(game.deck.num_cards, game.num_hole_cards)
        for _ in range(boards):
            board = tuple(rng.permutation(game.deck.num_cards)[: game.board_cards_in(found.round)].tolist())
            _check_board(found, board, cards, rng, f"on the board {game.deck.cards_text(board)}")


def _check_board(net: Predictor, board: tuple[int, ...], cards: NDArray[Any], rng: Any, where: str) -> None:
    left = np.flatnonzero(~np.isin(cards, board).any(axis=1))
    among = np.sort(rng.permutation(left)[: max(2, len(left) // 2)])
    place = lambda position, player, hand: f"{where}, position {position}, player {player}, hand {hand}"  # noqa: E731

    def said(on: tuple[int, ...], chosen: Any, ranges: NDArray[Any], stacks: NDArray[Any]) -> NDArray[Any]:
        there, wanted = net.on(on, chosen), left if chosen is None else chosen
        if not np.array_equal(np.asarray(there.hands), wanted):
            raise ContractError(f"The `hands` {where} are not the {len(wanted):,} that are wanted there, ascending.")
        given = ranges.copy(), stacks.copy()
        answer = said_by(there, *given, f"The values of the network {net.name!r}", place).copy()
        if not (np.array_equal(given[0], ranges) and np.array_equal(given[1], stacks)):
            raise ContractError(f"The network changes its arguments {where}.")
        return answer

    ranges = rng.random((4, 2, len(left))).astype(np.float32)
    ranges[2:, :, ~np.isin(left, among)] = 0.0  # Two of the positions have only the selected hands.
    ranges /= ranges.sum(axis=2, keepdims=True)
    stacks = rng.uniform(0.1, 5.0, 4).astype(np.float32)
    together, some = said(board, None, ranges, stacks), np.isin(left, among)
    alone = np.concatenate([said(board, None, ranges[i : i + 1], stacks[i : i + 1]) for i in range(4)])
    for other, wanted, why in (
        (said(board, None, ranges, stacks), together, "when it is asked again"),
        (said(board[::-1], None, ranges, stacks), together, "when the cards come in another order"),
        (alone, together, "when positions are asked about one by one"),
        (said(board, among, ranges[2:][:, :, some], stacks[2:]), together[2:][:, :, some], "when hands are selected"),
    ):
        off = float(np.abs(other - wanted).max())
        if off > FLOAT32 * max(1.0, float(np.abs(wanted).max())):
            raise ContractError(f"The network answers differently {why}, {where}, by {off:.3g} pots.")
