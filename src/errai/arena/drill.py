"""Drills: decisions drawn from a solution as they come up in play, and how an answer is graded.

A question is a public state with the hand of the player who acts.  It is drawn by dealing hands and cards and letting
both players of the solution act, so that what comes up often in play is asked often.  An answer is graded by what it
loses against the best action (:mod:`errai.arena.review`).  Nothing here prints.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import chain, count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.arena.repetition import Repetition
from errai.arena.review import Review, ReviewedDecision, reviewed_decision
from errai.cards.hands import fitting_weights
from errai.engine.units import Units
from errai.errors import ForeignFileError, InputError, LineError, MismatchError
from errai.games.streets import street_name
from errai.kernels.layout import DECISION
from errai.own_code import whole_number
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Follow, Profile, line_nodes
from errai.store.atomic import refusals
from errai.tree.lines import card_texts, is_deal, steps

SMALL, LARGE = 0.005, 0.05
"""Losses below the first part of the pot are none, and from the second one on they are mistakes."""

SELDOM, HARDLY = 0.1, 0.01
"""Where EVs are not known: an action that the solution takes less often than the first is inaccurate, than the second a
mistake."""

ATTEMPTS = 5_000
"""So many deals are tried for one question."""

REMEMBERED_NODES = 500


class Grade(StrEnum):
    """How good an answer is."""

    RIGHT = "right"
    INACCURATE = "inaccurate"
    MISTAKE = "mistake"


def grade(decision: ReviewedDecision) -> Grade:
    """Return how good an action is: by the part of the pot that it loses, or by how often the solution takes it.

    A loss that is not counted, because the solution has not converged that far there, is none.
    """
    if decision.ev_chips:
        lost = decision.counted_chips / decision.pot_chips
        return Grade.MISTAKE if lost >= LARGE else Grade.INACCURATE if lost >= SMALL else Grade.RIGHT
    taken = decision.probabilities.get(decision.action, 0.0)
    return Grade.MISTAKE if taken < HARDLY else Grade.INACCURATE if taken < SELDOM else Grade.RIGHT


@dataclass(frozen=True)
class Question:
    """A decision that is asked."""

    line: str
    """The actions and cards before it, as the solution names them."""
    hand: str
    """The cards of the player who acts, such as ``AhKd``."""
    again: bool = field(default=False, compare=False)
    """Whether it is asked again because it was answered wrongly on an earlier day."""


class Draws:
    """Draws questions from a solution.

    Parameters
    ----------
    solution:
        What is drilled.
    seed:
        Each question depends on the seed and its number alone.
    player:
        Only decisions of this player, 0 or 1.
    street:
        Only decisions on this street, by its name: ``flop``, or ``round 1`` in games that deal otherwise.
    line:
        Only decisions after this line.  It may name the cards (or ``*``); where it does not, they are drawn.
    board:
        The cards on the table, in the order in which they come; those that are not named are drawn.
    facing_bet:
        Only decisions against a bet or a raise, where the player has to call, raise or fold.

    Raises
    ------
    LineError
        If the solution has no such line.
    CardParseError, CardsError
        If ``board`` is not different cards.
    InputError
        If there is no such decision, or the options contradict each other.
    """

    def __init__(
        self,
        solution: Profile,
        *,
        seed: int = 0,
        player: int | None = None,
        street: str | None = None,
        line: str = "",
        board: str = "",
        facing_bet: bool = False,
    ) -> None:
        self.solution = solution
        self.seed = whole_number(seed, "The seed", 0)
        self.player = player
        self.facing_bet = facing_bet
        self.follow: Follow = lru_cache(REMEMBERED_NODES)(lambda node, step: node[step])
        betting = solution.tree.betting
        names = [street_name(solution.subject.rules, betting.first_round + s) for s in range(betting.num_streets)]
        street = None if street is None else street.lower()
        if street is not None and street not in names:
            raise InputError(f"There is no street {street!r} in this solution; there are {', '.join(names)}.")
        self.street = None if street is None else names.index(street)
        self.wanted = list(steps(line))
        self.cards = self._cards_to_come(board)
        self.here, self.left, self.cards = self._fixed_part(solution.root, self.wanted, self.cards)
        self._check_end()

    def __iter__(self) -> Iterator[Question]:
        return (self.draw(number) for number in count())

    def draw(self, number: int) -> Question:
        """Return the question with a number.

        Raises :class:`InputError` if what is asked for comes up so rarely that none was found.
        """
        rng = np.random.default_rng([self.seed, number])
        for _ in range(ATTEMPTS):
            hands = self._hands(rng)
            node = self._played(rng, hands)
            if node is not None:
                deck = self.solution.deck
                cards = self.solution.tree.root.hands[hands[node.player or 0]][::-1]
                return Question(node.line, deck.cards_text(cards.tolist()))
        raise InputError(
            f"Nothing was found in {ATTEMPTS:,} deals: the solution hardly ever comes to such a decision. Name the "
            "board, or another line."
        )

    # --- what is fixed -----------------------------------------------------------------------------------------------

    def _cards_to_come(self, board: str) -> tuple[str, ...]:
        """Return the cards of a board that are not on the table at the root, in order."""
        deck, start = self.solution.deck, self.solution.board
        cards = deck.parse_cards(board)
        if cards and set(start) & set(cards):
            if set(cards[: len(start)]) != set(start):
                raise InputError(f"The board begins with {deck.cards_text(start)} here; write these cards first.")
            cards = cards[len(start) :]
        if len(cards) > (most := sum(self.solution.tree.root.new_cards)):
            raise InputError(f"{deck.cards_text(cards)} are more cards than the {most} that can come.")
        if cards and any(is_deal(step) and step != "*" for step in self.wanted):
            raise InputError("Name the cards in the line or in the board, not in both.")
        return tuple(map(deck.card_text, cards))

    def _fixed_part(
        self, node: SolutionNode, wanted: list[str], cards: tuple[str, ...]
    ) -> tuple[SolutionNode, list[str], tuple[str, ...]]:
        """Follow line and board as far as nothing is drawn; return the node, and what is left of both."""
        wanted = list(wanted)
        while node.kind in ("chance", "decision"):
            dealt = self._dealt(node, wanted, cards)
            if dealt is not None:
                node, cards = self.follow(node, dealt[0]), dealt[1]
            elif node.kind == "decision" and wanted:
                node = self.follow(node, wanted.pop(0))
            else:
                break
        return node, wanted, cards

    def _dealt(
        self, node: SolutionNode, wanted: list[str], cards: tuple[str, ...]
    ) -> tuple[str, tuple[str, ...]] | None:
        """Return the cards that are named for a deal, and those that are left; None if they are drawn.

        What the line says of the deal is taken from ``wanted``.
        """
        if node.kind != "chance":
            return None
        number = self.solution.tree.root.new_cards[node.street]
        if wanted and is_deal(wanted[0]):
            step = wanted.pop(0)
            if step != "*":
                named = card_texts(step)
                if len(named) > number:
                    wanted.insert(0, "".join(named[number:]))
                return "".join(named[:number]), cards
        if not cards:
            return None
        if len(cards) < number:
            raise InputError(f"The board names {len(cards)} of the {number} cards that are dealt together; name all.")
        return "".join(cards[:number]), cards[number:]

    def _check_end(self) -> None:
        """Check that there is a decision to ask."""
        if not self.wanted:
            if not self._most:
                raise InputError("There is no such decision in the solution; choose another player, street or board.")
            return
        # Where cards are drawn on the way, the betting tree alone tells.
        betting = self.solution.tree.betting
        shown = " ".join(self.wanted)
        end = betting.after_chance(betting.find(" ".join(step for step in self.wanted if not is_deal(step))))
        if betting.kind[end] != DECISION:
            raise InputError(f"Nobody acts after '{shown}', so there is no decision to ask.")
        if self.player not in (None, int(betting.actor[end])):
            raise InputError(f"After '{shown}' player {int(betting.actor[end])} acts, and not player {self.player}.")
        if self.street not in (None, int(betting.street[end])):
            raise InputError(f"The decision after '{shown}' is on another street.")
        if self.facing_bet and not self._faced[end]:
            raise InputError(f"After '{shown}' there is no bet to call.")

    @cached_property
    def _faced(self) -> NDArray[np.bool_]:
        """bool[N]: at which nodes of the betting tree the player who acts has put in less than the opponent."""
        betting = self.solution.tree.betting
        own, other = betting.contributions[:, 0], betting.contributions[:, 1]
        return np.asarray(np.where(betting.actor == 0, own < other, other < own))

    @cached_property
    def _most(self) -> int:
        """The most decisions with a choice that are asked for on any line from the fixed part on."""
        betting, start = self.solution.tree.betting, self.here.node
        fits = (betting.kind == DECISION) & (betting.num_children > 1)
        if self.player is not None:
            fits &= betting.actor == self.player
        if self.street is not None:
            fits &= betting.street == self.street
        if self.facing_bet:
            fits &= self._faced
        before = {start: int(fits[start])}
        # A node stands after its parent.
        for node, parent in enumerate(betting.parent.tolist()[start + 1 :], start + 1):
            if parent in before:
                before[node] = before[parent] + int(fits[node])
        return max(before.values())

    # --- what is drawn -----------------------------------------------------------------------------------------------

    @cached_property
    def _weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """float64[2, H] and float64[H]: both ranges without the cards to come, and player 0's weight with opponents."""
        hands = self.solution.tree.root.hands
        dead = [self.solution.deck.parse_card(card) for card in self.cards]
        ranges = np.where(np.isin(hands, dead).any(axis=1), 0.0, self.here.ranges)
        fitting = fitting_weights(hands, ranges[1])
        # What is left of a difference by rounding is no hand.
        first = np.where(fitting > 1e-12 * ranges[1].sum(), ranges[0] * fitting, 0.0)
        if not first.sum() > 0:
            raise InputError(f"The solution never comes to '{self.here.line}' with these cards.")
        return ranges, first

    def _hands(self, rng: np.random.Generator) -> tuple[int, int]:
        """Draw a hand for each player."""
        ranges, weights = self._weights
        first = _drawn(rng, weights)
        hands = self.solution.tree.root.hands
        fitting = np.where(np.isin(hands, hands[first]).any(axis=1), 0.0, ranges[1])
        return first, _drawn(rng, fitting)

    def _played(self, rng: np.random.Generator, hands: tuple[int, int]) -> SolutionNode | None:
        """Play one hand on; return the decision that is asked, or None if it does not come to one."""
        node, wanted, cards = self.here, list(self.left), self.cards
        # Of all decisions of a hand one number is asked, so that each is as likely as it is to come up.
        number = 0 if self.wanted else int(rng.integers(self._most))
        used = set(self.solution.tree.root.hands[list(hands)].ravel().tolist())
        while node.kind in ("chance", "decision"):
            if node.kind == "chance":
                dealt = self._dealt(node, wanted, cards)
                if dealt is None:
                    dealt = self._random_cards(rng, node, used, cards), cards
                if used & set(self.solution.deck.parse_cards(dealt[0])):
                    return None
                node, cards = self.follow(node, dealt[0]), dealt[1]
                continue
            assert node.player is not None
            row = node.strategies[hands[node.player]]
            if wanted:
                after = self.follow(node, wanted.pop(0))
                if rng.random() >= row[after.node - int(self.solution.tree.betting.first_child[node.node])]:
                    return None
                node = after
                continue
            fits = self.player in (None, node.player) and self.street in (None, node.street) and len(row) > 1
            if self.wanted or (fits and (not self.facing_bet or self._faced[node.node])):
                if number == 0:
                    return node
                number -= 1
            node = self.follow(node, node.actions[_drawn(rng, row)])
        return None

    def _random_cards(
        self, rng: np.random.Generator, node: SolutionNode, used: set[int], cards: tuple[str, ...]
    ) -> str:
        deck = self.solution.deck
        dead = used | set(node.board) | {deck.parse_card(card) for card in cards}
        left = [card for card in range(deck.num_cards) if card not in dead]
        drawn = rng.choice(left, self.solution.tree.root.new_cards[node.street], replace=False)
        return deck.cards_text(sorted(drawn.tolist(), reverse=True))


def drawer(solution: Profile, boards: Sequence[str] = (), **options: Any) -> Callable[[int], Question]:
    """Return a function that draws the question with a number; the boards are asked in turn.

    ``options`` and errors are those of :class:`Draws`.
    """
    draws = [Draws(solution, board=board, **options) for board in boards or ("",)]
    return lambda number: draws[number % len(draws)].draw(number)


class Drill:
    """A round of questions with its answers.

    Parameters
    ----------
    solution:
        What the answers are graded by.
    questions:
        What is asked, such as :class:`Draws` or the result of :func:`read_mistakes`.
    number:
        The most questions.
    repetition:
        Where mistakes are kept to be asked again; those that are due come first.

    Examples
    --------
    >>> import errai
    >>> leduc = errai.solve(errai.load_game("leduc"), "1mbb")
    >>> drill = Drill(leduc, Draws(leduc, seed=1), number=2)
    >>> for question in drill.questions():
    ...     node = drill.node(question)
    ...     answer = drill.answer(question, node.actions.index("check") if "check" in node.actions else 0)
    >>> [decision.street for decision in drill.review.decisions]
    ['round 2', 'round 1']
    """

    def __init__(
        self, solution: Profile, questions: Iterable[Question], *, number: int, repetition: Repetition | None = None
    ) -> None:
        self.solution = solution
        self.number = whole_number(number, "The number of decisions", 1)
        self.repetition = repetition
        self.answers: list[ReviewedDecision] = []
        self._more = questions
        self._node = lru_cache(2)(solution.at)

    def questions(self) -> Iterator[Question]:
        """Yield the questions: first those that are due again, then others."""
        due = [] if self.repetition is None else self._due(self.repetition)
        fresh = (question for question in self._more if question not in due)
        yield from islice(chain(due, fresh), self.number)

    def _due(self, repetition: Repetition) -> list[Question]:
        """Return what is due again and is in the solution."""
        found = [Question(line, hand, again=True) for line, hand in repetition.due()]
        return [question for question in found if is_known(self.solution, question)]

    def node(self, question: Question) -> SolutionNode:
        """Return the decision of a question."""
        return self._node(question.line)

    def answer(self, question: Question, action: int) -> ReviewedDecision:
        """Grade an answer and keep it; ``action`` is the place of the action among those of the node.

        Raises :class:`InputError` if there is no such action, hand or line, and the errors of writing the file of
        repetitions.
        """
        node = self.node(question)
        assert node.player is not None
        whole_number(action, "The place of the action", 0, len(node.actions) - 1)
        if np.isnan(node.strategies[node.hand_index(question.hand)]).any():
            raise LineError(f"{question.hand} cannot be held after {question.line!r}.")
        cards = self.solution.deck.parse_cards(question.hand)
        name = node.player_names[node.player]
        found = reviewed_decision(node, cards, action, hand=len(self.answers) + 1, player=name)
        self.answers.append(found)
        if self.repetition is not None:
            self.repetition.record(question.line, question.hand, grade(found).value)
        return found

    @property
    def review(self) -> Review:
        """All answers as a review, the greatest loss first."""
        decisions = sorted(self.answers, key=lambda decision: (-decision.counted_chips, -decision.loss_chips))
        units = Units.of(self.solution.subject, self.solution.initial_pot_chips)
        return Review(tuple(decisions), len(decisions), {}, units)

    def count(self, what: Grade) -> int:
        """Return how many answers have a grade."""
        return sum(grade(decision) is what for decision in self.answers)


def checked_question(solution: Profile, question: Question) -> SolutionNode:
    """Return the decision of a question that comes from a file.

    Raises :class:`MismatchError` if it is none of the solution.
    """
    try:
        node = [solution.root, *(node for _, node in line_nodes(solution.root, question.line))][-1]
        check_asked(node, question.hand)
    except LineError as error:
        raise MismatchError(
            f"The decision with {question.hand} after {question.line!r} is not in this solution: {error}"
        ) from None
    return node


def check_asked(node: SolutionNode, hand: str) -> None:
    """Raise :class:`LineError` unless somebody acts at a node with a hand."""
    row = node.hand_index(hand)
    if node.player is None or np.isnan(node.strategies[row]).any():
        raise LineError("nobody acts there with such a hand.")


def is_known(solution: Profile, question: Question) -> bool:
    """Return whether a question is a decision of a solution."""
    try:
        checked_question(solution, question)
    except MismatchError:
        return False
    return True


def read_mistakes(path: str | os.PathLike[str]) -> dict[str, list[Question]]:
    """Return the mistakes of a review that ``errai review --json`` or ``errai drill --json`` wrote.

    Losses that the review does not count are left out.  They are by the name of the solution of their spot, which is
    empty where one solution has reviewed all; the solution with the greatest loss comes first.

    Raises
    ------
    FileAccessError
        The file cannot be read.
    ForeignFileError
        It is no review.
    InputError
        There is no mistake in it.
    """
    with refusals(path, "be read"), open(path, "rb") as file:
        data = file.read()
    found: dict[str, list[Question]] = {}
    try:
        for entry in json.loads(data)["greatest"]:
            if entry["counted"]:
                questions = found.setdefault(str(entry.get("solution", "")), [])
                question = Question(str(entry["line"]), str(entry["cards"]))
                # The same decision may have been met several times.
                if question not in questions:
                    questions.append(question)
    except (AttributeError, ValueError, TypeError, KeyError, RecursionError):
        raise ForeignFileError(
            f"{path} is not a review; write one with `errai review FILES --against PLACE --json`."
        ) from None
    if not found:
        raise InputError(f"There is no mistake in {path}.")
    return found


def _drawn(rng: np.random.Generator, weights: NDArray[np.float64]) -> int:
    """Draw a place by weights of any sum."""
    weights = np.fmax(weights, 0.0)  # 0 for what is no number
    return int(rng.choice(len(weights), p=weights / weights.sum()))
