"""Play in words: actions, results and scores as text, actions that the user types, and the table as one seat sees it.

Amounts are a player's total on this street, with blinds and without antes, as players state them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import isinf
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from errai.cards.hands import hand_index
from errai.cards.strength import category, strength
from errai.errors import IllegalActionError, SizingError
from errai.games.betting import ActionKind, BettingState
from errai.games.game import UNLIMITED_CHIPS, Game, amount_text
from errai.games.hand import CALL, FOLD, Action, PlayedHand, PublicState, raise_to, showdown
from errai.games.sizing import Betting, parse_bet_size
from errai.games.streets import street_title
from errai.pictures.nodes import chips_text, reached_text

if TYPE_CHECKING:
    from errai.agents.agent import StrategicAgent
    from errai.arena.session import Average, Score, Session
    from errai.solutions.node import SolutionNode

YOU = "you"
"""The name of the user, with which verbs have no final s."""

LONGEST_NAME = 28

_RAISE = re.compile(r"(?:(raise|bet|r|b)\b\s*(?:to\b)?|([rb])(?=[\d.]))\s*(.*)")
_CHIPS = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.\d{0,6})?|\.\d{1,6}")
_RELATIVE = re.compile(r"(?:\d{1,6}(?:\.\d{0,3})?|\.\d{1,3})(?:%|x| ?bb)")
_ALL_IN = ("a", "all-in", "allin", "all in")

DOWN = ""
"""A card face down, where cards are written as texts such as 'Ah'."""


@dataclass(frozen=True, slots=True)
class SeatView:
    """One player at the table."""

    name: str
    cards: tuple[str, ...]
    """Private cards such as 'Ah', or ``DOWN``."""
    behind_chips: float | None
    """Chips that the player can still bet; None if stacks have no limit."""
    bet_chips: float = 0.0
    """Chips put in on this street."""
    dealer: bool = False
    acts: bool = False
    note: str = ""
    """A note on the player, such as the name of the hand or the chips won."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as one player sees it."""

    title: str
    seats: tuple[SeatView, SeatView]
    """The opponent's seat, and the seat of the player who looks at the table."""
    board: tuple[str, ...]
    board_places: int
    """Number of board cards of a whole hand."""
    pot_chips: float
    line: tuple[tuple[str, str], ...] = ()
    """Name of each street that has begun, and its actions."""


def printable(text: str) -> str:
    """Replace control characters in a text, which may come from a file."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def short_name(name: str) -> str:
    """Shorten a name so that it fits beside a table; of a path only the file name remains."""
    name = printable(name)
    if len(name) > LONGEST_NAME:
        name = name.replace("\\", "/").rsplit("/", 1)[-1]
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def _amount(parts: float, betting: BettingState) -> str:
    """Write parts of a chip in chips, as all amounts of bets are written here."""
    return amount_text(parts, betting.game.unit, ",")


def _parts(text: str, state: PublicState) -> int:
    """Read chips as they are typed; return parts of a chip, in which bets are counted."""
    unit = state.subject.unit
    parts = Fraction(text.replace(",", "")) * unit
    if parts.denominator != 1:
        smallest = "whole chips" if unit == 1 else f"multiples of {amount_text(1, unit)} chips"
        _refuse(f"Bets here are {smallest}, and {text} is none.", state)
    return int(parts)


def action_words(betting: BettingState, action: Action) -> str:
    """Return an action of the actor as an imperative: 'check', 'call 100', 'bet 200', 'raise to 600, all-in'."""
    actor = betting.actor
    if action.kind == ActionKind.FOLD:
        return "fold"
    cost = betting.to_call_chips
    if action.kind == ActionKind.CALL:
        total = betting.spent[actor] + cost
        words = f"call {_amount(cost, betting)}" if cost else "check"
    else:
        total = action.total
        faced = max(betting.on_street(seat) for seat in range(len(betting.spent)) if seat != actor)
        words = f"{'raise to' if faced else 'bet'} {_amount(total - betting.before_bets(actor), betting)}"
    return f"{words}, all-in" if total >= betting.game.stacks[actor] and words != "check" else words


def said(name: str, words: str) -> str:
    """Return an action with its player: 'you raise to 300', 'Polaris raises to 300'."""
    verb, space, rest = words.partition(" ")
    comma = "," if verb.endswith(",") else ""
    return f"{name} {verb.rstrip(',')}{'' if name == YOU else 's'}{comma}{space}{rest}"


def line_words(state: PublicState, names: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Return every street that has begun, with its actions in words; ``names`` are by seat."""
    parts: list[list[str]] = [[] for _ in state.actions]
    for before, action in state.steps():
        words = said(names[before.betting.actor], action_words(before.betting, action))
        parts[before.betting.round - state.first_round].append(words)
    titles = (street_title(state.subject.rules, state.first_round + number) for number in range(len(parts)))
    return tuple(zip(titles, map("; ".join, parts), strict=True))


def choices_words(state: PublicState) -> list[str]:
    """Return the legal actions, each with its key, and the range of raises."""
    betting, legal = state.betting, state.betting.legal()
    parts = ["f fold"] if legal.fold else []
    parts.append(f"{'c' if betting.to_call_chips else 'k'} {action_words(betting, CALL)}")
    if legal.raise_range is not None:
        least, most = (_amount(total - betting.before_bets(betting.actor), betting) for total in legal.raise_range)
        smallest = action_words(betting, raise_to(legal.raise_range[0]))
        if least == most:
            parts.append(f"r {smallest}")
        elif legal.raise_range[1] >= UNLIMITED_CHIPS:
            parts.append(f"r {smallest} or more (r {least.replace(',', '')}, r 50%, pot)")
        else:
            parts.append(f"r {smallest} - {most} (r {least.replace(',', '')}, r 50%, pot)")
            parts.append("a all-in")
    return parts


def read_action(text: str, state: PublicState) -> Action:
    """Return the action that the user typed.

    The text is ``f``; ``k``, ``c``; ``r`` or ``b`` with chips (the total on this street), ``50%``, ``2.5x``, ``3bb``,
    ``pot``, ``min`` or ``a``.  A size that is unambiguous may stand alone.

    Raises :class:`IllegalActionError` with the legal actions in its message.
    """
    words = " ".join(text.lower().split())
    legal = state.betting.legal()
    if words in ("f", "fold"):
        return FOLD if legal.fold else _refuse("There is no bet to fold to; k checks.", state)
    if words in ("c", "call"):
        return CALL
    if words in ("k", "check"):
        cost = state.betting.to_call_chips
        return CALL if not cost else _refuse(f"There is a bet to call: {_amount(cost, state.betting)}.", state)
    match = _RAISE.fullmatch(words)
    size = match[3] if match else words
    alone = size in ("pot", "min", *_ALL_IN) or _RELATIVE.fullmatch(size)
    if not match and not alone:
        if _CHIPS.fullmatch(words):
            _refuse(f"Write r {words} to bet or raise to {words}.", state)
        _refuse(f"{_shown(text)} is not an action.", state)
    if legal.raise_range is None:
        betting = state.betting
        left = betting.game.stacks[betting.actor] - betting.spent[betting.actor]
        if size in _ALL_IN and 0 < left <= betting.to_call_chips:
            return CALL
        _refuse("No bet or raise is possible here.", state)
    return _raise(size, state, legal.raise_range)


def _raise(size: str, state: PublicState, allowed: tuple[int, int]) -> Action:
    betting, (least, most) = state.betting, allowed
    actor = betting.actor
    below, faced = betting.before_bets(actor), betting.on_street(1 - actor)
    if size == "min" or (not size and least == most):
        return raise_to(least)
    if size in _ALL_IN:
        if most >= min(betting.game.stacks[actor], UNLIMITED_CHIPS - 1) and most < UNLIMITED_CHIPS:
            return raise_to(most)
        _refuse("All-in is not possible in this game.", state)
    if not size:
        _refuse("How much? Give the total on this street, or a share of the pot.", state)
    if size == "pot":
        size = "100%"
    if _CHIPS.fullmatch(size):
        total = below + _parts(size, state)
    elif _RELATIVE.fullmatch(size):
        if size.endswith("x") and not faced:
            _refuse("There is no bet to multiply yet.", state)
        blind = state.subject.big_blind
        if size.endswith("bb") and not blind:
            _refuse("No big blind is known here.", state)
        try:
            wanted = parse_bet_size(size)
        except SizingError as error:
            _refuse(f"{error.message}.", state)
        at = Betting(
            pot=round(state.called_pot),
            faced=faced,
            lowest=least - below,
            highest=most - below,
            raises=betting.raises,
            streets_left=1,
            big_blind=round(blind * state.subject.unit) if blind else None,
        )
        total = below + wanted.amount(at)
    else:
        _refuse(f"{_shown(size)} is not a bet size.", state)
    if least <= total <= most:
        return raise_to(total)
    if least == most:
        _refuse(f"Only one size is possible here, {_amount(least - below, betting)}.", state)
    side, end = ("more than the largest", most) if total > most else ("less than the smallest", least)
    _refuse(f"{_amount(total - below, betting)} is {side}, {_amount(end - below, betting)}.", state)


def _refuse(why: str, state: PublicState) -> NoReturn:
    raise IllegalActionError(f"{why} You can: {'; '.join(choices_words(state))}.")


def _shown(text: str) -> str:
    short = text.strip()
    return ascii(short if len(short) <= 30 else short[:27] + "...")


def holding(game: Game, board: tuple[int, ...], cards: tuple[int, ...]) -> str:
    """Return the category of a hand with the board, such as 'two pair'; it is empty before the first board card."""
    if not board or (game.ranking == "three-card" and len(cards) + len(board) != 3):
        return ""
    return category(int(strength([*cards, *board], game.deck, game.ranking)))


def result_words(played: PlayedHand, seat: int, names: tuple[str, str]) -> str:
    """Return the winner of a finished hand, the chips and the reason.

    All private cards must be known; ``names`` are by seat.
    """
    state = played.final_state()
    betting = state.betting
    won = played.net_chips[seat]
    if betting.folded >= 0:
        winner = 1 - betting.folded
        return f"{_sentence(said(names[betting.folded], 'fold'))}. {_wins(names[winner], abs(won))}."
    hole = played.hole
    assert hole[0] is not None
    assert hole[1] is not None
    strengths = showdown(state.subject, state.board, (hole[0], hole[1]))
    made = [category(value) for value in strengths]
    if won == 0:
        return f"A split pot: both hold {_with_article(made[0])}."
    winner = seat if won > 0 else 1 - seat
    best, other = made[winner], made[1 - winner]
    why = f"{_with_article(best)} against {_with_article(other)}"
    if best == other:
        why = "the higher card" if best == "high card" else f"the better {best}"
    return f"{_wins(names[winner], abs(won))} with {why}."


def _wins(name: str, chips: float) -> str:
    return _sentence(f"{name} {'win' if name == YOU else 'wins'} {chips_text(chips)}")


def _sentence(text: str) -> str:
    """Capitalise a sentence that begins with 'you'; names of agents are left as they are."""
    return f"Y{text[1:]}" if text.startswith(f"{YOU} ") else text


def _with_article(made: str) -> str:
    return f"a {made}" if made.split()[-1] in ("pair", "straight", "flush", "house") and made != "two pair" else made


# --- the table as one seat sees it ---


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
    dealer = dealer_of(game)

    def view(at: int, cards: tuple[int, ...] | None) -> SeatView:
        left = (game.stacks[at] - state.betting.spent[at]) / game.unit
        behind = None if game.stacks[at] >= UNLIMITED_CHIPS else left
        bet, note, shown = state.betting.on_street(at) / game.unit, "", (DOWN,) * game.num_hole_cards
        if cards is not None:
            note = holding(game, state.board, cards)
            shown = tuple(deck.card_text(card) for card in sorted(cards, reverse=True))
        return SeatView(names[at], shown, behind, bet, at == dealer, state.actor == at, note)

    return TableView(
        title,
        (view(1 - seat, others), view(seat, own)),
        tuple(deck.card_text(card) for card in state.board),
        game.board_cards_in(game.num_rounds - 1),
        state.pot_chips,
        line_words(state, names),
    )


def dealer_of(game: Game) -> int:
    """Return the seat that has the dealer's button."""
    # The dealer acts last after the first board cards.
    if game.num_rounds > 1 or game.blinds[0] == game.blinds[1]:
        return 1 - game.first_player[-1]
    return 0 if game.blinds[0] < game.blinds[1] else 1


def node_view(node: SolutionNode, cards: tuple[int, ...], title: str) -> TableView:
    """Return the table at a decision of a solution, as the player who acts sees it with some private cards.

    The player is called 'you', and the opponent by the name of the seat.
    """
    game, deck, betting = node.solution.subject.rules, node.solution.deck, node.solution.tree.betting
    seat = node.player
    assert seat is not None
    names = tuple(YOU if p == seat else name for p, name in enumerate(node.player_names))
    # Blinds are the first bets of their street.
    first = betting.first_round + node.street == 0 and game.blinds[0] != game.blinds[1]
    bets = betting.contributions[node.node] - (0.0 if first else betting.contributions[node.entry])

    def view(at: int, shown: tuple[str, ...], note: str) -> SeatView:
        behind = node.stacks_chips[at]
        return SeatView(
            names[at],
            shown,
            None if isinf(behind) else behind,
            float(bets[at]),
            at == dealer_of(game),
            at == seat,
            note,
        )

    held = tuple(deck.card_text(card) for card in sorted(cards, reverse=True))
    return TableView(
        title,
        (
            view(1 - seat, (DOWN,) * game.num_hole_cards, ""),
            view(seat, held, holding(game, node.board, cards)),
        ),
        tuple(deck.card_text(card) for card in node.board),
        game.board_cards_in(game.num_rounds - 1),
        node.pot_chips,
        _node_line(node, names),
    )


def _node_line(node: SolutionNode, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return every street up to a node, with its actions in words."""
    betting = node.solution.tree.betting
    parts: list[list[str]] = [[] for _ in range(node.street + 1)]
    at = node.node
    while (before := int(betting.parent[at])) >= 0:
        if betting.action[at]:
            words = betting.action[at].replace("raise ", "raise to ")
            parts[int(betting.street[before])].append(said(names[int(betting.actor[before])], words))
        at = before
    titles = (street_title(node.solution.subject.rules, betting.first_round + number) for number in range(len(parts)))
    return tuple(zip(titles, ("; ".join(reversed(done)) for done in parts), strict=True))


class HintAction(NamedTuple):
    """An action of an advisor with a hand."""

    label: str
    probability: float
    all_in: bool
    """Whether it is a bet or raise of all chips."""
    percent: float | None
    """A bet or raise in per cent of the pot; None for other actions and in limit games."""


def hint_shares(advisor: StrategicAgent, state: PublicState, cards: tuple[int, ...]) -> list[HintAction]:
    """Return the strategy of an agent with a hand, the most aggressive action first, as in all pictures.

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
        ends = bool(all_in) and action.kind == ActionKind.RAISE
        found.append(HintAction(label, share, ends, state.percent_of_pot(action)))
    return found[::-1]


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
    big_blind = session.subject.big_blind
    if score.chips.half_width_chips is not None:
        parts.append(_mean(score.chips, big_blind))
    if score.without_luck is not None:
        without = f"{_signed(score.without_luck.total_chips)} chips"
        if score.without_luck.half_width_chips is not None:
            without += f", {_mean(score.without_luck, big_blind)}"
        parts.append(f"without luck {without}{f' ({score.measure})' if measure else ''}")
    return "; ".join(parts)


def _mean(average: Average, big_blind: float | None) -> str:
    unit, scale = ("mbb/g", 1000.0 / big_blind) if big_blind else ("chips a hand", 1.0)
    assert average.half_width_chips is not None
    mean, width = average.chips_a_hand * scale, average.half_width_chips * scale
    digits = 0 if big_blind else 2
    return f"{mean:+,.{digits}f} +- {width:,.{digits}f} {unit}"


def _signed(chips: float) -> str:
    # An estimate of hundreds of chips is not known to a hundredth of a chip.
    rounded = round(chips, 0 if abs(chips) >= 100 else 2)
    return "0" if rounded == 0 else f"{'+' if rounded > 0 else '-'}{chips_text(abs(rounded))}"
