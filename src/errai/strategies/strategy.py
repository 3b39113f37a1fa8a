"""The definition of a strategy: the action probabilities of every hand at a public state.

Agents, local best response, AIVAT and exact best responses ask nothing else of a strategy (:class:`Strategy`).  One
that can answer for many lines and boards in one call, such as a table or a formula, is also a :class:`BatchedStrategy`;
best responses in large games need that speed.  Each form is made from the other in one place:
:class:`errai.strategies.of_tree.TreeStrategy` and :class:`errai.strategies.by_state.ByState`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.errors import IllegalActionError, StrategyError
from errai.games.betting import ActionKind
from errai.games.game import Subject
from errai.games.hand import Action, PublicState
from errai.games.lookahead import follows
from errai.own_code import faults_named, numbers_of
from errai.tree.betting_tree import BettingTree

SLACK = 1e-6
"""How far the probabilities of :class:`Choices` may be from summing to 1."""

SUM_ERROR = 1e-4
"""How far the sum of the probabilities of a decision may be from 1; they are then normalised."""


@dataclass(frozen=True, eq=False)
class Choices:
    """The action probabilities of every hand at a public state.

    Axes: H all hands of the deck in hand-index order, A actions.
    """

    actions: tuple[Action, ...]
    """Legal actions, each once."""
    probabilities: NDArray[np.float64]
    """float64[H, A]; rows sum to 1, or are 0 for hands that cannot be held here."""


@runtime_checkable
class Strategy(Protocol):
    """Anything that has action probabilities for every hand at a public state.

    It may also have what :func:`says`, :func:`name_of` and :func:`require` ask for.
    """

    def strategy(self, state: PublicState) -> Choices:
        """Return the action probabilities of every hand for the player who acts at ``state``."""


Trait = Literal["suits_alike", "thinks"]
"""What a strategy may say of itself: that it is known to be symmetric in the suits, so that best responses need not
check it; that an answer takes long, so that it is not asked twice."""


def says(strategy: object, trait: Trait) -> bool:
    """Return what a strategy of either form says of itself by an attribute; False if it has none of this name."""
    return bool(getattr(strategy, trait, False))


def name_of(strategy: object) -> str:
    """Return the name of a strategy or function; without one, that of its class."""
    return getattr(strategy, "name", "") or getattr(strategy, "__name__", "") or type(strategy).__name__


def require(strategy: object, subject: Subject) -> None:
    """Ask a strategy that has a method ``require`` whether it is for a subject; it raises :class:`StrategyError`."""
    ask = getattr(strategy, "require", None)
    if ask is not None:
        ask(subject)


@dataclass(frozen=True)
class Decision:
    """A node of the betting tree at which a player acts: everything about a decision except the cards."""

    node: int
    """Number in the betting tree."""
    street: int
    player: int
    actions: tuple[str, ...]
    """Labels, such as 'fold', 'call', 'raise 20'; axis A."""
    kinds: tuple[ActionKind, ...]
    contributions: tuple[float, float]
    """Chips that each player has put in."""
    row: int
    """The first of the node's rows among those of (street, player) in the whole betting tree."""

    @classmethod
    def at(cls, betting: BettingTree, node: int) -> Decision:
        """Make the decision of a node of a betting tree."""
        kinds = tuple(ActionKind(int(betting.action_kind[child])) for child in betting.children(node))
        first, second = (float(chips) for chips in betting.contributions[node])
        street, actor = int(betting.street[node]), int(betting.actor[node])
        return cls(node, street, actor, betting.actions(node), kinds, (first, second), int(betting.row_start[node]))


@dataclass(frozen=True, eq=False)
class Deals:
    """Boards of a street, and the hands a player may hold on each; ``S`` is the number of hands over all boards."""

    street: int
    boards: NDArray[np.int8]
    """int8[B, n]: the cards on the table, those of each street ascending."""
    start: NDArray[np.int64]
    """int64[B+1]: hands of board ``b`` are ``start[b]:start[b+1]``."""
    hand: NDArray[np.int32]
    """int32[S]: hand indices.  One of the hands that differ by suits alone represents them all."""
    cards: NDArray[np.uint8]
    """uint8[S, k]: their cards."""


@runtime_checkable
class BatchedStrategy(Protocol):
    """A strategy for the lines of a betting tree, queried for decisions of one player on boards of one street.

    It may also have what :func:`says` and :func:`require` ask for.
    """

    @property
    def description(self) -> str:
        """A line that identifies the strategy; a checkpoint is valid for strategies of the same description."""

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.floating]:
        """Return the probabilities at the decisions of one player on one street.

        They are float[R, S], or float[R, 1] if all hands do the same, with a row for each (decision, action) in the
        order of ``decisions``.  The rows of a decision sum to 1.  For speed they may be float32; they are normalised in
        float64.
        """


def asked(strategy: Strategy, state: PublicState, again: bool = False) -> Choices:
    """Ask a strategy at a public state, and check its answer; ``again`` asks a second time and compares the answers.

    Raises :class:`StrategyError` if it fails, the answer is no :class:`Choices`, an action is not allowed, the
    probabilities of a hand are no numbers from 0 to 1 or sum to neither 1 nor 0, or the second answer differs.
    """
    if is_ours(strategy):
        # What these pass on from users is checked where they ask for it.
        return strategy.strategy(state)
    name = name_of(strategy)
    choices: Choices = called(strategy.strategy, state, name)
    check_choices(choices, state, name)
    if again:
        second = called(strategy.strategy, state, name)
        if second is not choices:
            check_choices(second, state, name)
            require_equal(choices, second, state, name)
    return choices


def called(function: Callable[[PublicState], Any], state: PublicState, name: str) -> Any:
    """Call a strategy's function; an error in it becomes a :class:`StrategyError` with its file and line."""
    with faults_named(f"'{name}'", StrategyError, lambda: f"at {place_text(state)}"):
        return function(state)


def is_ours(strategy: object) -> bool:
    """Return whether the class of a strategy is one of Errai's."""
    return type(strategy).__module__.startswith("errai.")


def check_choices(choices: Any, state: PublicState, name: str) -> None:
    """Raise :class:`StrategyError` if the answer of a strategy is wrong."""
    where = f"'{name}' at {place_text(state)}"
    if not isinstance(choices, Choices):
        raise StrategyError(f"{where} returned {choices!r:.80}, which is not a Choices.")
    for action in choices.actions:
        if not isinstance(action, Action):
            raise StrategyError(f"{where} returned {action!r:.80}, which is not an Action.")
        try:
            state.after(action)
        except IllegalActionError as error:
            raise StrategyError(f"{where} returned an action that is not allowed: {error}") from error
    checked_probabilities(choices.probabilities, choices.actions, state, name)


def checked_probabilities(
    given: Any,
    actions: Sequence[Action],
    state: PublicState,
    name: str,
    *,
    slack: float = SLACK,
    read: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Return float64[H, A]: the probabilities of actions that a strategy gave at a public state, after checking them.

    Sums may be ``slack`` from 1, or all numbers of a hand 0: then it cannot be held, or it never reaches this state.
    ``read``, bool[H], are the hands that are read, by default all.  Raises :class:`StrategyError` with the first number
    that is wrong, its hand and its action.
    """
    what = f"The probabilities of '{name}' at {place_text(state)}"
    numbers = numbers_of(
        given,
        what,
        (len(live_hands(state)), len(actions)),
        low=0.0,
        high=1.0 + slack,
        read=None if read is None else np.broadcast_to(read[:, None], (len(read), len(actions))),
        place=lambda hand, action: f"for {_hand_text(hand, state)}, to {_action_text(actions[action])}",
        error=StrategyError,
    )
    sums = numbers.sum(axis=1)
    wrong = np.minimum(np.abs(sums), np.abs(sums - 1.0)) > slack
    if read is not None:
        wrong &= read
    if wrong.any():
        hand = int(wrong.argmax())
        raise StrategyError(f"{what} sum to {sums[hand]:g} for {_hand_text(hand, state)}, not to 1.")
    return numbers


def require_equal(first: Choices, second: Choices, state: PublicState, name: str) -> None:
    """Raise :class:`StrategyError` if two answers of a strategy at a state differ."""
    actions = dict.fromkeys((*first.actions, *second.actions))
    for action in actions:
        before, after = (
            choices.probabilities[:, choices.actions.index(action)]
            if action in choices.actions
            else np.zeros(len(choices.probabilities))
            for choices in (first, second)
        )
        wrong = np.abs(before - after) > SLACK
        if wrong.any():
            hand = int(wrong.argmax())
            raise StrategyError(
                f"'{name}' was asked twice at {place_text(state)}, and gave two answers: it would "
                f"{_action_text(action)} with {_hand_text(hand, state)} with a probability of {before[hand]:g}, "
                f"and then of {after[hand]:g}. A strategy must give the same answer to the same question; draw at "
                "random in `act` only."
            )


def place_text(state: PublicState) -> str:
    """Return where a public state is, for messages: its line and its board."""
    line = " / ".join(" ".join(_action_text(action) for action in done) for done in state.actions)
    cards = state.subject.deck.cards_text(state.board)
    return (f"the line '{line}'" if line else "the first decision") + (f" on {cards}" if cards else "")


def _hand_text(hand: int, state: PublicState) -> str:
    game = state.subject.rules
    return game.deck.cards_text(hand_cards(game.deck.num_cards, game.num_hole_cards)[hand].tolist())


def _action_text(action: Action) -> str:
    return f"raise to {action.total}" if action.kind == ActionKind.RAISE else action.kind.name.lower()


def checked_rows(
    strategy: BatchedStrategy, decisions: Sequence[Decision], deals: Deals, *, sums: bool = True
) -> NDArray[np.floating]:
    """Query a strategy, and check its answer.

    Raises :class:`StrategyError` if the answer has a wrong shape or is no probabilities; ``sums`` says whether their
    sums are checked too.
    """
    with faults_named(f"'{strategy.description}'", StrategyError):
        answer = np.asarray(strategy.rows(decisions, deals))
    counts = [len(decision.actions) for decision in decisions]
    rows = sum(counts)
    if answer.ndim != 2 or len(answer) != rows or answer.shape[1] not in (1, len(deals.hand)):
        raise StrategyError(
            f"'{strategy.description}' returned an array of shape {answer.shape} instead of ({rows}, "
            f"{len(deals.hand)})."
        )
    if answer.dtype.kind not in "biuf":
        raise StrategyError(f"'{strategy.description}' returned an array of {answer.dtype}, not one of real numbers.")
    if answer.dtype not in (np.float32, np.float64):
        answer = answer.astype(np.float64)
    if not answer.size:
        return answer
    if not (float(answer.min()) >= 0.0 and float(answer.max()) <= 1.0 + SUM_ERROR):
        row, column = (int(i) for i in np.argwhere(~((answer >= 0.0) & (answer <= 1.0 + SUM_ERROR)))[0])
        d = int(np.searchsorted(np.cumsum(counts), row, side="right"))
        action = decisions[d].actions[row - sum(counts[:d])]
        raise StrategyError(
            f"'{strategy.description}' returned {answer[row, column]:g} as the probability to {action} with "
            f"{_dealt_text(decisions[d], deals, column)}; it must be a number from 0 to 1."
        )
    if sums:
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        total = np.add.reduceat(answer, starts, axis=0)
        if not (np.abs(total - 1.0) <= SUM_ERROR).all():
            d, column = (int(i) for i in np.argwhere(~(np.abs(total - 1.0) <= SUM_ERROR))[0])
            raise StrategyError(
                f"'{strategy.description}' returned probabilities that sum to {total[d, column]:g}, not to 1, with "
                f"{_dealt_text(decisions[d], deals, column)}."
            )
    return answer


def require_same_rows(
    first: NDArray[np.floating],
    second: NDArray[np.floating],
    strategy: BatchedStrategy,
    decisions: Sequence[Decision],
    deals: Deals,
) -> None:
    """Raise :class:`StrategyError` if two answers of a strategy to the same question differ."""
    wrong = np.argwhere(np.abs(first - second) > SLACK)
    if len(wrong):
        row, column = (int(i) for i in wrong[0])
        labels = [(d, label) for d in decisions for label in d.actions]
        raise StrategyError(
            f"'{strategy.description}' was asked twice, and gave two answers: {first[row, column]:g} and then "
            f"{second[row, column]:g} as the probability to {labels[row][1]} with "
            f"{_dealt_text(labels[row][0], deals, column)}. A strategy must give the same answer to the same question."
        )


def _dealt_text(decision: Decision, deals: Deals, column: int) -> str:
    """Return the hand of a column of an answer, the board, and the decision, for messages."""
    board = int(np.searchsorted(deals.start, column, side="right")) - 1
    cards, table = (" and ".join(map(str, numbers.tolist())) for numbers in (deals.cards[column], deals.boards[board]))
    return (
        f"the hand of the cards {cards} on {f'the board {table}' if table else 'no board'}, at node {decision.node} of "
        f"the tree, where player {decision.player} can {', '.join(decision.actions)}"
    )


def merged_choices(actions: list[Action], probabilities: NDArray[np.float64]) -> Choices:
    """Return choices in which equal actions are merged; ``probabilities`` is float64[H, len(actions)]."""
    distinct = list(dict.fromkeys(actions))
    if len(distinct) == len(actions):
        return Choices(tuple(actions), probabilities)
    merged = np.zeros((len(probabilities), len(distinct)))
    for i, action in enumerate(actions):
        merged[:, distinct.index(action)] += probabilities[:, i]
    return Choices(tuple(distinct), merged)


def live_hands(state: PublicState) -> NDArray[np.bool_]:
    """Return bool[H], read-only: the hands of the deck that share no card with the board."""
    game = state.subject.rules
    return _live_hands(game.deck.num_cards, game.num_hole_cards, state.board)


@lru_cache(maxsize=4_096)
def _live_hands(num_cards: int, hole_cards: int, board: tuple[int, ...]) -> NDArray[np.bool_]:
    taken = np.zeros(num_cards, dtype=np.bool_)
    taken[list(board)] = True
    live = np.asarray(~taken[hand_cards(num_cards, hole_cards)].any(axis=1))
    live.setflags(write=False)
    return live


def require_same(made_for: Subject, played: Subject, name: str) -> None:
    """Raise :class:`StrategyError` if a strategy cannot be asked everywhere in what is played.

    It cannot if it was made for another game, or for the rest of the game from a state that comes later.
    """
    begins, here = PublicState.start(made_for), PublicState.start(played)
    if begins.subject.digest() != here.subject.digest():
        raise StrategyError(f"{name} plays '{made_for.label}', which has other rules than '{played.label}'.")
    if not follows(here, begins):
        raise StrategyError(
            f"{name} is a strategy for the rest of the hand, {made_for.title}; it says nothing about what comes before "
            "or beside that. Give a lookahead from there on, errai.lookahead(...), in place of the whole game, or a "
            "strategy of the whole game."
        )
