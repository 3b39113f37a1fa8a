"""Tables and policies of OpenSpiel (Lanctot et al. 2019) as functions of public states, for Kuhn and Leduc.

OpenSpiel's ``kuhn_poker`` is our ``kuhn``, its ``leduc_poker`` our ``leduc``, each with two players and OpenSpiel's
default parameters.  Cards have the same numbers: in Kuhn the ranks 0, 1 and 2, in Leduc 2 * rank + suit.  Actions are
in Kuhn 0 pass (check or fold) and 1 bet (bet or call), in Leduc 0 fold, 1 call (or check) and 2 raise (or bet).
OpenSpiel itself is needed for policies alone, and then it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.catalogue import load_game
from errai.games.hand import Action, PublicState, Subject
from errai.strategies.strategy import live_hands

NAMES = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}
"""Our games and OpenSpiel's."""


@runtime_checkable
class Policy(Protocol):
    """A policy of OpenSpiel, of its Python or its C++ part."""

    def action_probabilities(self, state: Any, /) -> Mapping[int, float]:
        """Probabilities of the actions, by OpenSpiel's numbers, at one of its states."""


def table_function(table: Mapping[str, Any], subject: Subject) -> Callable[[PublicState], NDArray[np.float64]]:
    """A table from OpenSpiel's information-state strings as a function of public states.

    Parameters
    ----------
    table:
        To each information state probabilities of the actions: a mapping or pairs by OpenSpiel's numbers of the
        actions, as the ``to_dict`` of a ``TabularPolicy`` writes them, or a sequence with a number for every one of
        them, as the rows of its ``action_probability_array``.
    subject:
        Kuhn or Leduc.

    Raises
    ------
    StrategyError
        Another game; when asked: an information state is missing, or has something else than probabilities.
    """
    name = _name(subject)

    def from_table(state: PublicState) -> NDArray[np.float64]:
        def entry(hand: int) -> Mapping[int, float]:
            text = information_state(name, state, hand)
            if text not in table:
                raise StrategyError(f"The table has no information state {text!r}; OpenSpiel's {name} has.")
            return _by_number(table[text], text)

        return _rows(name, state, entry)

    return from_table


def policy_function(policy: Policy, subject: Subject) -> Callable[[PublicState], NDArray[np.float64]]:
    """A policy of OpenSpiel as a function of public states; errors as :func:`table_function`."""
    name = _name(subject)
    game = getattr(policy, "game", None) or import_module("pyspiel").load_game(name)
    theirs = game.get_type().short_name
    if theirs != name:
        raise StrategyError(f"The policy is one of OpenSpiel's '{theirs}', not of '{name}'.")

    def from_policy(state: PublicState) -> NDArray[np.float64]:
        return _rows(name, state, lambda hand: policy.action_probabilities(_spiel_state(game, name, state, hand)))

    return from_policy


def information_state(name: str, state: PublicState, card: int) -> str:
    """What OpenSpiel's game of a name calls the information state of the player who acts with a card."""
    numbers = [[_number(name, before, action) for before, action in part] for part in _rounds(state)]
    if name == NAMES["kuhn"]:
        return f"{card}{''.join('pb'[number] for number in numbers[0])}"
    spent, actor = state.betting.spent, state.actor
    public = f"[Public: {state.board[0]}]" if state.board else ""
    first, second = (" ".join(map(str, part)) for part in (*numbers, [])[:2])
    return (
        f"[Observer: {actor}][Private: {card}][Round {len(numbers)}][Player: {actor}][Pot: {sum(spent)}]"
        f"[Money: {100 - spent[0]} {100 - spent[1]}]{public}[Round1: {first}][Round2: {second}]"
    )


def _name(subject: Subject) -> str:
    for ours, theirs in NAMES.items():
        if subject.digest() == load_game(ours).digest():
            return theirs
    raise StrategyError(
        f"OpenSpiel's tables and policies are read for {' and '.join(NAMES)} only; give a function of public states."
    )


def _rounds(state: PublicState) -> list[list[tuple[PublicState, Action]]]:
    """Every action with the state before it, round by round."""
    before, found = PublicState.start(state.subject), []
    for actions in state.actions:
        part = []
        for action in actions:
            part.append((before, action))
            before = before.ahead(action)
        found.append(part)
    return found


def _number(name: str, before: PublicState, action: Action) -> int:
    """OpenSpiel's number of an action."""
    if name != NAMES["kuhn"]:
        return {ActionKind.FOLD: 0, ActionKind.CALL: 1, ActionKind.RAISE: 2}[action.kind]
    calls = action.kind == ActionKind.CALL and before.betting.legal().fold
    return int(calls or action.kind == ActionKind.RAISE)


def _rows(name: str, state: PublicState, entry: Callable[[int], Mapping[int, float]]) -> NDArray[np.float64]:
    """float64[H, A] from what is done with each card."""
    actions, live = state.legal_actions, live_hands(state)
    result = np.zeros((len(live), len(actions)))
    for hand in np.flatnonzero(live):
        found = entry(int(hand))
        result[hand] = [found.get(_number(name, state, action), 0.0) for action in actions]
    return result


def _by_number(entry: Any, text: str) -> Mapping[int, float]:
    try:
        if isinstance(entry, Mapping):
            return {int(number): float(p) for number, p in entry.items()}
        if isinstance(entry, Sequence | np.ndarray):
            pairs = enumerate(entry) if np.ndim(entry) == 1 else entry
            return {int(number): float(p) for number, p in pairs}
    except (TypeError, ValueError):
        pass
    raise StrategyError(f"The table's entry for {text!r} is not understood; give (action, probability) pairs.")


def _spiel_state(game: Any, name: str, state: PublicState, hand: int) -> Any:
    """OpenSpiel's state with a card held by the player who acts; the opponent holds any other."""
    other = next(card for card in range(game.max_chance_outcomes()) if card != hand and card not in state.board)
    found = game.new_initial_state()
    for card in (hand, other) if state.actor == 0 else (other, hand):
        found.apply_action(card)
    for number, part in enumerate(_rounds(state)):
        if number:
            found.apply_action(state.board[number - 1])
        for before, action in part:
            found.apply_action(_number(name, before, action))
    return found
