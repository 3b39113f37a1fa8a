"""The decisions of a local best response, and what it wins: in a sampled hand, and exactly in small games.

Lisy & Bowling, "Equilibrium approximation quality of current no-limit poker bots" (AAAI-17 workshop): at each of its
decisions the responder looks one action ahead and assumes that both players check and call to the end afterwards.  It
knows the agent's strategy for every hand, and therefore the agent's range and the probability that it folds to a bet.

The payoff of a sampled hand has as little variance as this knowledge allows.  Four terms replace random outcomes by
expectations, and none of them changes the mean:

- At a showdown the responder receives its average against the agent's whole range (the imaginary observations of
  Bowling et al., "Strategy evaluation in extensive games with importance sampling", ICML 2008), and after an all-in
  the average over all boards that may still come, if they can be enumerated.
- If the agent may fold, the pot times the probability of the fold is added, and the hand continues, with the remaining
  probability, as one in which the agent did not fold.
- What cards and the agent's actions change in a guess of the result is taken back, less what they change in the mean,
  which is known: the idea of AIVAT (Burch et al., AAAI-18) with one range in the place of two hands.  The guess is that
  both players check and call to the end, or that the responder folds where it faces a bet and that is better.
- Both seats are played with the same deal: the responder holds each player's cards once.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import MatchStart, StrategicAgent
from errai.arena.lbr.settings import Setting
from errai.cards.hands import hand_index
from errai.errors import StrategyError, UnsupportedGameError
from errai.games.betting import ActionKind
from errai.games.game import Subject
from errai.games.hand import CALL, FOLD, Action, Deal, PublicState, run_outs_of
from errai.strategies.strategy import SLACK, Choices, asked

MAX_BOARDS = 20_000
"""The most boards, over all rounds, that :func:`enumerate_lbr` enumerates."""

REMEMBERED_ROWS = 100
"""How many hands' margins before the flop are kept: 1 MB in hold'em."""

Weights = NDArray[np.float64]
"""float64[H]: weights of the hands of one player."""


class Responder:
    """Chooses the actions of a local best response to an agent in a game or spot."""

    def __init__(
        self, agent: StrategicAgent, subject: Subject, setting: Setting, bets_asked: int | None = None
    ) -> None:
        self.agent = agent
        self.subject = subject
        self.setting = setting
        self.bets_asked = bets_asked
        """About so many bets the agent is asked, and to the others its folds are interpolated; None for all."""
        self.run_outs = run_outs_of(subject)
        self.fits = cache(self.run_outs.fits)
        """Returns bool[H]: the hands that share no card with a hand."""
        self._from_table = lru_cache(REMEMBERED_ROWS)(self._margin_from_table)

    def start_range(self, seat: int) -> Weights:
        """Return the hands that a seat may be dealt."""
        return self.without(self.subject.weights[seat], self.subject.board)

    def without(self, weights: Weights, cards: tuple[int, ...]) -> Weights:
        """Return the weights of hands that hold none of some cards."""
        return np.where(np.isin(self.run_outs.hands, cards).any(axis=1), 0.0, weights)

    def margin(self, board: tuple[int, ...], hand: int) -> NDArray[np.float64]:
        """Return float64[H]: the exact margin of a hand at the showdown against every hand, 0 where they share a card.

        Where there are too many boards to count them for one hand, it is read from the table of all pairs.
        """
        if board or self.run_outs.is_exact(board):
            return self.run_outs.margin(board, hand)
        return self._from_table(hand)

    def _margin_from_table(self, hand: int) -> NDArray[np.float64]:
        margins = self.run_outs.margins((), np.array([hand]), np.arange(len(self.run_outs.hands)))[0]
        return np.where(self.fits(hand), margins, 0.0)

    def street_cards(self, state: PublicState) -> int:
        """Return how many cards the next street deals, of which several may be due after an all-in."""
        game, dealt = state.betting.game, len(state.board)
        return next(n for r in range(game.num_rounds) if (n := game.board_cards_in(r) - dealt) > 0)

    def choose(self, state: PublicState, hand: int, against: Weights) -> Action:
        """Return the responder's action against the agent's range, hands that share cards included."""
        menu = self.setting.menu(state)
        if menu.calls_only:
            return CALL
        actions = menu.actions(state)
        if len(actions) == 1:
            return actions[0]
        values = self.values(state, actions, hand, against)
        # Of actions of equal value the first is taken: fold before call, call before bet.
        return actions[int(values.argmax())]

    def values(
        self, state: PublicState, actions: tuple[Action, ...], hand: int, against: Weights
    ) -> NDArray[np.float64]:
        """Return float64[A]: the responder's estimate of each action: net chips if both check and call afterwards.

        It is -inf for bets that the agent was not asked about and that are not the best of those.
        """
        weights = against * self.fits(hand)
        total = weights.sum()
        if not total > 0.0:
            raise StrategyError(f"{self.agent.name} took an action that its strategy never takes, whatever it holds.")
        margin = self.run_outs.margin(state.board, hand)
        found = np.empty(len(actions))
        bets: list[int] = []
        for i, action in enumerate(actions):
            if action == FOLD:
                found[i] = -state.stake_chips
            elif action.kind == ActionKind.CALL:
                found[i] = state.after(action).stake_chips * float(weights @ margin) / total
            else:
                bets.append(i)

        def value(bet: int, folds: Weights | float) -> float:
            after = state.after(actions[bet])
            stays = weights * (1.0 - folds)
            called = after.ahead(CALL).stake_chips
            return float((total - stays.sum()) * after.stake_chips + called * float(stays @ margin)) / total

        def asked_about(bet: int) -> Weights | float:
            return fold_probability(asked(self.agent, state.after(actions[bet])))

        places = self._asked_places(len(bets))
        folds = [asked_about(bets[place]) for place in places]
        for place, bet in enumerate(bets):
            after = int(np.searchsorted(places, place))
            if places[after] == place:
                found[bet] = value(bet, folds[after])
                continue
            # Bets are in order of size, and those of a long menu grow by a constant factor.
            share = (place - places[after - 1]) / (places[after] - places[after - 1])
            found[bet] = value(bet, (1.0 - share) * folds[after - 1] + share * folds[after])
        guessed = [bet for place, bet in enumerate(bets) if place not in places]
        if guessed:
            best = max(guessed, key=lambda bet: found[bet])
            sure = max(found[i] for i in range(len(actions)) if i not in guessed)
            if found[best] > sure:
                found[best] = value(best, asked_about(best))
            found[[bet for bet in guessed if bet != best]] = -np.inf
        return found

    def _asked_places(self, bets: int) -> list[int]:
        """Return about which of so many bets the agent is asked: evenly, the smallest and the largest among them."""
        if self.bets_asked is None or bets <= self.bets_asked:
            return list(range(bets))
        return np.unique(np.linspace(0, bets - 1, self.bets_asked).round().astype(int)).tolist()


def fold_probability(choices: Choices) -> Weights | float:
    """Return the probability with which each hand folds, 0 if it cannot fold."""
    return choices.probabilities[:, choices.actions.index(FOLD)] if FOLD in choices.actions else 0.0


# --- sampled hands ---


def play_seat(responder: Responder, deal: Deal, seat: int, rng: np.random.Generator) -> float:
    """Return an unbiased estimate of the responder's net chips in one seat of a deal.

    Raises :class:`StrategyError` if the agent has no strategy for its cards.
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
        self.against: Weights = responder.without(against, self.state.board)

    def play(self) -> float:
        """Play to the end of the hand."""
        won, share = 0.0, 1.0
        while True:
            state = self.state
            stake = state.stake_chips
            if state.betting.folded >= 0:
                return won - share * stake  # The agent's folds are in ``won`` already.
            if state.betting.showdown and (not state.cards_due or self.responder.run_outs.is_exact(state.board)):
                return won + share * stake * self._chance(state, self.against)
            if state.cards_due:
                until = len(state.board) + self.responder.street_cards(state)
                self.state = state.with_cards(self.board[len(state.board) : until])
                before, self.against = self.against, self.responder.without(self.against, self.state.board)
                # The mean over the cards is the guess before them.
                won -= share * (self._guess(self.state, self.against) - self._guess(state, before))
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
                won -= share * self._answer(choices)

    def _chance(self, state: PublicState, against: Weights) -> float:
        """Return the probability of winning a showdown against a range less that of losing it."""
        total = float(against.sum())
        return float(against @ self.responder.margin(state.board, self.hand)) / total if total > 0.0 else 0.0

    def _guess(self, state: PublicState, against: Weights) -> float:
        """Return what the responder wins if both check and call, or it folds to the last bet where that is better."""
        faces = state.betting.to_call_chips > 0  # Only after the agent's bet: nobody faces one when cards are due.
        called = state.ahead(CALL) if faces else state
        found = called.stake_chips * self._chance(state, against)
        return max(found, -state.stake_chips) if faces else found

    def _answer(self, choices: Choices) -> float:
        """Draw the agent's action, given that it does not fold; its folds are already removed from ``against``.

        Returns by how much the action changes the guess of what the responder wins, less its mean over the actions.
        """
        action = self._draw(choices)
        if action == FOLD:
            # The agent's hand is drawn again from its range, and then the cards to come from the rest of the deck.
            self.other = _drawn(self.against, self.rng)
            run_outs, dealt = self.responder.run_outs, self.state.board
            used = {*dealt, *run_outs.hands[[self.hand, self.other]].ravel().tolist()}
            left = [card for card in range(self.responder.subject.deck.num_cards) if card not in used]
            new = self.rng.permutation(left)[: run_outs.num_board_cards - len(dealt)]
            self.board = dealt + tuple(new.tolist())
            action = self._draw(choices, folds=False)
        stays = 1.0 - fold_probability(choices)
        total, mean, drawn = float(self.against.sum()), 0.0, 0.0
        before = self.state, self.against
        for column, possible in zip(choices.probabilities.T, choices.actions, strict=True):
            if possible == FOLD:
                continue
            left_over = before[1] * np.divide(column, stays, out=np.zeros_like(column), where=stays > 0.0)
            weight = float(left_over.sum()) / total
            if not weight > 0.0:
                continue
            after = before[0].after(possible)
            guess = self._guess(after, left_over)
            mean += weight * guess
            if possible == action:
                drawn, self.against, self.state = guess, left_over, after
        return drawn - mean

    def _draw(self, choices: Choices, *, folds: bool = True) -> Action:
        row = choices.probabilities[self.other]
        total = float(row.sum())
        if not abs(total - 1.0) <= SLACK:
            raise StrategyError(f"{self.agent.name} has no strategy for its cards: the probabilities sum to {total:g}.")
        if not folds and FOLD in choices.actions:
            row = np.where(np.arange(len(row)) == choices.actions.index(FOLD), 0.0, row)
        return choices.actions[_drawn(row, self.rng)]


def _drawn(weights: Weights, rng: np.random.Generator) -> int:
    """Draw an index with probabilities in proportion to weights."""
    sums = np.cumsum(weights)
    index = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
    return index if index < len(weights) and weights[index] > 0.0 else int(np.flatnonzero(weights)[-1])


# --- small games, exactly ---


def enumerate_lbr(agent: StrategicAgent, subject: Subject, setting: Setting) -> tuple[float, float]:
    """Return the exact net chips per hand that a local best response wins from an agent, in seat 0 and in seat 1.

    One walk over the public tree with a vector of all hands of both players; the responder's hands are separated where
    they act differently.  It is the expectation of what :func:`errai.arena.lbr.lbr` samples.

    Raises :class:`UnsupportedGameError` if the game has more than ``MAX_BOARDS`` boards.
    """
    agent.start_match(MatchStart(subject, 0))
    game, start = subject.rules, PublicState.start(subject)
    left, ways, boards = game.deck.num_cards - len(start.board), 1, 0
    for round in range(game.num_rounds):
        new = max(game.board_cards_in(round) - max(len(start.board), game.board_cards_in(round - 1)), 0)
        ways, left = ways * comb(left, new), left - new
        boards += ways
    if boards > MAX_BOARDS:
        raise UnsupportedGameError(
            f"There are {boards:,} boards, too many to enumerate (at most {MAX_BOARDS:,}); sample hands instead."
        )
    walk = _Walk(Responder(agent, subject, setting))
    return walk.seat_value(0), walk.seat_value(1)


class _Walk:
    """One walk; ``mine`` and ``theirs`` are weights of the hands of the responder and of the agent."""

    def __init__(self, responder: Responder) -> None:
        self.responder = responder
        self.subject = responder.subject
        self.margin = lru_cache(maxsize=1)(self._margin)

    def seat_value(self, seat: int) -> float:
        """Net chips per hand in a seat."""
        self.seat = seat
        mine, theirs = self.responder.start_range(seat), self.responder.start_range(1 - seat)
        self.held = np.flatnonzero(mine)
        self.fits = np.array([self.responder.fits(hand) for hand in self.held.tolist()], dtype=np.float64)
        self.margin.cache_clear()
        return self.value(PublicState.start(self.subject), mine, theirs) / self._pairs(mine, theirs)

    def value(self, state: PublicState, mine: Weights, theirs: Weights) -> float:
        """Net chips of the responder, summed over all pairs of hands that reach a state."""
        if not mine.any() or not theirs.any():
            return 0.0
        betting, stake = state.betting, state.stake_chips
        if betting.folded >= 0:
            return (-stake if betting.folded == self.seat else stake) * self._pairs(mine, theirs)
        if betting.showdown and self.responder.run_outs.is_exact(state.board):
            return stake * float(mine[self.held] @ (self.margin(state.board) @ theirs))
        if state.cards_due:
            # The next cards are equally likely for every pair of hands that leaves them in the deck.
            due, without = self.responder.street_cards(state), self.responder.without
            left = [card for card in range(self.subject.deck.num_cards) if card not in state.board]
            total = sum(
                self.value(state.with_cards(cards), without(mine, cards), without(theirs, cards))
                for cards in combinations(left, due)
            )
            return total / comb(len(left) - 2 * betting.game.num_hole_cards, due)
        if state.actor == self.seat:
            return self._respond(state, mine, theirs)
        choices = asked(self.responder.agent, state)
        return sum(
            self.value(state.after(action), mine, theirs * choices.probabilities[:, i])
            for i, action in enumerate(choices.actions)
        )

    def _respond(self, state: PublicState, mine: Weights, theirs: Weights) -> float:
        """Continue the walk for each group of hands that takes the same action."""
        groups: dict[Action, NDArray[np.float64]] = {}
        for hand in np.flatnonzero(mine).tolist():
            if not theirs @ self.responder.fits(hand) > 0.0:
                continue
            action = self.responder.choose(state, hand, theirs)
            groups.setdefault(action, np.zeros_like(mine))[hand] = mine[hand]
        return sum(self.value(state.after(action), group, theirs) for action, group in groups.items())

    def _pairs(self, mine: Weights, theirs: Weights) -> float:
        """Return the weight of all pairs of hands that share no card."""
        return float(mine[self.held] @ (self.fits @ theirs))

    def _margin(self, board: tuple[int, ...]) -> NDArray[np.float64]:
        """Return float64[held, H]: probability of winning less that of losing, 0 where the hands share a card."""
        live = self.responder.without(np.ones(len(self.responder.run_outs.hands)), board) > 0.0
        found = np.zeros(self.fits.shape)
        for row, hand in enumerate(self.held.tolist()):
            if live[hand]:
                found[row] = self.responder.run_outs.margin(board, hand)
        return found
