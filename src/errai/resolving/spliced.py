"""A strategy that plays a given strategy up to a street, and from there on re-solved subgames."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from errai.errors import SolverOptionError
from errai.games.game import Subject
from errai.games.hand import PublicState
from errai.games.sizing import BetMenu
from errai.games.streets import street_name
from errai.resolving.gadgets import find_method
from errai.resolving.gadgets.adjusted import Reach
from errai.resolving.gadgets.method import Method
from errai.resolving.player import choices_at, filled
from errai.resolving.resolve import TARGET, solve_subgame
from errai.resolving.values import Gifts, Known, lay_out, menu_of_known, moments, node_at, strategy_of, subgame_of
from errai.solutions.solution import Solution
from errai.strategies.strategy import Choices, asked, name_of, require, require_same, says


class Spliced:
    """Plays a strategy until a street begins, and from there on re-solves, separately for each player.

    It is a :class:`~errai.strategies.strategy.Strategy`, so it can be measured like any other.  Each public state at
    the start of the street is one subgame; it is solved once to the end of the game for each player who is queried
    there, and kept.  A player's subgames are connected only by the given strategy, as in Brown and Sandholm (2017).

    Parameters
    ----------
    known:
        The given strategy: anything that answers at public states, a solution or a blueprint.
    subject:
        The game or spot.
    street:
        The round of the game where re-solving begins, counted from 0.
    method:
        One of :data:`errai.resolving.gadgets.METHODS`, or its name.
    menu:
        Bet sizes of the whole game with which values are computed and subgames are solved; by default those of a
        solution, or as for :func:`errai.lookahead`.
    settings:
        Passed to :func:`errai.solve`; by default the target is ``TARGET``.

    Raises
    ------
    SolverOptionError
        If the street is the first one, or beyond the last.
    StrategyError, SubgameError
        If the strategy is none or is for another game, or if there is no such method.
    TreeTooLargeError
        If the strategy's whole tree does not fit in memory.
    """

    def __init__(
        self,
        known: Known,
        subject: Subject,
        street: int,
        method: Method | str,
        *,
        menu: BetMenu | None = None,
        **settings: Any,
    ) -> None:
        start = PublicState.start(subject)
        if not start.first_round < street < start.betting.game.num_rounds:
            raise SolverOptionError(
                f"Subgames begin with a street from {start.first_round + 1} to {start.betting.game.num_rounds - 1}, "
                f"not {street}."
            )
        self.strategy_before = strategy_of(known)
        require(self.strategy_before, subject)
        self.subject = subject
        self.street = street
        self.method = find_method(method)
        self.menu = menu_of_known(known) if menu is None else menu
        self.settings = {"target": TARGET, "threads": 1, **settings}
        self.name = (
            f"{name_of(self.strategy_before)}, {self.method.name} from the {street_name(start.betting.game, street)} on"
        )
        if isinstance(known, Solution) and menu is None:
            self._root = known.root
        else:
            self._root = lay_out(self.strategy_before, start, menu=self.menu).root
        self._gifts = Gifts(self._root, 0), Gifts(self._root, 1)
        self._solved: dict[tuple[object, ...], Solution | None] = {}
        self.solves = 0
        """Number of subgames that were solved."""
        self.seconds = 0.0
        """Time spent solving."""

    @property
    def suits_alike(self) -> bool:
        """That of the given strategy; re-solved strategies are symmetric up to the solver's rounding."""
        return says(self.strategy_before, "suits_alike")

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` if another game is played."""
        require_same(self.subject, subject, self.name)

    def strategy(self, state: PublicState) -> Choices:
        """See :class:`~errai.strategies.strategy.Strategy`.

        Actions of a hand with which the player never reaches the street are equally likely.
        """
        if state.betting.round < self.street:
            return asked(self.strategy_before, state)
        solution = self.solution(state, state.actor)
        node = None if solution is None else node_at(solution.root, state)
        if node is None:
            return asked(self.strategy_before, state)
        return filled(choices_at(node, state), state)

    def solution(self, state: PublicState, player: int) -> Solution | None:
        """Return the solution that a player plays from the street on; None if the player never reaches it."""
        line = moments(PublicState.start(self.subject), state)
        begun = next((before for before, _ in line if before.betting.round >= self.street), state)
        key = (begun.actions, begun.board, player)
        if key not in self._solved:
            self._solved[key] = self._solve(begun, player)
        return self._solved[key]

    @property
    def tolerance_chips(self) -> float:
        """How much a best response may gain with a safe method: twice the worst certificate of the solved subgames."""
        return 2.0 * max((s.exploitability.chips for s in self._solved.values() if s is not None), default=0.0)

    def _solve(self, begun: PublicState, player: int) -> Solution | None:
        node = node_at(self._root, begun)
        if node is None or not node.ranges[player].any():
            return None
        gifts = self._gifts[player].at(begun) if isinstance(self.method, Reach) else None
        subgame = subgame_of(node, begun, player, gifts)
        if not subgame.ranges[1 - player].any():
            # The strategy never leads the opponent here, so nothing is known of the opponent's hands.
            own, any_hand = subgame.ranges[player], subgame.possible.astype(np.float64)
            subgame = replace(subgame, ranges=(own, any_hand) if player == 0 else (any_hand, own))
        found = solve_subgame(subgame, self.method, menu=self.menu, **self.settings)
        self.solves += 1
        self.seconds += found.seconds
        return found
