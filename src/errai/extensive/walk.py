"""Games in extensive form made by a walk over all histories: from a class of the user's own, or from OpenSpiel."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from errai.errors import GameDefinitionError, TreeTooLargeError, UnsupportedGameError
from errai.extensive.game import ExtensiveGame
from errai.extensive.histories import CHANCE, END
from errai.own_code import faults_named

MAX_HISTORIES = 20_000_000
"""The most histories that are walked unless another number is given."""


@runtime_checkable
class Rules(Protocol):
    """A game as a class of the user's own; a state may be anything.

    Examples
    --------
    >>> import errai
    >>> class MatchingPennies:
    ...     num_players = 2
    ...     def start(self): return ""
    ...     def player(self, state): return None if len(state) == 2 else len(state)
    ...     def actions(self, state): return ("heads", "tails")
    ...     def after(self, state, action): return state + action[0]
    ...     def information(self, state): return "first" if state == "" else "second"
    ...     def payoffs(self, state): return (1.0, -1.0) if state[0] == state[1] else (-1.0, 1.0)
    >>> errai.extensive_game(MatchingPennies()).decisions[0].num_sets
    1
    """

    num_players: int

    def start(self) -> Any:
        """Return the state before anything has happened."""

    def player(self, state: Any) -> int | None:
        """Return whose turn it is: a number from 0, -1 for chance, or None where the game is over."""

    def actions(self, state: Any) -> Iterable[Any]:
        """Return the actions of a player; where chance moves, pairs of an action and its probability."""

    def after(self, state: Any, action: Any) -> Any:
        """Return the state after an action, without changing the one before."""

    def information(self, state: Any) -> Hashable:
        """Return what the player whose turn it is knows: the same value at all states that the player confuses."""

    def payoffs(self, state: Any) -> Sequence[float]:
        """Return what each player has won where the game is over."""


class _Player:
    """What the walk has found of one player."""

    def __init__(self) -> None:
        self.number: dict[Hashable, int] = {}
        self.leading: list[int] = []
        self.first: list[int] = []
        self.actions: list[tuple[Any, ...]] = []
        self.count = 1

    def meet(self, player: int, information: Hashable, leading: int, actions: tuple[Any, ...], title: str) -> int:
        """Return the first sequence of an information set.

        Raises :class:`UnsupportedGameError` if the player comes to it by two sequences, which is imperfect recall, and
        :class:`GameDefinitionError` if it has other actions than before.
        """
        found = self.number.get(information)
        if found is None:
            self.number[information] = len(self.leading)
            self.leading.append(leading)
            self.first.append(self.count)
            self.actions.append(actions)
            self.count += len(actions)
            return self.first[-1]
        if self.leading[found] != leading:
            raise UnsupportedGameError(
                f"{title} has imperfect recall: player {player} comes to the information set {str(information)!r:.200} "
                f"both after {self.told(self.leading[found])} and after {self.told(leading)}, and no longer knows "
                "which. Every method here needs a player to remember all own actions and all that was known before."
            )
        if self.actions[found] != actions:
            raise GameDefinitionError(
                f"Player {player} of {title} has the actions {self.actions[found]!r:.100} and {actions!r:.100} at one "
                f"information set, {str(information)!r:.200}; states that a player confuses have the same actions."
            )
        return self.first[found]

    def told(self, sequence: int) -> str:
        """Return the actions of a sequence in words."""
        said: list[str] = []
        while sequence:
            at = max(i for i, first in enumerate(self.first) if first <= sequence)
            said.append(str(self.actions[at][sequence - self.first[at]]))
            sequence = self.leading[at]
        return repr(", ".join(reversed(said))) if said else "no own action"


def walked_game(
    rules: Rules,
    title: str | None = None,
    *,
    max_histories: int = MAX_HISTORIES,
    source: Any = None,
    histories: bool = False,
) -> ExtensiveGame:
    """Walk over all histories of a game, and return it written out; with ``histories`` these are kept as a tree.

    Raises
    ------
    UnsupportedGameError
        A player has imperfect recall; the message names the information set and the two ways to it.
    GameDefinitionError
        Probabilities of chance are not above 0 with sum 1, payoffs are not finite numbers, one for each player, a
        player does not exist, or states that a player confuses have different actions.
    TreeTooLargeError
        The game has more than ``max_histories`` histories.
    """
    title = title or getattr(rules, "title", None) or type(rules).__name__
    told = getattr(rules, "chance_text", str)  # Not part of the protocol: a name of what chance deals.
    players = [_Player() for _ in range(int(rules.num_players))]
    ends: list[tuple[int, ...]] = []
    payoffs: list[list[float]] = []
    walked = 0
    kept: list[tuple[Any, ...]] = []
    highest, lowest = -math.inf, math.inf
    with faults_named(f"The game {title}", GameDefinitionError):
        # The state, the sequences, the probability of chance, and the last move: from which history, by whom, its
        # sequence, its probability and its label.
        nothing = (-1, CHANCE, 0, 1.0, "")
        stack: list[tuple[Any, ...]] = [(rules.start(), (0,) * len(players), 1.0, nothing)]
        none = [0.0] * len(players)
        while stack:
            state, sequences, chance, move = stack.pop()
            here, walked = walked, walked + 1
            if walked > max_histories:
                raise TreeTooLargeError(
                    f"{title} has more than {max_histories:,} histories; raise max_histories, or take a smaller game."
                )
            player = rules.player(state)
            if player is None:
                won = [float(number) for number in rules.payoffs(state)]
                if len(won) != len(players) or not all(map(math.isfinite, won)):
                    raise GameDefinitionError(
                        f"An end of {title} pays {won}; a finite number for each of {len(players)} players is needed."
                    )
                highest, lowest = max(highest, *won), min(lowest, *won)
                ends.append(sequences)
                payoffs.append([chance * number for number in won])
                if histories:
                    kept.append((*move, END, -1, won))
            elif player == CHANCE:
                moves = [(action, float(probability)) for action, probability in rules.actions(state)]
                if not all(p > 0.0 for _, p in moves) or not abs(sum(p for _, p in moves) - 1.0) <= 1e-9:
                    raise GameDefinitionError(
                        f"Chance in {title} has the probabilities {[p for _, p in moves]}; they must be above 0 and "
                        "sum to 1."
                    )
                # The last is walked first, so that ends and sets come in the order of the actions.
                if histories:
                    kept.append((*move, CHANCE, -1, none))
                stack += [
                    (
                        rules.after(state, action),
                        sequences,
                        chance * p,
                        (here, CHANCE, 0, p, told(action)) if histories else nothing,
                    )
                    for action, p in reversed(moves)
                ]
            elif player in range(len(players)):
                actions = tuple(rules.actions(state))
                if not actions or len(set(actions)) != len(actions):
                    raise GameDefinitionError(f"A decision of {title} has the actions {actions!r:.100}; give others.")
                first = players[player].meet(player, rules.information(state), sequences[player], actions, title)
                if histories:
                    kept.append((*move, player, players[player].number[rules.information(state)], none))
                for a, action in reversed([*enumerate(actions)]):
                    after = (*sequences[:player], first + a, *sequences[player + 1 :])
                    last = (here, player, first + a, 1.0, str(action)) if histories else nothing
                    stack.append((rules.after(state, action), after, chance, last))
            else:
                raise GameDefinitionError(f"It is the turn of player {player!r:.40} in {title}, who does not exist.")
    return ExtensiveGame.of(
        title,
        [p.leading for p in players],
        [[len(a) for a in p.actions] for p in players],
        ends,
        payoffs,
        [[str(information) for information in p.number] for p in players],
        [[tuple(map(str, actions)) for actions in p.actions] for p in players],
        source or getattr(rules, "source", None) or {"walked": title},
        kept,
        highest - lowest,
    )


class SpielRules(Rules):
    """A game of OpenSpiel, a ``pyspiel.Game``, as rules; simultaneous moves are made one after the other.

    Raises :class:`UnsupportedGameError` for a game with chance that is only sampled.
    """

    def __init__(self, game: Any) -> None:
        pyspiel, kind = import_module("pyspiel"), game.get_type()
        if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            game = pyspiel.convert_to_turn_based(game)
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise UnsupportedGameError(f"OpenSpiel only samples the chance of {game}, so it cannot be written out.")
        self.game = game
        self.title = str(game)
        self.num_players = game.num_players()

    def start(self) -> Any:
        return self.game.new_initial_state()

    def player(self, state: Any) -> int | None:
        return None if state.is_terminal() else CHANCE if state.is_chance_node() else int(state.current_player())

    def actions(self, state: Any) -> Iterable[Any]:
        return state.chance_outcomes() if state.is_chance_node() else state.legal_actions()

    def after(self, state: Any, action: Any) -> Any:
        return state.child(action)

    def information(self, state: Any) -> Hashable:
        return state.information_state_string()

    def payoffs(self, state: Any) -> Sequence[float]:
        return state.returns()


def is_spiel_game(found: Any) -> bool:
    """Whether something is a game of OpenSpiel, without importing it."""
    return type(found).__module__.split(".")[0] == "pyspiel" and hasattr(found, "new_initial_state")
