"""Continual re-solving: a player who keeps no strategy, and solves what is left of the game whenever he has to act.

Method: Moravčík et al., "DeepStack" (Science 2017).  The player carries two vectors through a hand: his own range as he
has really played, and the opponent's counterfactual values.  Three rules keep them:

- *own action*: the range follows by Bayes' rule from the strategy just solved, and the values become those that a best
  response of the opponent gets after the action in that solution;
- *cards*: hands that hold one of them leave the range, and the values become those on the new board;
- *action of the opponent*: nothing changes.  The values say what he gets at most by any action, so a bet that no tree
  had harms nobody.

At his next decision the player solves a lookahead from the public state, with his range, under a gadget that holds the
opponent to his values (:mod:`errai.resolving.gadgets`).  No hand of the opponent then gets more than it would have got
before, up to the accuracy of the solves, so what is played by and by is as good as one solution of the whole game.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights
from errai.engine.leaf_values import LeafValues
from errai.engine.root import Gadget
from errai.errors import SolverOptionError, StoppedError
from errai.games.betting import ActionKind
from errai.games.hand import CALL, FOLD, Action, PublicState, Subject, raise_to
from errai.games.lookahead import Lookahead, lookahead
from errai.games.sizing import BetMenu
from errai.resolving.below import Below
from errai.resolving.gadgets.method import Method
from errai.resolving.subgame import Subgame
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Solution
from errai.strategies.followed import probability_of
from errai.strategies.strategy import Choices, Strategy, live_hands, merged_choices

Again = Literal["decision", "street", "off-tree"]

Depth = Literal["street"] | None

Vector = NDArray[np.float64]

REMEMBERED_BYTES = 1 << 30
"""What solutions that are kept may take, trees included; the ones used last stay."""

REMEMBERED_NUMBERS = 10_000_000
"""Probabilities that are kept for the public states asked about last: 80 MB."""

REMEMBERED_VALUES = 1_000
"""Vectors of the opponent's values on new streets that are kept: 10 MB in hold'em."""


def to_the_end(state: PublicState) -> Depth:
    """Lookaheads that are never cut."""
    return None


def street_by_street(state: PublicState) -> Depth:
    """Lookaheads that are all cut after their street."""
    return "street"


@dataclass(frozen=True, eq=False)
class Start:
    """Where re-solving begins: a public state with what both players bring there."""

    state: PublicState
    ranges: tuple[Vector, Vector]
    """float64[H] by seat."""
    values: tuple[Vector, Vector] | None = None
    """float64[H] by seat: counterfactual values that the player of that seat is held to when the other one solves
    again; None where one solve of this state without a gadget says them."""


@dataclass(frozen=True)
class Settings:
    """How a player solves again."""

    method: Method
    """What holds the opponent to his values."""
    menu: Callable[[PublicState], BetMenu | None]
    """Bet sizes of a lookahead from a state; None in limit games."""
    solve: Callable[[Lookahead, Gadget | None, LeafValues | None], Solution]
    """Solves a lookahead, with a target or within a time of its own choice."""
    again: Again = "decision"
    """When to solve again: at every own ``decision``, as DeepStack does; at the first of each ``street`` and after bets
    that the last lookahead does not have; or after these alone, ``off-tree``.  Else the last solution is played."""
    opening: tuple[Method, Method] | None = None
    """Other methods for the player's first action on a street: where he is the first to act on it, and where the
    opponent has acted."""
    depth: Callable[[PublicState], Depth] = to_the_end
    """Where a lookahead from a state is cut: after its ``street``, or, for None, at the end of the game."""
    below: Below | None = None
    """What stands below lookaheads that are cut."""
    otherwise: Strategy | None = None
    """What is played where ``solve`` or ``below`` raises :class:`~errai.errors.StoppedError`, for want of time, and no
    solution so far has the state; None to let it through."""


@dataclass(frozen=True, eq=False)
class Situation:
    """What a player knows when he solves again."""

    state: PublicState
    player: int
    ranges: tuple[Vector, Vector]
    """float64[H] by seat: the player's own as he has really played, the other as solutions so far expect it."""
    values: Vector | None
    """float64[H]: the opponent's counterfactual values in the units of the own range; None where not known."""
    node: SolutionNode | None
    """The state in the solution that was made last, where that has it."""


class ResolvingPlayer:
    """Plays both seats, each with its own memory of a hand, which follows from the public state alone.

    It is a :class:`~errai.strategies.strategy.Strategy`: what every hand does at a public state depends on the way
    there and on nothing else, so the player may be asked about any state, in any order.

    Parameters
    ----------
    subject:
        A game, or a spot without rake.
    settings:
        How it solves.
    start:
        Where re-solving begins on the way to a state; by default where the game does, with its ranges.
    name:
        What it is called.

    Raises
    ------
    SolverOptionError
        Lookaheads are cut, and there is nothing to stand below them.
    """

    def __init__(
        self,
        subject: Subject,
        settings: Settings,
        start: Callable[[PublicState], Start] | None = None,
        name: str = "continual re-solving",
    ) -> None:
        if settings.depth is not to_the_end and settings.below is None:
            raise SolverOptionError("A lookahead that is cut needs something below it: give below.")
        self.subject = subject
        self.settings = settings
        self.name = name
        self._start = self._from_the_beginning if start is None else start
        self._nodes: OrderedDict[tuple[object, ...], SolutionNode] = OrderedDict()
        self._known: OrderedDict[tuple[object, ...], Choices] = OrderedDict()
        self._remembered = 0
        self._uses: dict[int, int] = {}
        """Nodes that are kept, by their solution."""
        self._bytes = 0
        self._entered: OrderedDict[tuple[object, ...], Vector | None] = OrderedDict()
        self._beginning: Start | None = None
        self.solves = 0
        """How often something was solved."""
        self.seconds = 0.0
        """Time spent on that."""
        self.states = 0
        """Public states at which the player was asked."""
        self._given_up: set[tuple[object, ...]] = set()
        """Decisions for which there was no time; what is played there stays, as do all answers."""

    def strategy(self, state: PublicState) -> Choices:
        """What every hand of the player to act does; see :class:`~errai.strategies.strategy.Strategy`.

        Hands that the player never brings to the state have no strategy of their own: they do anything, equally
        often.
        """
        key = (state.actions, state.board)
        if key not in self._known:
            self.states += 1
            found = self._known[key] = self._look(state)
            self._remembered += found.probabilities.size
            while self._remembered > REMEMBERED_NUMBERS and len(self._known) > 1:
                self._remembered -= self._known.popitem(last=False)[1].probabilities.size
        return self._known[key]

    @property
    def out_of_time(self) -> int:
        """Decisions that were those of ``otherwise``."""
        return sum(key[0] != "root" for key in self._given_up)

    def node(self, state: PublicState) -> SolutionNode | None:
        """The decision in the solution that is played at a state; None where there was no time for any."""
        return self._decide(self.situation(state, state.actor))

    def situation(self, state: PublicState, player: int) -> Situation:
        """What a player knows at a state after the start, before he solves again."""
        start = self._start(state)
        here = Situation(start.state, player, start.ranges, None, None)
        if start.values is not None:
            here = replace(here, values=start.values[1 - player])
        here = _in_play(here)
        done = len(start.state.line)
        for action in state.line[done:]:
            here = self._own_action(here, action) if here.state.actor == player else self._their_action(here, action)
            here = self._dealt(here, state.board)
        return here

    # --- what is solved ----------------------------------------------------------------------------------------------

    def _look(self, state: PublicState) -> Choices:
        node = self.node(state)
        if node is None:
            return self._otherwise(state)
        choices, live = choices_at(node, state), live_hands(state)
        rows = choices.probabilities
        unknown = live & ~(rows.sum(axis=1) > 0.0)
        return replace(choices, probabilities=np.where(unknown[:, None], 1.0 / rows.shape[1], rows))

    def _decide(self, here: Situation) -> SolutionNode | None:
        """The decision at which the player acts, solved again where the settings say so; None where time is over."""
        key = (here.player, here.state.actions, here.state.board)
        node = self._kept(key)
        if node is not None or key in self._given_up:
            return node
        last = here.node if here.node is not None and here.node.player == here.player else None
        try:
            if last is not None and not self._solves_again(here):
                node = last
            elif here.values is None:
                node = self._solve(self._lookahead(here.state, here.ranges), here.player, None).root
            else:
                node = self._solve_again(here, here.values)
        except StoppedError:
            if last is None and self.settings.otherwise is None:
                raise
            node = last
        if node is None:
            self._given_up.add(key)
        else:
            self._keep(key, node)
        return node

    def _otherwise(self, state: PublicState) -> Choices:
        assert self.settings.otherwise is not None
        return self.settings.otherwise.strategy(state)

    def _solves_again(self, here: Situation) -> bool:
        if self.settings.again == "decision":
            return True
        root = here.node.solution.subject if here.node is not None else None
        new_street = isinstance(root, Lookahead) and root.first_round < here.state.betting.round
        return self.settings.again == "street" and new_street

    def _solve_again(self, here: Situation, values: Vector) -> SolutionNode:
        subgame = Subgame(here.state, here.player, here.ranges, values, values)
        method = self._method(here)
        subject = self._lookahead(here.state, method.ranges(subgame))
        return self._solve(subject, here.player, method.gadget(subgame)).root

    def _method(self, here: Situation) -> Method:
        opening, acted = self.settings.opening, here.state.actions[-1]
        if opening is None or len(acted) > 1:
            return self.settings.method
        return opening[len(acted)]

    def _lookahead(self, state: PublicState, ranges: tuple[Vector, Vector], line: tuple[Action, ...] = ()) -> Lookahead:
        menu = self.settings.menu(state)
        if menu is not None and line:
            menu = menu.with_line(tuple(a.total if a.kind == ActionKind.RAISE else None for a in line))
        return lookahead(self.subject, state, ranges, self.settings.depth(state), menu=menu)

    def _solve(self, subject: Lookahead, player: int, gadget: Gadget | None) -> Solution:
        below = self.settings.below
        leaf_values = None if subject.depth is None or below is None else below.leaf_values(subject, player)
        solution = self.settings.solve(subject, gadget, leaf_values)
        self.solves += 1
        self.seconds += solution.seconds
        return solution

    def _root(self, here: Situation, line: tuple[Action, ...]) -> SolutionNode | None:
        """One solve of a state at which the opponent acts, from which his values begin; None where time is over."""
        key = ("root", here.state.actions, here.state.board, line)
        node = self._kept(key)
        if node is None and key not in self._given_up:
            try:
                node = self._solve(self._lookahead(here.state, here.ranges, line), here.player, None).root
            except StoppedError:
                if self.settings.otherwise is None:
                    raise
                self._given_up.add(key)
                return None
            self._keep(key, node)
        return node

    # --- the three rules ---------------------------------------------------------------------------------------------

    def _own_action(self, here: Situation, action: Action) -> Situation:
        node = self._decide(here)
        child: SolutionNode | None = None
        if node is None:
            probabilities = probability_of(self._otherwise(here.state), here.state, action)
        else:
            child, probabilities = _followed(node, here.state, action)
        ranges = list(here.ranges)
        ranges[here.player] = ranges[here.player] * probabilities
        after = replace(here, state=here.state.after(action), ranges=(ranges[0], ranges[1]), node=child)
        if child is None:
            # It was never going to be played, or not from a solution; what is known ends here.
            return _in_play(replace(after, values=None))
        return _in_play(replace(after, values=_values(child, after)))

    def _their_action(self, here: Situation, action: Action) -> Situation:
        node = here.node
        if here.values is None:
            line = () if self.settings.again == "decision" else (action,)
            node = self._root(here, line)
            here = here if node is None else replace(here, values=_values(node, here))
        after = replace(here, state=here.state.after(action), node=None)
        if node is not None:
            child, probabilities = _followed(node, here.state, action)
            ranges = list(here.ranges)
            ranges[1 - here.player] = ranges[1 - here.player] * probabilities
            after = replace(after, ranges=(ranges[0], ranges[1]), node=child)
        return _in_play(after)

    def _dealt(self, here: Situation, board: tuple[int, ...]) -> Situation:
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
        """The opponent's values on a new street below a lookahead that was cut; None where time is over, so that the
        player solves on from the ranges alone.  They are counted once, and stay as they are."""
        key = (here.player, here.state.actions, here.state.board)
        if key not in self._entered:
            assert self.settings.below is not None
            try:
                found = self.settings.below.values(here.state, here.ranges, 1 - here.player, leaf.solution)
            except StoppedError:
                if self.settings.otherwise is None:
                    raise
                found = None
            self._entered[key] = found
            while len(self._entered) > REMEMBERED_VALUES:
                self._entered.popitem(last=False)
        return self._entered[key]

    def _from_the_beginning(self, state: PublicState) -> Start:
        if self._beginning is None:
            first = lookahead(self.subject, None, None, None)
            self._beginning = Start(first.state, first.ranges)
        return self._beginning

    # --- memory ------------------------------------------------------------------------------------------------------

    def _kept(self, key: tuple[object, ...]) -> SolutionNode | None:
        if key in self._nodes:
            self._nodes.move_to_end(key)
        return self._nodes.get(key)

    def _keep(self, key: tuple[object, ...], node: SolutionNode) -> None:
        self._nodes[key] = node
        self._count(node, 1)
        while len(self._nodes) > 1 and self._bytes > REMEMBERED_BYTES:
            self._count(self._nodes.popitem(last=False)[1], -1)

    def _count(self, node: SolutionNode, change: int) -> None:
        """Nodes of one solution share its memory: about what its solve took at its peak, which is more than stays."""
        solution = node.solution
        assert isinstance(solution, Solution)
        uses = self._uses.get(id(solution), 0) + change
        self._uses[id(solution)] = uses
        if uses == 0:
            del self._uses[id(solution)]
        if uses == 0 or (uses == 1 and change == 1):
            self._bytes += change * solution.memory_bytes


def choices_at(node: SolutionNode, state: PublicState) -> Choices:
    """What a decision of a lookahead's solution says at the same state of the hand; 0 for hands that it lacks."""
    tree, legal = node.solution.tree.betting, state.betting.legal()
    actions = []
    for child in tree.children(node.node):
        kind, total = ActionKind(int(tree.action_kind[child])), int(tree.action_total[child])
        if kind == ActionKind.RAISE and legal.raise_range is not None:
            # The shorter stack is all-in in the tree; the longer one may have more to put in, to no use.
            least, most = legal.raise_range
            actions.append(raise_to(min(max(most if total == tree.all_in_total else total, least), most)))
        else:
            actions.append(FOLD if kind == ActionKind.FOLD else CALL)
    return merged_choices(actions, np.nan_to_num(node.strategies))


def _followed(node: SolutionNode, state: PublicState, action: Action) -> tuple[SolutionNode | None, Vector]:
    """Where an action leads in a solution, and float64[H]: how often each hand takes it there.

    An action that the solution lacks leads nowhere, and is taken as often as the nearest that it has.
    """
    total = min(action.total, node.solution.tree.betting.all_in_total)
    child = node.after(raise_to(total) if action.kind == ActionKind.RAISE else action)
    taken = probability_of(choices_at(node, state), state, action)
    return child, np.broadcast_to(taken, len(node.ranges[0]))


def _values(node: SolutionNode, here: Situation) -> Vector:
    """The opponent's counterfactual values at a node, in the units of the player's own range.

    A hand that the solution does not let him have gets all that could be won: he is held to nothing that he could
    want, so the next solve pays no heed to it.
    """
    own = here.ranges[here.player]
    brought, weight = float(node.ranges[here.player].sum()), float(own.sum())
    found = node.counterfactual(1 - here.player, best=True) * (weight / brought if brought > 0.0 else 1.0)
    tree = node.solution.tree
    most = float(tree.betting.contributions.max()) * fitting_weights(tree.root.hands, own)
    return np.where(np.isnan(found), most, found)


def _in_play(here: Situation) -> Situation:
    """The same with 1 as the greatest weight of both ranges; the values keep to the own range.

    A player who does what his strategy never does brings no hand at all: then all that are live count the same, and
    nothing is known of the opponent's values.
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
