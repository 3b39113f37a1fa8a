"""The output of a session at the terminal: the table as seen from one seat, hints, and the score in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from errai.cards.hands import hand_index
from errai.games.betting import ActionKind
from errai.games.hand import PublicState
from errai.games.subject import UNLIMITED_CHIPS
from errai.pictures.nodes import chips_text, reached_text
from errai.pictures.play_words import action_words, holding, line_words, on_street
from errai.pictures.table import DOWN, SeatView, TableView

if TYPE_CHECKING:
    from errai.agents.agent import StrategicAgent
    from errai.arena.session import Average, Score, Session


def table_view(
    title: str,
    state: PublicState,
    seat: int,
    names: tuple[str, str],
    own: tuple[int, ...],
    others: tuple[int, ...] | None,
) -> TableView:
    """Return the table at one state of a hand, as seen from one seat.

    ``names`` are by seat, ``own`` are the cards of ``seat``, and ``others`` those of the opponent if they were
    shown.
    """
    game = state.subject.rules
    deck = game.deck
    dealer = _dealer(state)

    def view(at: int, cards: tuple[str, ...], note: str) -> SeatView:
        behind = None if game.stacks[at] >= UNLIMITED_CHIPS else float(game.stacks[at] - state.betting.spent[at])
        bet = float(on_street(state.betting, at))
        return SeatView(names[at], cards, behind, bet, at == dealer, state.actor == at, note)

    def private(cards: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(deck.card_text(card) for card in sorted(cards, reverse=True))

    down = (DOWN,) * game.num_hole_cards
    other_cards = down if others is None else private(others)
    return TableView(
        title,
        (
            view(1 - seat, other_cards, "" if others is None else holding(state, others)),
            view(seat, private(own), holding(state, own)),
        ),
        tuple(deck.card_text(card) for card in state.board),
        game.board_cards_in(game.num_rounds - 1),
        state.pot_chips,
        line_words(state, names),
    )


def _dealer(state: PublicState) -> int:
    """Return the seat with the button, which acts last after the first board cards."""
    game = state.subject.rules
    if game.num_rounds > 1 or game.blinds[0] == game.blinds[1]:
        return 1 - game.first_player[-1]
    return 0 if game.blinds[0] < game.blinds[1] else 1


def hint_shares(advisor: StrategicAgent, state: PublicState, cards: tuple[int, ...]) -> list[tuple[str, float, bool]]:
    """Return the strategy of an agent with a hand: each action in words, its probability, and whether it is all-in.

    The list is empty if the agent never holds that hand here.  Raises the errors of the agent's ``strategy``.
    """
    choices = advisor.strategy(state)
    row = choices.probabilities[int(hand_index(cards))]
    if not row.sum() > 0:
        return []
    found = []
    for action, share in zip(choices.actions, row.tolist(), strict=True):
        words, _, all_in = action_words(state.betting, action).partition(", ")
        label = words.partition(" ")[0] if action.kind == ActionKind.CALL else words
        found.append((label, share, bool(all_in) and action.kind == ActionKind.RAISE))
    return found


def hint_warning(advisor: StrategicAgent, state: PublicState) -> str:
    """Return a warning for a hint of a solution that rarely reaches a state: how often, and how well it has converged.

    The text is empty if the hint needs no warning or the advisor is not a solution.
    """
    from errai.agents.solved import SolvedAgent
    from errai.arena.review import rare_node
    from errai.solutions.convergence import line_reached

    node = rare_node(advisor.solution, state) if isinstance(advisor, SolvedAgent) else None
    if node is None:
        return ""
    warning = f"The solution rarely reaches this point: {reached_text(line_reached(node))} with these cards"
    left = node.unconverged
    gain = "" if left != left else f", and its players could still gain {100 * left:.2g}% of the pot from here on"
    return f"{warning}{gain}."


def score_words(session: Session, *, measure: bool = False, score: Score | None = None) -> str:
    """Return the result so far: chips, and with enough hands the mean with its interval, with and without luck.

    ``measure`` adds the name of the estimator; ``score`` is the score if it has been computed.
    """
    score = session.score() if score is None else score
    hands = score.chips.hands
    if not hands:
        return "No hand has been finished yet."
    parts = [f"{hands:,} {'hand' if hands == 1 else 'hands'}: {_signed(score.chips.total_chips)} chips"]
    big_blind = _big_blind(session)
    if score.chips.half_width_chips is not None:
        parts.append(_mean(score.chips, big_blind))
    if score.without_luck is not None:
        without = f"{_signed(score.without_luck.total_chips)} chips"
        if score.without_luck.half_width_chips is not None:
            without += f", {_mean(score.without_luck, big_blind)}"
        parts.append(f"without luck {without}{f' ({score.measure})' if measure else ''}")
    return "; ".join(parts)


def _mean(average: Average, big_blind: int | None) -> str:
    unit, scale = ("mbb/g", 1000.0 / big_blind) if big_blind else ("chips a hand", 1.0)
    assert average.half_width_chips is not None
    mean, width = average.chips_a_hand * scale, average.half_width_chips * scale
    digits = 0 if big_blind else 2
    return f"{mean:+,.{digits}f} +- {width:,.{digits}f} {unit}"


def _big_blind(session: Session) -> int | None:
    subject = session.subject
    found: int | None = getattr(subject, "big_blind", None)
    return found or None


def _signed(chips: float) -> str:
    rounded = round(chips, 2)
    return "0" if rounded == 0 else f"{'+' if rounded > 0 else '-'}{chips_text(abs(rounded))}"
