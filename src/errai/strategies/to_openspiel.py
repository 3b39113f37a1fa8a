"""Our strategies as policies and tables of OpenSpiel."""

from __future__ import annotations

from typing import Any

import numpy as np

from errai.cards.hands import hand_index
from errai.errors import StrategyError
from errai.games.game import Subject
from errai.games.hand import PublicState
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
from errai.strategies.strategy import asked, live_hands


def openspiel_policy(strategy: Given, subject: Subject | None = None, *, menu: str | None = None) -> Any:
    """Make a policy of OpenSpiel, an ``open_spiel.python.policy.Policy`` for both players, from a strategy.

    It is evaluated state by state when OpenSpiel queries it.  Its ``to_tabular()`` makes a ``TabularPolicy``;
    OpenSpiel's own exploitability accepts either.

    Parameters
    ----------
    strategy:
        Anything that :func:`~errai.strategies.given.given_strategy` accepts.
    subject:
        A game that OpenSpiel has (:func:`~errai.strategies.openspiel.spiel_game`); by default the strategy's own, if it
        knows one, as a solution does.
    menu:
        Bet sizes of a no-limit game, as for :func:`errai.best_response`.  OpenSpiel's game has every bet size; after a
        bet that the strategy's tree lacks, the strategy plays as after the bet to which that one is mapped.

    Returns
    -------
    open_spiel.python.policy.Policy
        Its attribute ``game`` is OpenSpiel's game.

    Raises
    ------
    StrategyError
        If OpenSpiel has no such game or is not installed, or if ``strategy`` is not a strategy for the game.
    """
    played = _subject_of(strategy, subject)
    name, game = spiel_name(played), spiel_game(played)
    played_as = as_strategy(strategy, played, menu)

    def action_probabilities(policy: Any, state: Any, player_id: int | None = None) -> dict[int, float]:
        found, hand = public_state(name, played, state.history())
        choices = asked(played_as, found)
        row = choices.probabilities[int(hand_index(np.array([hand]))[0])]
        result = dict.fromkeys(state.legal_actions(), 0.0)
        for action, probability in zip(choices.actions, row.tolist(), strict=True):
            result[action_number(name, found, action)] += probability
        return result

    base = imported("open_spiel.python.policy").Policy
    return type("ErraiPolicy", (base,), {"action_probabilities": action_probabilities})(game, [0, 1])


def openspiel_table(strategy: Given, subject: Subject | None = None) -> dict[str, list[tuple[int, float]]]:
    """Return a strategy for Kuhn or Leduc as a table by OpenSpiel's information-state strings; works without OpenSpiel.

    The table is the one that ``to_dict`` of a ``TabularPolicy`` writes; ``pyspiel.TabularPolicy`` can be made from it,
    and :func:`errai.exploitability` reads it.  For other games use :func:`openspiel_policy` and its ``to_tabular``.

    Parameters
    ----------
    strategy, subject:
        As for :func:`openspiel_policy`.

    Returns
    -------
    dict
        Maps each information state to the numbers of the legal actions, each with its probability.

    Raises
    ------
    StrategyError
        If the game is neither Kuhn nor Leduc, or ``strategy`` is not a strategy for it.

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
            cards = range(subject.rules.deck.num_cards)
            waiting += [state.with_cards((card,)) for card in cards if card not in state.board]
        elif state.actor >= 0:
            choices = asked(played_as, state)
            numbers = [action_number(name, state, action) for action in choices.actions]
            for card in np.flatnonzero(live_hands(state)).tolist():
                row = choices.probabilities[card].tolist()
                found[information_state(name, state, card)] = sorted(zip(numbers, row, strict=True))
            waiting += [state.after(action) for action in state.legal_actions]
    return found


def _subject_of(strategy: Given, subject: Subject | None) -> Subject:
    found = getattr(strategy, "subject", None) if subject is None else subject
    if found is None:
        raise StrategyError("The strategy does not know its game; give the game as well.")
    return found
