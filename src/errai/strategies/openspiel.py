"""Games, tables and policies of OpenSpiel (Lanctot et al. 2019), read as functions of public states and written.

OpenSpiel's ``kuhn_poker`` is our ``kuhn``, its ``leduc_poker`` our ``leduc``, each with two players and OpenSpiel's
default parameters.  Any other game of two players with the standard ranking is its ``universal_poker``: limit games
without stacks, and no-limit games with every bet size (its betting abstraction ``fullgame``).  :func:`spiel_game`
returns OpenSpiel's game for one of ours.

Cards have the same numbers everywhere: ``rank * suits + suit``, from the lowest rank.  The numbers of the actions are
in Kuhn 0 for pass (check or fold) and 1 for bet (bet or call); elsewhere 0 for fold and 1 for call (or check), in limit
games 2 for raise (or bet), and in no-limit games the number of chips that a raise goes to over the whole hand. Hands
are dealt card by card, player 0's first.

OpenSpiel is needed only for policies and for tables of ``universal_poker``; it is imported when one of them is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np

from errai.cards.hands import hand_cards
from errai.cards.strength import HandRanking
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.catalogue import load_game
from errai.games.game import UNLIMITED_CHIPS, Game, Subject
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to
from errai.strategies.strategy import Choices, live_hands

NAMES = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}
"""Maps our names of games to OpenSpiel's, for the games that have a name of their own there."""

UNIVERSAL = "universal_poker"


@runtime_checkable
class Policy(Protocol):
    """A policy of OpenSpiel, of its Python or its C++ part."""

    def action_probabilities(self, state: Any, /) -> Mapping[int, float]:
        """Return the probabilities of the actions, by OpenSpiel's numbers, at one of its states."""


# --- games ------------------------------------------------------------------------------------------------------------


def spiel_game(subject: Subject) -> Any:
    """Return OpenSpiel's game, a ``pyspiel.Game``, for one of ours.

    Raises :class:`StrategyError` if OpenSpiel has no such game (a spot, another ranking, or a limit game with stacks),
    or is not installed.
    """
    name = spiel_name(subject)
    return imported("pyspiel").load_game(name, _parameters(subject.rules) if name == UNIVERSAL else {})


def _parameters(game: Game) -> dict[str, Any]:
    """Return the parameters of ``universal_poker`` for a game."""
    parameters: dict[str, Any] = {
        "betting": "limit" if game.limit else "nolimit",
        "numPlayers": 2,
        "numRounds": game.num_rounds,
        "blind": _listed(game.blinds),
        "firstPlayer": _listed(first + 1 for first in game.first_player),
        "maxRaises": _listed(game.max_raises),
        "numSuits": game.num_suits,
        "numRanks": game.num_ranks,
        "numHoleCards": game.num_hole_cards,
        "numBoardCards": _listed(game.num_board_cards),
    }
    if game.limit:
        parameters["raiseSize"] = _listed(game.raise_sizes)
    else:
        parameters |= {"stack": _listed(game.stacks), "bettingAbstraction": "fullgame"}
    return parameters


def spiel_name(subject: Subject) -> str:
    """Return OpenSpiel's name for one of our games; raises the errors of :func:`spiel_game`."""
    for ours, theirs in NAMES.items():
        if subject.digest() == load_game(ours).digest():
            return theirs
    game = subject.whole_game
    if game is None:
        raise StrategyError("OpenSpiel has whole games only, not spots; give a game.")
    if game.ranking is not HandRanking.STANDARD:
        raise StrategyError(f"OpenSpiel has no game with the {game.ranking} ranking of {game.name}.")
    if game.limit and min(game.stacks) < UNLIMITED_CHIPS:
        raise StrategyError(f"{game.name} is a limit game with stacks, and OpenSpiel's limit games have none.")
    return UNIVERSAL


def _listed(numbers: Any) -> str:
    return " ".join(map(str, numbers))


def imported(module: str) -> Any:
    """Return one of OpenSpiel's modules.  Raises :class:`StrategyError` if OpenSpiel is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise StrategyError(
            "OpenSpiel is needed and is not installed; install it with: pip install open_spiel"
        ) from error


# --- reading ----------------------------------------------------------------------------------------------------------


def table_function(table: Mapping[str, Any], subject: Subject) -> Callable[[PublicState], Choices]:
    """Make a function of public states from a table by OpenSpiel's information-state strings.

    The table has probabilities of the actions: a mapping or pairs by OpenSpiel's action numbers, as ``to_dict`` of a
    ``TabularPolicy`` writes them, or a sequence with a number for each action, like the rows of its
    ``action_probability_array``.  Raises :class:`StrategyError` if OpenSpiel has no such game, or is needed and not
    installed; the function raises it if an information state is missing or its entry is not probabilities.
    """
    name = spiel_name(subject)
    game = spiel_game(subject) if name == UNIVERSAL else None

    def from_table(state: PublicState) -> Choices:
        def entry(hand: tuple[int, ...]) -> Mapping[int, float]:
            if game is None:
                text = information_state(name, state, hand[0])
            else:
                text = spiel_state(game, name, state, hand).information_state_string(state.actor)
            if text not in table:
                raise StrategyError(f"The table has no information state {text!r}, which OpenSpiel's {name} has.")
            return _by_number(table[text], text)

        return _rows(name, state, entry)

    return from_table


def policy_function(policy: Policy, subject: Subject) -> Callable[[PublicState], Choices]:
    """Make a function of public states from a policy of OpenSpiel; raises the errors of :func:`table_function`."""
    name = spiel_name(subject)
    game = getattr(policy, "game", None)
    if game is None:
        game = spiel_game(subject)
    if game.get_type().short_name != name or game.num_players() != 2:
        raise StrategyError(f"The policy is for OpenSpiel's '{game}', not for '{name}' with two players.")
    given = game.get_parameters()
    for key, value in _parameters(subject.rules).items() if name == UNIVERSAL else ():
        if given.get(key) != value:
            raise StrategyError(
                f"The policy is for a universal_poker with {key}={given.get(key)}; this game has {key}={value}."
            )

    def from_policy(state: PublicState) -> Choices:
        return _rows(name, state, lambda hand: policy.action_probabilities(spiel_state(game, name, state, hand)))

    return from_policy


def information_state(name: str, state: PublicState, card: int) -> str:
    """Return the information state of the player who acts with a card, in the notation of OpenSpiel's Kuhn or Leduc."""
    numbers: list[list[int]] = [[] for _ in state.actions]
    for before, action in state.steps():
        numbers[before.betting.round].append(action_number(name, before, action))
    if name == NAMES["kuhn"]:
        return f"{card}{''.join('pb'[number] for number in numbers[0])}"
    spent, actor = state.betting.spent, state.actor
    public = f"[Public: {state.board[0]}]" if state.board else ""
    first, second = (" ".join(map(str, part)) for part in (*numbers, [])[:2])
    return (
        f"[Observer: {actor}][Private: {card}][Round {len(numbers)}][Player: {actor}][Pot: {sum(spent)}]"
        f"[Money: {100 - spent[0]} {100 - spent[1]}]{public}[Round1: {first}][Round2: {second}]"
    )


def spiel_state(game: Any, name: str, state: PublicState, hand: tuple[int, ...]) -> Any:
    """Return OpenSpiel's state in which the player who acts holds a hand; the opponent holds any other cards."""
    deck = state.subject.rules.deck
    left = [card for card in range(deck.num_cards) if card not in hand and card not in state.board]
    other = tuple(left[: len(hand)])
    found = game.new_initial_state()
    for card in (*hand, *other) if state.actor == 0 else (*other, *hand):
        found.apply_action(card)
    dealt = 0
    for before, action in state.steps():
        until = state.subject.rules.board_cards_in(before.betting.round)
        for number in (*state.board[dealt:until], action_number(name, before, action)):
            found.apply_action(number)
        dealt = until
    for card in state.board[dealt:]:
        found.apply_action(card)
    return found


# --- writing ----------------------------------------------------------------------------------------------------------


def public_state(name: str, subject: Subject, history: Sequence[int]) -> tuple[PublicState, tuple[int, ...]]:
    """Return the public state after a history of OpenSpiel (cards and actions), and the hand of the player who acts.

    Raises :class:`StrategyError` if no player acts there.
    """
    count = subject.rules.num_hole_cards
    hands = tuple(history[:count]), tuple(history[count : 2 * count])
    state, numbers = PublicState.start(subject), list(history[2 * count :])
    while numbers:
        if state.cards_due:
            state = state.with_cards((numbers.pop(0),))
        else:
            state = state.after(_action(name, state, numbers.pop(0)))
    if len(hands[1]) < count or state.actor < 0:
        raise StrategyError("No player acts at this state of OpenSpiel; a policy can be evaluated only at decisions.")
    return state, hands[state.actor]


def action_number(name: str, before: PublicState, action: Action) -> int:
    """Return OpenSpiel's number of an action at a public state."""
    if name == NAMES["kuhn"]:
        calls = action.kind == ActionKind.CALL and before.betting.legal().fold
        return int(calls or action.kind == ActionKind.RAISE)
    if action.kind == ActionKind.RAISE:
        return 2 if before.subject.rules.limit else action.total
    return int(action.kind == ActionKind.CALL)


def _action(name: str, state: PublicState, number: int) -> Action:
    """Return the action that has one of OpenSpiel's numbers."""
    legal = state.betting.legal()
    if name == NAMES["kuhn"]:
        passes = FOLD if legal.fold else CALL
        bets = CALL if legal.fold else raise_to(0)
        return bets if number else passes
    if number < 2:
        return CALL if number else FOLD
    return raise_to(0 if state.subject.rules.limit else number)


# --- both -------------------------------------------------------------------------------------------------------------


def _rows(name: str, state: PublicState, entry: Callable[[tuple[int, ...]], Mapping[int, float]]) -> Choices:
    """Return the strategy of every hand from the probabilities of each; OpenSpiel has every size of a raise."""
    legal, live = state.betting.legal(), live_hands(state)
    sizes = () if legal.raise_range is None else range(legal.raise_range[0], legal.raise_range[1] + 1)
    actions = (*((FOLD,) if legal.fold else ()), CALL, *map(raise_to, sizes))
    numbers = [action_number(name, state, action) for action in actions]
    rules = state.subject.rules
    cards = hand_cards(rules.deck.num_cards, rules.num_hole_cards)
    result = np.zeros((len(live), len(actions)))
    for hand in np.flatnonzero(live):
        found = entry(tuple(cards[hand].tolist()))
        result[hand] = [found.get(number, 0.0) for number in numbers]
    return Choices(actions, result)


def _by_number(entry: Any, text: str) -> Mapping[int, float]:
    try:
        if isinstance(entry, Mapping):
            return {int(number): float(p) for number, p in entry.items()}
        if isinstance(entry, Sequence | np.ndarray):
            pairs = enumerate(entry) if np.ndim(entry) == 1 else entry
            return {int(number): float(p) for number, p in pairs}
    except (TypeError, ValueError):
        pass
    raise StrategyError(f"The table's entry for {text!r} cannot be read; give (action, probability) pairs.")
