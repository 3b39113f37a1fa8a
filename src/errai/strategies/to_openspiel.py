"""Strategies of ours as policies and tables of OpenSpiel."""

from __future__ import annotations

from typing import Any

import numpy as np

from errai.cards.hands import hand_index
from errai.errors import StrategyError
from errai.games.hand import PublicState, Subject, rules_of
from errai.strategies.given import Given, as_strategy
from errai.strategies.openspiel import (
    NAMES,
    action_number,
    imported,
    information_state,
    public_state,
    spiel_game,
    spiel_name,
)
from errai.strategies.strategy import live_hands


def openspiel_policy(strategy: Given, subject: Subject | None = None, *, menu: str | None = None) -> Any:
    """A strategy as a policy of OpenSpiel, an ``open_spiel.python.policy.Policy`` for both players.

    It is evaluated state by state, where OpenSpiel calls it; its ``to_tabular()`` makes a ``TabularPolicy`` of it, and
    OpenSpiel's own exploitability takes either.

    Parameters
    ----------
    strategy:
        Whatever :func:`~errai.strategies.given.given_strategy` takes.
    subject:
        A game that OpenSpiel has (:func:`~errai.strategies.openspiel.spiel_game`); by default that of the strategy,
        where it has one, as a solution.
    menu:
        Bet sizes of a no-limit game, as for :func:`errai.best_response`.  OpenSpiel's game has every bet size; after
        bets that the strategy's tree lacks, it plays as after those that they are mapped to.

    Returns
    -------
    open_spiel.python.policy.Policy
        With the game of OpenSpiel as its ``game``.

    Raises
    ------
    StrategyError
        OpenSpiel has no such game or is not installed, or it is no strategy, or one of another game.
    """
    played = _subject_of(strategy, subject)
    name, game = spiel_name(played), spiel_game(played)
    played_as = as_strategy(strategy, played, menu)
    base: type = imported("open_spiel.python.policy").Policy

    class ErraiPolicy(base):
        """A strategy of Errai's, evaluated at states of OpenSpiel."""

        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            """As OpenSpiel's policies have it: every legal action with its probability."""
            found, hand = public_state(name, played, state.history())
            choices = played_as.strategy(found)
            row = choices.probabilities[int(hand_index(np.array([hand]))[0])]
            result = dict.fromkeys(state.legal_actions(), 0.0)
            for action, probability in zip(choices.actions, row.tolist(), strict=True):
                result[action_number(name, found, action)] += probability
            return result

    return ErraiPolicy(game, [0, 1])


def openspiel_table(strategy: Given, subject: Subject | None = None) -> dict[str, list[tuple[int, float]]]:
    """A strategy for Kuhn or Leduc as a table by OpenSpiel's information-state strings; OpenSpiel is not needed.

    It is what the ``to_dict`` of a ``TabularPolicy`` writes, ``pyspiel.TabularPolicy`` is made of it, and
    :func:`errai.exploitability` reads it.  For other games there is :func:`openspiel_policy` and its ``to_tabular``.

    Parameters
    ----------
    strategy, subject:
        As :func:`openspiel_policy`.

    Returns
    -------
    dict
        To each information state the numbers of the legal actions, each with its probability.

    Raises
    ------
    StrategyError
        It is another game, or no strategy for this one.

    Examples
    --------
    >>> import errai
    >>> errai.openspiel_table("uniform", errai.load_game("kuhn"))["2pb"]
    [(0, 0.5), (1, 0.5)]
    """
    subject = _subject_of(strategy, subject)
    name = spiel_name(subject)
    if name not in NAMES.values():
        raise StrategyError(
            f"Tables without OpenSpiel are written for {' and '.join(NAMES)} only; use "
            "openspiel_policy(...).to_tabular()."
        )
    played_as = as_strategy(strategy, subject)
    found: dict[str, list[tuple[int, float]]] = {}
    waiting = [PublicState.start(subject)]
    while waiting:
        state = waiting.pop()
        if state.cards_due:
            cards = range(rules_of(subject).deck.num_cards)
            waiting += [state.with_cards((card,)) for card in cards if card not in state.board]
        elif state.actor >= 0:
            choices = played_as.strategy(state)
            numbers = [action_number(name, state, action) for action in choices.actions]
            for card in np.flatnonzero(live_hands(state)).tolist():
                row = choices.probabilities[card].tolist()
                found[information_state(name, state, card)] = sorted(zip(numbers, row, strict=True))
            waiting += [state.after(action) for action in state.legal_actions]
    return found


def _subject_of(strategy: Given, subject: Subject | None) -> Subject:
    found = getattr(strategy, "subject", None) if subject is None else subject
    if found is None:
        raise StrategyError("Say which game the strategy plays: give the game as well.")
    return found
