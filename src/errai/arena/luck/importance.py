"""Importance sampling: the mean result of an agent of known strategy over all hands that it might have held.

Bowling, Johanson, Burch & Szafron, "Strategy Evaluation in Extensive Games with Importance Sampling" (ICML 2008): their
estimators with all private cards as imaginary observations, with and without early folds.  ``docs/measuring.md`` has
the derivation.
"""

from __future__ import annotations

import numpy as np

from errai.agents.agent import Agent, StrategicAgent
from errai.arena.luck.deals import PrivateDeals, ending
from errai.arena.luck.knowledge import Knowledge, Thought, events, opening
from errai.errors import MatchError
from errai.games.betting import ActionKind
from errai.games.hand import PlayedHand, run_outs_of
from errai.games.subject import Subject


class ImportanceSampling:
    """The mean result over all hands that agents of known strategy might have held, given what was seen.

    Another strategy than the one that played can be measured from the same hands: each hand that might have been held
    then counts by how likely the other strategy, holding it, had come to the same end.

    Parameters
    ----------
    subject:
        The game or spot.
    agents:
        The two agents of the match.  Their strategies must not change during the match.
    known:
        The agents whose strategy is used: 'all' that give it, 'first' or 'second'.
    imagined:
        The agents whose possible hands are all counted: 'auto', or as ``known``.
    early_folds:
        Count a fold at each decision of an imagined agent with its probability, and what followed only where it did not
        fold.

    instead:
        Another agent to be measured from the hands that the first played.  The first then has to be known, and it must
        sometimes take every action that ``instead`` may take, with some hand.

    Raises
    ------
    MatchError
        No agent gives its strategy, or one that has to be known does not.
    """

    def __init__(
        self,
        subject: Subject,
        agents: tuple[Agent, Agent],
        *,
        known: str = "all",
        imagined: str = "auto",
        early_folds: bool = False,
        instead: StrategicAgent | None = None,
    ) -> None:
        self._deals = PrivateDeals(subject)
        self._run_outs = run_outs_of(subject)
        self._knowledge = Knowledge.of(agents, self._deals, known, imagined)
        self.fit = self._knowledge.fit
        if not any(self._knowledge.imagined):
            raise MatchError(
                f"Neither {agents[0].name} nor {agents[1].name} gives its strategy for every hand; importance sampling "
                "needs the strategy of one of them."
            )
        if instead is not None and not self._knowledge.imagined[0]:
            raise MatchError(
                f"{instead.name} can be measured from the hands of {agents[0].name} only if the strategy of the "
                "latter is known and all of its hands count; name it in known and imagined."
            )
        self._instead = instead
        self._early_folds = early_folds
        folds = ", early folds" if early_folds else ""
        of = f" of {instead.name}" if instead is not None else ""
        self.name = f"importance sampling{of} ({self._knowledge.text}{folds})"

    def estimate(self, hand: PlayedHand, seat: int) -> float:
        """Return the chips of the first agent, which sat at ``seat``; cards are needed of agents that are not imagined.

        Raises :class:`MatchError` as :meth:`errai.arena.luck.aivat.Aivat.estimate` does.
        """
        thought = Thought(hand, self._knowledge, seat, self._deals, self._instead)
        state, dealt = opening(hand)
        if dealt is not None:
            thought.deal(dealt.board)
        chips, folded = 0.0, False
        for event in events(hand):
            actor = event.state.actor
            if thought.is_known(actor):
                options = thought.options(event.state, event.action, event.number)
                if self._early_folds and thought.is_imagined(actor):
                    for child, weight in zip(options.children, options.asked, strict=True):
                        if child.betting.folded >= 0:
                            folded_now = ending(child, thought.first, thought.second, self._run_outs)
                            chips += float((weight * folded_now).sum())
                    folded = event.action.kind == ActionKind.FOLD
                thought.act(options)
            if event.dealt is not None:
                thought.deal(event.dealt.board[len(event.after.board) :])
            state = event.after
        if not folded:
            chips += float(np.vdot(thought.asked, ending(state, thought.first, thought.second, self._run_outs)))
        return chips if seat == 0 else -chips
