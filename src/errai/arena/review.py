"""Review of hands that were played: what each decision has lost against a solution, in expected value.

At every decision that the solution has, the value of an action is the EV of the hand held after it, if both players
continue as the solution does; the loss is the difference between the best action's value and that of the action taken.
The opponent's range is the one with which the *solution* would have come here.  Losses do not depend on luck, and a
player who takes only actions that the solution mixes loses nothing, up to the solution's own exploitability.

A solution converges slowly where it hardly ever comes.  A loss that is smaller than what the players of the solution
could still gain from the decision on says nothing, and is not counted as a mistake.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any

import numpy as np

from errai.arena.histories.record import Told, first_that_fits
from errai.arena.histories.table_hand import TableHand
from errai.cards.hands import class_of_text, hand_index
from errai.engine.units import Units
from errai.errors import ErraiError, GameDefinitionError, HistoryError, InputError, MatchError
from errai.games.betting import ActionKind
from errai.games.game import UNLIMITED_CHIPS, Subject, amount_text
from errai.games.hand import Action, PlayedHand, PublicState, raise_to, seats_of_two, still_in
from errai.games.spot import Spot
from errai.games.streets import street_title
from errai.solutions.convergence import line_reached
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Profile
from errai.strategies.tree_walk import OFF_TREE, TreeWalk

REMEMBERED_NODES = 4_000

RARE = 0.001
"""A line that both players of a solution take less often than this is hardly ever reached."""


@dataclass(frozen=True)
class ReviewedDecision:
    """One decision of a player, as the solution sees it."""

    hand: int
    """Number of the hand."""
    player: str
    cards: str
    board: str
    street: str
    line: str
    """The actions before it, as the solution names them."""
    played: str
    """What was done, in the solution's chips."""
    action: str
    """The action of the solution for it."""
    mapped: bool
    """Whether a bet before it, or the action itself, was mapped to the nearest that the solution has."""
    ev_chips: dict[str, float]
    """EV of every action, in the solution's chips; actions that the solution cannot evaluate are missing."""
    probabilities: dict[str, float]
    """How often the solution takes each action with this hand."""
    loss_chips: float
    """EV of the best action less that of the action taken; at least 0."""
    line_reached: float = 1.0
    """How often both players of the solution take this line, given these cards."""
    unconverged_chips: float = 0.0
    """How much the players of the solution could still gain by best responses from here on, on average over their
    ranges; half of the sum of both, in its chips."""
    pot_chips: float = 0.0
    """The pot before it, in the solution's chips."""
    solution: str = ""
    """The name of the solution of its spot, where each spot has its own."""
    pot_percents: dict[str, float] = field(default_factory=dict)
    """Bets and raises of the solution in per cent of the pot; none in limit games."""
    all_in: tuple[str, ...] = ()
    """Actions of the solution that put the player all-in."""

    @property
    def best(self) -> str:
        """The action of the highest EV; where no EV is known, the one that the solution takes most often."""
        worth = self.ev_chips or self.probabilities
        return max(worth, key=lambda action: worth[action])

    @property
    def hand_class(self) -> str:
        """The class of the hand, such as ``AKs``."""
        return class_of_text(self.cards)

    @property
    def is_counted(self) -> bool:
        """Whether the loss is larger than what the solution itself may be wrong by here."""
        return self.loss_chips > self.unconverged_chips

    @property
    def counted_chips(self) -> float:
        """The loss if it is counted, else 0."""
        return self.loss_chips if self.is_counted else 0.0

    @property
    def is_rare(self) -> bool:
        """Whether the solution hardly ever comes here."""
        return self.line_reached < RARE


@dataclass(frozen=True)
class Total:
    """Decisions together."""

    decisions: int
    loss_chips: float
    """Losses that are counted."""

    @property
    def mean_chips(self) -> float:
        """Mean loss of a decision."""
        return self.loss_chips / self.decisions


@dataclass(frozen=True)
class Review:
    """All decisions that were reviewed."""

    decisions: tuple[ReviewedDecision, ...]
    """The greatest loss first; those that are not counted last."""
    hands: int
    """Hands with at least one decision reviewed."""
    left_out: dict[str, int]
    """Why hands, or the rest of hands, could not be reviewed, and how many."""
    units: Units
    unvalued: tuple[ReviewedDecision, ...] = ()
    """Decisions that are left out because no EV is known for them: what the solution does there is."""

    def totals(self, key: Callable[[ReviewedDecision], str]) -> dict[str, Total]:
        """Return the sums over decisions by some key, such as the street, the greatest loss first."""
        found: dict[str, list[float]] = {}
        for decision in self.decisions:
            found.setdefault(key(decision), []).append(decision.counted_chips)
        totals = {name: Total(len(losses), float(sum(losses))) for name, losses in found.items()}
        return dict(sorted(totals.items(), key=lambda item: -item[1].loss_chips))


def review_document(review: Review, top: int) -> dict[str, Any]:
    """Return a review as plain values for JSON: the sums, and the ``top`` greatest losses."""
    mbb, sums = review.units.mbb, {}
    for name in ("player", "street", "line", "class"):
        sums[f"by_{name}"] = [
            {name: key, "decisions": total.decisions, "loss_chips": total.loss_chips, "loss_mbb": mbb(total.loss_chips)}
            for key, total in review.totals(attrgetter("hand_class" if name == "class" else name)).items()
        ]
    lost = sum(d.counted_chips for d in review.decisions)
    return {
        "hands": review.hands,
        "decisions": len(review.decisions),
        "loss_chips": lost,
        "loss_mbb": mbb(lost),
        "not_counted": sum(d.loss_chips > 0 and not d.is_counted for d in review.decisions),
        **sums,
        **{name: sums[name][:top] for name in ("by_line", "by_class")},
        "greatest": [
            asdict(d) | {"best": d.best, "class": d.hand_class, "loss_mbb": mbb(d.loss_chips), "counted": d.is_counted}
            for d in review.decisions[:top]
        ],
        "left_out": review.left_out,
    }


def review_hands(hands: Iterable[PlayedHand], solution: Profile, *, player: str | None = None) -> Review:
    """Compute what every decision has lost against a solution.

    Parameters
    ----------
    hands:
        Hands of the solution's game, at any stakes; for the solution of a spot also hands of the whole game, and of a
        table of any size, that come to the spot's board with its pot and stacks and two players.
    solution:
        A solution in memory, from a file, or from the folder of a run.
    player:
        Only this player's decisions.

    Raises :class:`InputError` if the solution is of a lookahead, and :class:`MatchError` if no hand has a player of
    that name.
    """
    if solution.subject.state is not None:
        raise InputError("Hands are reviewed against the solution of a game or a spot, not of a lookahead.")
    reviewer = _Reviewer(solution)
    decisions: list[ReviewedDecision] = []
    left_out: Counter[str] = Counter()
    reviewed, names = 0, set[str]()
    for hand in hands:
        names.update(hand.players)
        if player is None or player in hand.players:
            before = len(decisions)
            try:
                decisions.extend(reviewer.review(hand, player, left_out))
            except HistoryError as reason:
                left_out[reason.message] += 1
            reviewed += len(decisions) > before
    check_played(player, names)
    decisions.sort(key=lambda decision: (-decision.counted_chips, -decision.loss_chips))
    units = Units.of(solution.subject, solution.initial_pot_chips)
    return Review(tuple(decisions), reviewed, dict(left_out.most_common()), units, tuple(reviewer.unvalued))


def check_played(player: str | None, names: Iterable[str], most: int | None = None) -> None:
    """Raise :class:`MatchError` if a player is named and is not among those who played, of whom it names ``most``."""
    if player is not None and player not in names:
        some = ", ".join(sorted(names)[:most])
        raise MatchError(f"No hand was played by {player!r}; the players are {some or 'none'}.")


@dataclass(frozen=True)
class Followed:
    """A decision of a hand, and where it stands in the tree of a solution."""

    state: PublicState
    action: Action
    node: int
    child: int
    """The node to which the action leads, or the one that stands for it."""
    mapped: bool
    """Whether a bet before it, or the action itself, was mapped to the nearest that the solution has."""
    is_far: bool
    """Whether the bet that stands for the action is less than half or more than twice as large."""


class Follower:
    """Follows hands through the tree of a solution."""

    def __init__(self, solution: Profile) -> None:
        # A small bet is nearer to a check than to the smallest bet of the tree.
        self.walk = TreeWalk(solution.tree.betting, small_bets=True, subject=solution.subject)

    def steps(self, hand: PlayedHand, left_out: Counter[str]) -> Iterator[Followed]:
        """Yield the decisions of a hand that :func:`align` returned, as far as the solution has them.

        Where its line leads out of the tree, that is counted in ``left_out``.
        """
        mapped = False
        for state, action in hand.moments():
            node = self.walk.node(state)
            if node == OFF_TREE:
                left_out["The line leads out of the solution's tree; the rest of the hand is left out."] += 1
                break
            child = self.walk.child(node, state, action)
            exact = action in self.walk.actions(node, state)
            mapped = mapped or not exact
            yield Followed(state, action, node, child, mapped, not exact and self._is_far(state, action, child))

    def _is_far(self, state: PublicState, action: Action, child: int) -> bool:
        """Return whether the bet of the tree that stands for one that it lacks is of quite another size."""
        share, real = self.walk.betting.share(child), state.percent_of_pot(action)
        if share is None or real is None:
            return False
        return not share.percent / 2.0 <= real <= 2.0 * share.percent


FAR = "The solution has no bet between half and twice of the one that was made."
"""Why a decision that :attr:`Followed.is_far` is left out."""


class _Reviewer:
    def __init__(self, solution: Profile) -> None:
        self.solution = solution
        self.follower = Follower(solution)
        self.nodes = SolutionNodes(solution)
        self.unvalued: list[ReviewedDecision] = []

    def review(self, hand: PlayedHand, player: str | None, left_out: Counter[str]) -> list[ReviewedDecision]:
        """Return the reviewed decisions of one hand.

        Raises :class:`HistoryError` with the reason where nothing of it can be reviewed; where only the rest cannot,
        the reason is counted in ``left_out``.
        """
        aligned = align(hand, self.solution.subject)
        wanted = [seat for seat in (0, 1) if player is None or aligned.players[seat] == player]
        if all(aligned.hole[seat] is None for seat in wanted):
            raise HistoryError("The player's cards are not known.")
        found: list[ReviewedDecision] = []
        for step in self.follower.steps(aligned, left_out):
            if step.state.actor not in wanted or aligned.hole[step.state.actor] is None:
                continue
            if step.is_far:
                left_out[FAR] += 1
                continue
            try:
                found.append(self._decision(aligned, step))
            except HistoryError as reason:
                left_out[reason.message] += 1
        return found

    def _decision(self, hand: PlayedHand, step: Followed) -> ReviewedDecision:
        """Return the review of one decision.  Raises :class:`HistoryError` where the solution has no value for it."""
        cards = hand.hole[step.state.actor]
        assert cards is not None
        at = self.nodes.at(step.node, step.state.board)
        taken = step.child - int(self.follower.walk.betting.first_child[step.node])
        found = reviewed_decision(at, cards, taken, hand=hand.number, player=hand.players[step.state.actor])
        found = replace(found, played=played_text(step.state, step.action), mapped=step.mapped)
        if at.why_no_ev:
            if found.probabilities:
                self.unvalued.append(found)
            raise HistoryError(at.why_no_ev)
        if not found.ev_chips:
            raise HistoryError("The solution never comes here with such a hand; the decision is left out.")
        return found


def reviewed_decision(
    node: SolutionNode, cards: Sequence[int], taken: int, *, hand: int, player: str
) -> ReviewedDecision:
    """Return what an action has lost against a solution.

    Parameters
    ----------
    node:
        A decision of the solution.
    cards:
        The private cards of the player who acts.
    taken:
        The place of the action among those of the node.
    hand, player:
        Number of the hand, and name of the player.

    Returns
    -------
    ReviewedDecision
        Without EVs, and a loss of 0, where they are not known at the node or with these cards.
    """
    row = int(hand_index(np.asarray(cards, dtype=np.int64)))
    values, rules, deck = node.action_ev[row], node.solution.subject.rules, node.solution.deck
    known = not np.isnan(values[taken])
    loss = float(np.nanmax(values) - values[taken]) if known else 0.0
    unconverged = node.unconverged * node.pot_chips if loss > 0 else 0.0
    evs = zip(node.actions, values.tolist(), strict=True)
    return ReviewedDecision(
        hand=hand,
        player=player,
        cards=deck.cards_text(cards),
        board=deck.cards_text(node.board),
        street=street_title(rules, node.solution.tree.betting.first_round + node.street),
        line=node.line,
        played=node.actions[taken],
        action=node.actions[taken],
        mapped=False,
        ev_chips={action: ev for action, ev in evs if known and not np.isnan(ev)},
        probabilities={a: float(p) for a, p in zip(node.actions, node.strategies[row], strict=True) if not np.isnan(p)},
        loss_chips=loss,
        line_reached=line_reached(node),
        unconverged_chips=unconverged if unconverged == unconverged else 0.0,
        pot_chips=node.pot_chips,
        pot_percents={
            a: share.percent for a, share in zip(node.actions, node.shares, strict=True) if share is not None
        },
        all_in=tuple(a for a, ends in zip(node.actions, node.all_in, strict=True) if ends),
    )


class SolutionNodes:
    """The nodes of a solution by betting node and board, the last ones remembered."""

    def __init__(self, solution: Profile) -> None:
        self.solution = solution
        self.at = lru_cache(REMEMBERED_NODES)(self._found)

    def _found(self, node: int, board: tuple[int, ...]) -> SolutionNode:
        """Return the node of the solution with real cards; ``at`` remembers it."""
        here = _dealt(self.solution.root, board)
        for label in self.solution.tree.betting.path(node):
            here = _dealt(here[label], board)
        return here


def rare_node(solution: Profile, state: PublicState) -> SolutionNode | None:
    """Return the node of a solution at a public state, if the solution hardly ever comes there; else None.

    None also where the state lies outside of the solution's tree.
    """
    node = TreeWalk(solution.tree.betting, small_bets=True, subject=solution.subject).node(state)
    if node == OFF_TREE:
        return None
    at = SolutionNodes(solution).at(node, state.board)
    return at if line_reached(at) < RARE else None


@dataclass(frozen=True)
class Alike:
    """In what the hands that come to a spot's street may differ from the spot."""

    boards: bool = False
    """Whether the board may be another one."""
    stacks: float = 1.0
    """How many times as large or small the effective stack may be, as a share of the pot; with 1, pot and stack are the
    spot's to the chip."""


def align(hand: PlayedHand, subject: Subject, alike: Alike = Alike()) -> PlayedHand:
    """Convert a hand to one of a solution's game or spot: in its chips, from its board on, in its seats.

    With another board, pot or stack, as far as ``alike`` allows it, it is a hand of a spot that differs from the
    solution's in this.

    Raises :class:`HistoryError` with the reason: other rules, or the hand does not come to the spot.
    """
    is_table = isinstance(hand, TableHand)
    # The digest of a table says nothing of its antes.
    if not is_table and hand.subject.digest() == subject.digest():
        return hand
    played, solved = hand.subject.rules if is_table else hand.subject.whole_game, subject.rules
    if played is None:
        raise HistoryError("The hand is of another spot than the solution.")
    if is_table and not subject.first_round:
        raise HistoryError("A hand at a table is reviewed against a spot; the solution is of a whole game.")
    if (played.deck, played.num_hole_cards) != (solved.deck, solved.num_hole_cards):
        raise HistoryError("The hand is of a game with other cards than the solution's.")
    told, factor = Told(hand), Fraction(1)
    if subject.big_blind and told.big_blind:
        factor = _exact(subject.big_blind, subject.unit) / _exact(told.big_blind, hand.subject.rules.unit)
    if isinstance(subject, Spot) and subject.first_round:
        # Without a big blind a spot counts the hand's chips, which may be cents, or its money.
        ways = (factor,) if factor != 1 or subject.big_blind else (factor, Fraction(1, told.amounts.chips_per_unit))
        return first_that_fits(ways, partial(_from_spot_on, hand, subject, alike))
    if isinstance(subject, Spot):
        subject = _divided(subject, factor)
        factor, solved = factor * subject.unit, subject.rules
    hand = in_chips(hand, factor)
    game = hand.subject.rules
    if game.digest() != solved.digest():
        # Stacks may differ where nobody was all-in.
        same = game.limit and solved.limit and replace(game, stacks=solved.stacks).digest() == solved.digest()
        spent = hand.final_state().betting.spent
        if not same or any(spent[seat] >= min(game.stacks[seat], solved.stacks[seat]) for seat in (0, 1)):
            raise HistoryError("The hand was played by other rules or with other stacks than the solution's.")
    first, second = hand.net_chips
    return replace(hand, subject=subject, net_chips=(first / subject.unit, second / subject.unit))


def in_chips(hand: PlayedHand, factor: Fraction) -> PlayedHand:
    """Return a hand of a game with all amounts multiplied.

    Raises :class:`HistoryError` where an amount is then no whole number of chips.
    """
    if factor == 1:
        return hand
    game = hand.subject.rules
    times = partial(_times, factor)
    blinds = times(game.blinds[0]), times(game.blinds[1])
    first, second = (chips if chips >= UNLIMITED_CHIPS else times(chips) for chips in game.stacks)
    sizes = tuple(times(size) for size in game.raise_sizes)
    try:
        scaled = replace(game, blinds=blinds, stacks=(first, second), raise_sizes=sizes)
    except GameDefinitionError as error:
        raise HistoryError("The hand's stacks are too large in the solution's stakes.") from error
    won = float(hand.net_chips[0] * factor)
    return replace(
        hand, subject=scaled, actions=_moved(hand.actions, 0, UNLIMITED_CHIPS, factor), net_chips=(won, -won)
    )


def _times(factor: Fraction, chips: int) -> int:
    product = chips * factor
    if product.denominator != 1:
        raise HistoryError("In the solution's stakes the hand's amounts are not whole chips.")
    return int(product)


def _with_stakes(spot: Spot, pot: Fraction, stack: Fraction) -> Spot:
    """Return a spot with another pot and stack, which are whole parts of its chips."""
    parts = int(stack * spot.unit)
    small, big = spot.game.blinds
    try:
        game = replace(spot.game, stacks=(parts, parts), blinds=(min(small, parts), min(big, parts)))
    except GameDefinitionError as error:
        raise HistoryError("The hand's stacks are too large in the solution's stakes.") from error
    return replace(spot, pot=float(pot), stacks=(float(stack), float(stack)), game=game)


def _divided(spot: Spot, factor: Fraction) -> Spot:
    """Return a spot whose chips are divided so that a chip of a hand, which is ``factor`` of them, is whole parts."""
    try:
        return spot.divided((factor * spot.unit).denominator)
    except GameDefinitionError as error:
        raise HistoryError("The hand's amounts are too large in the solution's stakes.") from error


def _exact(chips: float, unit: int) -> Fraction:
    """Return chips that are whole parts of a chip as a fraction, without what floating point adds."""
    return Fraction(round(chips * unit), unit)


def _moved(
    actions: tuple[tuple[Action, ...], ...], before: int, most: int, factor: Fraction
) -> tuple[tuple[Action, ...], ...]:
    """Return actions whose totals count from ``before`` on, multiplied.

    A bet of more than the shorter stack, ``most``, puts the other player all-in, and what is beyond it comes back.
    """
    return tuple(
        tuple(raise_to(_times(factor, min(a.total - before, most))) if a.kind == ActionKind.RAISE else a for a in done)
        for done in actions
    )


def _from_spot_on(hand: PlayedHand, spot: Spot, alike: Alike, factor: Fraction) -> PlayedHand:
    """Return the part of a hand of a whole game, or of a table, from a spot's board on.

    ``factor`` is what a chip of the hand is in the spot.  The spot's chips are divided so that its amounts are whole.
    """
    begin = spot.first_round
    started = (state for state, _ in hand.moments() if state.betting.round == begin and not state.actions[-1])
    before = next(started, None)
    if before is None:
        raise HistoryError("The hand ends before the spot's street.")
    # The order of the flop does not matter.
    same = sorted(before.board[:3]) == sorted(spot.board[:3]) and before.board[3:] == spot.board[3:]
    if not same and not alike.boards:
        raise HistoryError("The hand has another board than the spot.")
    if len(still_in(before)) != 2:
        raise HistoryError("The hand comes to the spot's board with more than two players.")
    # Player 0 of a spot is out of position and acts first on its street.
    first, second = seats_of_two(before)
    spent, stacks = before.betting.spent, hand.subject.rules.stacks
    pot = Fraction(before.pot_chips) * factor
    behind = min(stacks[seat] - spent[seat] for seat in (first, second))
    stack = behind * factor
    pot_of_spot, stack_of_spot = (_exact(chips, spot.unit) for chips in (spot.initial_pot_chips, spot.effective_stack))
    if alike.stacks == 1.0 and pot != pot_of_spot:
        raise HistoryError("The hand comes to the spot's board with another pot.")
    if alike.stacks == 1.0 and stack != stack_of_spot:
        raise HistoryError("The hand comes to the spot's board with other stacks.")
    if not 1.0 / alike.stacks <= (stack / pot) / (stack_of_spot / pot_of_spot) <= alike.stacks:
        raise HistoryError(
            "The hand comes to the spot's street with stacks that are too deep or too short for its pot."
        )
    spot = _divided(spot, factor)
    if (pot, stack) != (pot_of_spot, stack_of_spot):
        spot = _with_stakes(spot, pot, stack)
    board = spot.board if same else before.board
    spot = replace(spot, board=board)
    # What the first wins beyond half of the pot, which is what a player loses in a spot, whoever put it in.
    antes = hand.rules.antes if isinstance(hand, TableHand) else (0, 0)
    ahead = [Fraction(hand.net_chips[seat]) + spent[seat] + antes[seat] for seat in (first, second)]
    won = float((ahead[0] - ahead[1]) * factor / 2)
    moved = PlayedHand(
        spot,
        hand.number,
        (hand.hole[first], hand.hole[second]),
        (*board, *hand.board[len(board) :]),
        _moved(hand.actions[begin:], spent[first], behind, factor * spot.unit),
        (hand.players[first], hand.players[second]),
        (won, -won),
        hand.details,
    )
    try:
        moved.final_state()
    except ErraiError as error:
        raise HistoryError("A bet of the hand is not legal in the spot.") from error
    return moved


def _dealt(node: SolutionNode, board: tuple[int, ...]) -> SolutionNode:
    """Return the node after the cards that are due there."""
    while node.kind == "chance" and len(node.board) < len(board):
        count = node.solution.tree.root.new_cards[node.street]
        node = node[node.solution.deck.cards_text(board[len(node.board) : len(node.board) + count])]
    return node


def played_text(state: PublicState, action: Action) -> str:
    """Return an action in the chips of its street: ``bet 50``, ``raise to 2.5``, ``call``, ``check``, ``fold``."""
    betting = state.betting
    if action.kind == ActionKind.RAISE:
        others = (seat for seat in range(len(betting.spent)) if seat != betting.actor)
        verb = "raise to" if any(map(betting.on_street, others)) else "bet"
        total = action.total - betting.before_bets(betting.actor)
        return f"{verb} {amount_text(total, state.subject.unit)}"
    if action.kind == ActionKind.FOLD:
        return "fold"
    return "call" if betting.to_call_chips else "check"
