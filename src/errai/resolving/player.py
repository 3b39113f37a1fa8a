"""Continual re-solving: a player without a stored strategy, who solves the rest of the game at every decision.

Method: Moravčík et al., "DeepStack" (Science 2017).  The player keeps two vectors through a hand: its own range, as it
has really played, and the opponent's counterfactual values.  Three rules update them:

- *own action*: the range is updated by Bayes' rule with the strategy just solved, and the values become those of a best
  response of the opponent after the action in that solution;
- *cards*: hands that hold a dealt card leave the range, and the values become those on the new board;
- *action of the opponent*: nothing changes.  The values are upper bounds over all of the opponent's actions, so that a
  bet that no tree contained does no harm.

At its next decision the player solves a lookahead from the public state, with its range, under a gadget that holds the
opponent to these values (:mod:`errai.resolving.gadgets`).  No hand of the opponent then gets more than it would have
got before, up to the accuracy of the solves, so that the play as a whole is as good as one solution of the whole game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights
from errai.engine.leaf_values import LeafValues
from errai.engine.root import Gadget
from errai.errors import SolverOptionError, StoppedError
from errai.games.betting import ActionKind
from errai.games.game import Subject
from errai.games.hand import Action, PublicState, raise_to
from errai.games.lookahead import Lookahead, lookahead
from errai.games.sizing import BetMenu
from errai.resolving.below import ValuesBelow, values_of
from errai.resolving.gadgets.method import Method, apply_method
from errai.resolving.subgame import Subgame
from errai.running.recent import Recent
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Solution
from errai.strategies.strategy import Choices, Strategy, live_hands, merged_choices
from errai.strategies.tree_walk import action_in, probability_of

Again = Literal["decision", "street", "off-tree"]

Depth = Literal["street"] | None

Vector = NDArray[np.float64]

REMEMBERED_BYTES = 1 << 28
"""Memory for stored solutions, trees included; the most recently used are kept."""

REMEMBERED_NUMBERS = 10_000_000
"""How many probabilities are kept for the public states that were queried last: 80 MB."""

REMEMBERED_VALUES = 1_000
"""How many vectors of the opponent's values on new streets are kept: 10 MB in hold'em."""


def to_the_end(state: PublicState) -> Depth:
    """Cut no lookahead."""
    return None


def street_by_street(state: PublicState) -> Depth:
    """Cut every lookahead after its street."""
    return "street"


@dataclass(frozen=True, eq=False)
class Start:
    """Where re-solving begins: a public state with both players' ranges."""

    state: PublicState
    ranges: tuple[Vector, Vector]
    """float64[H] by seat."""
    values: tuple[Vector, Vector] | None = None
    """float64[H] by seat: counterfactual values to which the player of that seat is held when the other one re-solves;
    None if they are to be computed by one solve of this state without a gadget."""
    opened: bool = False
    """Whether this state is solved, held to the values, even if the opponent acts first there, as Libratus does.  The
    opponent's range then follows from that solution; otherwise the first solve is that of the player's own decision."""


@dataclass(frozen=True)
class Settings:
    """How a player re-solves."""

    method: Method
    """The gadget that holds the opponent to the values."""
    menu: Callable[[PublicState], BetMenu | None]
    """Bet sizes of a lookahead from a state; None in limit games."""
    solve: Callable[[Lookahead, Gadget | None, LeafValues | None], Solution]
    """Solves a lookahead, to a target or within a time of its own choice."""
    again: Again = "decision"
    """When to solve again: at every ``decision`` of the player, as DeepStack does; at the first decision of each
    ``street`` and after bets that the last lookahead lacks; or only after such bets, ``off-tree``.  Otherwise the last
    solution is played."""
    opening: tuple[Method, Method] | None = None
    """Other methods for the player's first action on a street: if the player is the first to act on it, and if the
    opponent has acted."""
    depth: Callable[[PublicState], Depth] = to_the_end
    """Where a lookahead from a state is cut: after its ``street``, or, for None, at the end of the game."""
    below: ValuesBelow | None = None
    """Gives the values below lookaheads that are cut."""
    otherwise: Strategy | None = None
    """The strategy that is played if ``solve`` or ``below`` raises :class:`~errai.errors.StoppedError`, for lack of
    time, and no solution so far has the state; None to pass the error on."""


@dataclass(frozen=True, eq=False)
class Situation:
    """What a player knows when solving again."""

    state: PublicState
    player: int
    ranges: tuple[Vector, Vector]
    """float64[H] by seat: the player's own range as really played, the opponent's as the solutions so far expect it."""
    values: Vector | None
    """float64[H]: the opponent's counterfactual values in the units of the player's range; None if not known."""
    node: SolutionNode | None
    """The state's node in the latest solution; None if that lacks it."""
    opens: bool = False
    """Whether this state is solved although the opponent acts; see :attr:`Start.opened`."""


class ResolvingPlayer:
    """Plays both seats, each with its own record of a hand, which follows from the public state alone.

    It is a :class:`~errai.strategies.strategy.Strategy`: the strategy at a public state depends only on the actions and
    cards that led there, so the player may be queried at any state, in any order.

    Parameters
    ----------
    subject:
        A game, or a spot without rake.
    settings:
        How the player solves.
    start:
        Returns where re-solving begins on the way to a state; by default the start of the game, with its ranges.
    name:
        Name of the player.

    Raises
    ------
    SolverOptionError
        If lookaheads are cut, and there is nothing that gives values below them.
    """

    def __init__(
        self,
        subject: Subject,
        settings: Settings,
        start: Callable[[PublicState], Start] | None = None,
        name: str = "continual re-solving",
    ) -> None:
        if settings.depth is not to_the_end and settings.below is None:
            raise SolverOptionError("Lookaheads that are cut need values at their leaves; give the settings `below`.")
        self.subject = subject
        self.settings = settings
        self.name = name
        self._start = start
        if start is None:
            whole = lookahead(subject, None, None, None)
            self._beginning = Start(whole.state, whole.ranges)
        # Nodes of one solution share its memory, counted as the peak of its solve.
        self._nodes: Recent[tuple[object, ...], SolutionNode] = Recent(
            REMEMBERED_BYTES, attrgetter("solution.memory_bytes"), attrgetter("solution")
        )
        self._known: Recent[tuple[object, ...], Choices] = Recent(REMEMBERED_NUMBERS, attrgetter("probabilities.size"))
        self._entered: Recent[tuple[object, ...], Vector | None] = Recent(REMEMBERED_VALUES)
        self.solves = 0
        """Number of solves."""
        self.seconds = 0.0
        """Time spent solving."""
        self.states = 0
        """Number of public states at which the player was queried."""
        self._given_up: set[tuple[object, ...]] = set()
        """Decisions for which there was no time; the strategy there is kept for the rest of the match, as all are."""

    def strategy(self, state: PublicState) -> Choices:
        """Return the strategy of every hand of the player to act; see :class:`~errai.strategies.strategy.Strategy`.

        Hands with which the player never reaches the state have no strategy of their own; their actions are equally
        likely.
        """

        def look() -> Choices:
            self.states += 1
            node = self.node(state)
            return self._otherwise(state) if node is None else filled(choices_at(node, state), state)

        return self._known.get_or_make((state.actions, state.board), look)

    @property
    def out_of_time(self) -> int:
        """Number of decisions that were made by ``otherwise``."""
        return sum(key[0] != "root" for key in self._given_up)

    def node(self, state: PublicState) -> SolutionNode | None:
        """Return the decision in the solution that is played at a state; None if there was no time for a solve."""
        return self._decide(self.situation(state, state.actor))

    def situation(self, state: PublicState, player: int) -> Situation:
        """Return what a player knows at a state after the start, before solving again."""
        start = self._beginning if self._start is None else self._start(state)
        values = None if start.values is None else start.values[1 - player]
        here = _in_play(Situation(start.state, player, start.ranges, values, None, start.opened))
        done = len(start.state.line)
        for action in state.line[done:]:
            here = self._own_action(here, action) if here.state.actor == player else self._their_action(here, action)
            here = self._dealt(here, state.board)
        return here

    # --- the three rules ---------------------------------------------------------------------------------------------

    def _own_action(self, here: Situation, action: Action) -> Situation:
        """Follow the player's action: Bayes' rule for the range, a best response after it for the values."""
        node = self._decide(here)
        child: SolutionNode | None = None
        if node is None:
            probabilities = probability_of(self._otherwise(here.state), here.state, action)
        else:
            child, probabilities = _followed(node, here.state, action)
        after = _taken(here, here.player, probabilities)
        after = replace(after, state=here.state.after(action), node=child, opens=False)
        # An action of probability 0, or one that was not played from a solution, leaves the values unknown.
        return _in_play(replace(after, values=None if child is None else _values(child, after)))

    def _their_action(self, here: Situation, action: Action) -> Situation:
        """Follow the opponent's action, which changes neither the player's range nor the opponent's values."""
        node, child = here.node, None
        if here.values is None or here.opens:
            # One solve of a state at which the opponent acts gives the opponent's first values.
            line = () if self.settings.again == "decision" else (action,)
            key = ("root", here.player if here.opens else -1, here.state.actions, here.state.board, line)
            node = self._once(key, lambda: self._solve(here, *self._held(here), line=line))
            here = here if node is None or here.opens else replace(here, values=_values(node, here))
        after = here
        if node is not None:
            child, probabilities = _followed(node, here.state, action)
            after = _taken(here, 1 - here.player, probabilities)
        return _in_play(replace(after, state=here.state.after(action), node=child, opens=False))

    def _dealt(self, here: Situation, board: tuple[int, ...]) -> Situation:
        """Follow the cards: hands that hold one of them leave the ranges, and the values are those on the new board."""
        count = here.state.cards_due
        if not count or here.state.betting.is_over:
            return here
        dealt = here.state.dealt(board)
        live = live_hands(dealt)
        first, second = (np.where(live, weights, 0.0) for weights in here.ranges)
        after = replace(here, state=dealt, ranges=(first, second), node=None)
        node = here.node
        if node is None:
            return _in_play(replace(after, values=None))
        if node.kind == "leaf":
            return _in_play(replace(after, values=self._values_below(after, node)))
        new = node.solution.deck.cards_text(dealt.board[len(here.state.board) :]).replace(" ", "")
        node = node[new]
        return _in_play(replace(after, values=_values(node, after), node=node))

    def _values_below(self, here: Situation, leaf: SolutionNode) -> Vector | None:
        """Return the opponent's values on a new street below a lookahead that was cut.

        They are computed once and kept.  None is returned if the time is over; the player then solves from the ranges
        alone.
        """
        below, otherwise = self.settings.below, self.settings.otherwise
        assert below is not None

        def found() -> Vector | None:
            try:
                return values_of(below, here.state, here.ranges, 1 - here.player, leaf.solution)
            except StoppedError:
                if otherwise is None:
                    raise
                return None

        return self._entered.get_or_make((here.player, here.state.actions, here.state.board), found)

    # --- what is solved ----------------------------------------------------------------------------------------------

    def _decide(self, here: Situation) -> SolutionNode | None:
        """Return the decision at which the player acts, re-solved if the settings say so; None if the time is over."""
        last = here.node if here.node is not None and here.node.player == here.player else None
        again = self.settings.again

        def solve() -> SolutionNode:
            if last is not None and again != "decision":
                root = last.solution.subject
                new_street = root.state is not None and root.first_round < here.state.betting.round
                if again == "off-tree" or not new_street:
                    return last
            return self._solve(here, *self._held(here))

        return self._once((here.player, here.state.actions, here.state.board), solve, last)

    def _held(self, here: Situation) -> tuple[tuple[Vector, Vector], Gadget | None]:
        """Return the ranges that enter a solve and its gadget, which there is none without values."""
        if here.values is None:
            return here.ranges, None
        opening, acted = self.settings.opening, here.state.actions[-1]
        method = self.settings.method if opening is None or len(acted) > 1 else opening[len(acted)]
        return apply_method(method, Subgame(here.state, here.player, here.ranges, here.values, here.values))

    def _once(
        self, key: tuple[object, ...], solve: Callable[[], SolutionNode], last: SolutionNode | None = None
    ) -> SolutionNode | None:
        """Return the node of a key, which is solved once; if the time is over ``last``, or None from then on."""
        node = self._nodes.get(key)
        if node is None and key not in self._given_up:
            try:
                node = solve()
            except StoppedError:
                if last is None and self.settings.otherwise is None:
                    raise
                node = last
            if node is None:
                self._given_up.add(key)
            else:
                self._nodes.put(key, node)
        return node

    def _otherwise(self, state: PublicState) -> Choices:
        assert self.settings.otherwise is not None
        return self.settings.otherwise.strategy(state)

    def _solve(
        self,
        here: Situation,
        ranges: tuple[Vector, Vector],
        gadget: Gadget | None = None,
        line: tuple[Action, ...] = (),
    ) -> SolutionNode:
        """Solve a lookahead, whose menu has the bets of ``line`` too, and return its root."""
        menu, below = self.settings.menu(here.state), self.settings.below
        if menu is not None and line:
            menu = menu.with_line(tuple(a.total if a.kind == ActionKind.RAISE else None for a in line))
        subject = lookahead(self.subject, here.state, ranges, self.settings.depth(here.state), menu=menu)
        leaf_values = None if subject.depth is None or below is None else below.leaf_values(subject, here.player)
        solution = self.settings.solve(subject, gadget, leaf_values)
        self.solves += 1
        self.seconds += solution.seconds
        return solution.root


def choices_at(node: SolutionNode, state: PublicState) -> Choices:
    """Return the choices of a lookahead's solution at the same state of the hand; 0 for hands that it lacks."""
    tree = node.solution.tree.betting
    actions = [action_in(tree, child, state) for child in tree.children(node.node)]
    return merged_choices(actions, np.nan_to_num(node.strategies))


def filled(choices: Choices, state: PublicState) -> Choices:
    """Return the choices with equal probabilities of all actions for live hands without a strategy."""
    rows = choices.probabilities
    unknown = live_hands(state) & ~(rows.sum(axis=1) > 0.0)
    return replace(choices, probabilities=np.where(unknown[:, None], 1.0 / rows.shape[1], rows))


def _followed(node: SolutionNode, state: PublicState, action: Action) -> tuple[SolutionNode | None, Vector]:
    """Return the node to which an action leads in a solution, and float64[H]: how often each hand takes it there.

    For an action that the solution lacks there is no node, and the frequency is that of the nearest action.
    """
    total = min(action.total, node.solution.tree.betting.all_in_total)
    child = node.after(raise_to(total) if action.kind == ActionKind.RAISE else action)
    taken = probability_of(choices_at(node, state), state, action)
    return child, np.broadcast_to(taken, len(node.ranges[0]))


def _taken(here: Situation, player: int, probabilities: Vector | float) -> Situation:
    """Return a situation after an action that a player's hands take with some probabilities."""
    first, second = (r * probabilities if p == player else r for p, r in enumerate(here.ranges))
    return replace(here, ranges=(first, second))


def _values(node: SolutionNode, here: Situation) -> Vector:
    """Return the opponent's counterfactual values at a node, in the units of the player's own range.

    A hand that the opponent cannot have in the solution gets the most that could be won.  The next solve then ignores
    it, because it would always refuse to enter.
    """
    own = here.ranges[here.player]
    brought, weight = float(node.ranges[here.player].sum()), float(own.sum())
    found = node.counterfactual(1 - here.player, best=True) * (weight / brought if brought > 0.0 else 1.0)
    tree = node.solution.tree
    most = float(tree.betting.contributions.max()) * fitting_weights(tree.root.hands, own)
    return np.where(np.isnan(found), most, found)


def _in_play(here: Situation) -> Situation:
    """Scale both ranges to a greatest weight of 1, and the values with the player's own range.

    If the player did something that its strategy never does, its range is empty: then all live hands get equal weights,
    and nothing is known of the opponent's values.
    """
    live = live_hands(here.state).astype(np.float64)
    ranges = list(here.ranges)
    values = here.values
    for p in (0, 1):
        most = float(ranges[p].max())
        if most > 0.0:
            ranges[p] = ranges[p] / most
            if p == here.player and values is not None:
                values = values / most
        else:
            ranges[p] = live
            if p == here.player:
                values = None
    node = here.node if values is not None or here.values is None else None
    return replace(here, ranges=(ranges[0], ranges[1]), values=values, node=node)
