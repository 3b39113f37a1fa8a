"""Follow a line of actions and cards, as users write it, through a betting tree to a public state."""

from __future__ import annotations

from errai.errors import CardParseError, CardsError, LineError
from errai.games.betting import ActionKind
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to
from errai.games.subject import Subject
from errai.tree.betting_tree import BettingTree
from errai.tree.lines import is_deal, steps


def state_at(subject: Subject, betting: BettingTree, line: str) -> PublicState:
    """Return the public state after a line such as ``check bet 120 call / 7s``.

    Parameters
    ----------
    subject:
        The game or spot, or a lookahead; the line then begins at its state.
    betting:
        Its betting tree; the line takes actions of that tree.
    line:
        Actions, and the cards of each street that is dealt, as :meth:`errai.Solution.at` takes them.

    Raises
    ------
    LineError
        If an action is not in the tree, cards are missing or cannot be dealt, or no player acts after the line; the
        message says what is possible.
    """
    state, node, done = PublicState.start(subject), 0, ""
    for step in steps(line):
        due = state.cards_due
        if due and not is_deal(step):
            raise LineError(f"After '{done}' {_cards(due)} must be dealt before {step!r}; name them.")
        if is_deal(step):
            state = _deal(state, step, done)
        else:
            child = betting.child(node, step)
            state = state.after(_action(betting, child, state))
            node, step = child, betting.action[child]
        done = f"{done} {step}".strip()
    if state.cards_due and not state.betting.is_over:
        raise LineError(f"After '{done}' the street is closed; name {_cards(state.cards_due)} to deal.")
    if state.actor < 0:
        raise LineError(f"No player acts any more after '{done}', so there is nothing to solve.")
    return state


def _deal(state: PublicState, text: str, done: str) -> PublicState:
    due, deck = state.cards_due, state.subject.deck
    try:
        cards = deck.parse_cards(text)
    except (CardParseError, CardsError) as error:
        raise LineError(f"After '{done}': {text!r} cannot be dealt: {error}") from error
    if len(cards) != due:
        wanted = f"{_cards(due)} must be dealt" if due else "no cards are dealt"
        raise LineError(f"After '{done}' {wanted}, not {text!r}.")
    try:
        return state.with_cards(tuple(cards))
    except CardsError as error:
        raise LineError(str(error)) from error


def _action(betting: BettingTree, child: int, state: PublicState) -> Action:
    kind, total = ActionKind(int(betting.action_kind[child])), int(betting.action_total[child])
    if kind != ActionKind.RAISE:
        return FOLD if kind == ActionKind.FOLD else CALL
    legal = state.betting.legal().raise_range
    # In the tree an all-in is what the shorter stack has.
    return raise_to(legal[1] if legal is not None and total == betting.all_in_total else total)


def _cards(count: int) -> str:
    return f"{count} card{'s' if count > 1 else ''}"
