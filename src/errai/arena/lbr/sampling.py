"""One hand of a local best response, with as little variance as its knowledge of the agent allows.

The responder knows the agent's strategy for every hand, so its payoff need not depend on the agent's own cards.  Three
expectations replace random outcomes, and none of them changes the mean:

- At a showdown the responder receives its average against the agent's whole range (the imaginary observations of
  Bowling et al., "Strategy evaluation in extensive games with importance sampling", ICML 2008), and after an all-in
  the average over all boards that may still come, if they can be enumerated.
- If the agent may fold, the pot times the probability of the fold is added, and the hand continues, with the remaining
  probability, as one in which the agent did not fold.
- Both seats are played with the same deal: the responder holds each player's cards once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.arena.lbr.responder import Responder, fold_probability
from errai.cards.hands import hand_index
from errai.errors import StrategyError
from errai.games.hand import FOLD, Action, Deal, PublicState
from errai.strategies.strategy import SLACK, Choices, asked


def play_seat(responder: Responder, deal: Deal, seat: int, rng: np.random.Generator) -> float:
    """Return an unbiased estimate of the responder's net chips in one seat of a deal.

    Raises
    ------
    StrategyError
        The agent has no strategy for its cards.
    """
    return _Seat(responder, deal, seat, rng).play()


class _Seat:
    def __init__(self, responder: Responder, deal: Deal, seat: int, rng: np.random.Generator) -> None:
        self.responder = responder
        self.agent = responder.agent
        self.seat = seat
        self.rng = rng
        self.hand = int(hand_index(deal.hole[seat]))
        self.other = int(hand_index(deal.hole[1 - seat]))
        """The agent's hand, by which its actions are drawn; it is drawn again if the agent would have folded it."""
        self.board = deal.board
        self.state = PublicState.start(responder.subject)
        against = responder.start_range(1 - seat) * responder.fits(self.hand)
        self.against: NDArray[np.float64] = responder.without(against, self.state.board)

    def play(self) -> float:
        """Play to the end of the hand."""
        won, share = 0.0, 1.0
        while True:
            state = self.state
            stake = state.betting.stake_chips + state.dead_chips
            if state.betting.folded >= 0:
                return won - share * stake  # The agent's folds are in ``won`` already.
            if state.betting.showdown and (not state.cards_due or self.responder.run_outs.is_exact(state.board)):
                margin = self.responder.run_outs.margin(state.board, self.hand)
                return won + share * stake * float(self.against @ margin) / float(self.against.sum())
            if state.cards_due:
                self._deal()
            elif state.actor == self.seat:
                self.state = state.after(self.responder.choose(state, self.hand, self.against))
            else:
                choices = asked(self.agent, state)
                folds = self.against * fold_probability(choices)
                folded = float(folds.sum()) / float(self.against.sum())
                won += share * folded * stake
                share *= 1.0 - folded
                self.against = self.against - folds
                if not (share > 0.0 and self.against.any()):
                    return won
                self._answer(choices)

    def _deal(self) -> None:
        """Deal the cards of the next round."""
        game, dealt = self.state.betting.game, len(self.state.board)
        until = next(n for r in range(game.num_rounds) if (n := game.board_cards_in(r)) > dealt)
        self.state = self.state.with_cards(self.board[dealt:until])
        self.against = self.responder.without(self.against, self.state.board)

    def _answer(self, choices: Choices) -> None:
        """Draw the agent's action, given that it does not fold; its folds are already removed from ``against``."""
        action = self._draw(choices)
        if action == FOLD:
            self._redraw()
            action = self._draw(choices, folds=False)
        column = choices.probabilities[:, choices.actions.index(action)]
        if FOLD in choices.actions:
            stays = 1.0 - choices.probabilities[:, choices.actions.index(FOLD)]
            column = np.divide(column, stays, out=np.zeros_like(column), where=stays > 0.0)
        self.against = self.against * column
        self.state = self.state.after(action)

    def _draw(self, choices: Choices, *, folds: bool = True) -> Action:
        row = choices.probabilities[self.other]
        total = float(row.sum())
        if not abs(total - 1.0) <= SLACK:
            raise StrategyError(f"{self.agent.name} has no strategy for its cards: the probabilities sum to {total:g}.")
        if not folds and FOLD in choices.actions:
            row = np.where(np.arange(len(row)) == choices.actions.index(FOLD), 0.0, row)
        return choices.actions[_drawn(row, self.rng)]

    def _redraw(self) -> None:
        """Draw the agent's hand from its range, and then the cards to come from the rest of the deck."""
        self.other = _drawn(self.against, self.rng)
        hands, dealt = self.responder.run_outs.hands, self.state.board
        used = {*dealt, *hands[self.hand].tolist(), *hands[self.other].tolist()}
        left = [card for card in range(self.responder.subject.deck.num_cards) if card not in used]
        new = self.rng.permutation(left)[: self.responder.run_outs.num_board_cards - len(dealt)]
        self.board = dealt + tuple(new.tolist())


def _drawn(weights: NDArray[np.float64], rng: np.random.Generator) -> int:
    """Draw an index with probabilities in proportion to weights."""
    sums = np.cumsum(weights)
    index = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
    return index if index < len(weights) and weights[index] > 0.0 else int(np.flatnonzero(weights)[-1])
