"""An agent that solves the rest of the game when a street begins, by the exact engine.

Before the street it plays a blueprint.  When the street begins, both players' ranges follow by Bayes' rule from how the
blueprint plays every hand, and what is left is a spot, which is solved to the end of the game once and then played.
This is unsafe subgame solving in the words of Brown & Sandholm, "Safe and nested subgame solving for
imperfect-information games" (NIPS 2017): optimal if the opponent got there as the blueprint says, with no guarantee
against one who did not.  A bet that the solution lacks is met as in their nested solving: the street is solved again
with that bet in the tree.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent, MatchStart, StrategicAgent
from errai.agents.solved import SolvedAgent
from errai.cards.deck import FULL_DECK
from errai.cards.ranges import Range
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.hand import Action, PublicState, Subject, raise_to, rules_of
from errai.games.sizing import BetMenu, BetSize, SizeKind, StreetMenu
from errai.games.spot import Spot
from errai.games.spot_tables import STREETS
from errai.solutions.solution import Solution
from errai.solving.solve import solve
from errai.strategies.followed import probability_of
from errai.strategies.names import Bounds, Name
from errai.strategies.strategy import Choices, live_hands, merged_choices, require_same

FLOOR = 1e-6
"""Weight, beside the greatest of 1, of hands that the blueprint never brings to the street: they get a strategy too,
and change that of the others by about as much."""

DEFAULT_TARGETS = {"flop": "1%pot", "turn": "1%pot", "river": "0.3%pot"}
DEFAULT_ITERATIONS = 2_000
DEFAULT_MENU = "100%"
ALL_IN_POTS = 3.0
"""All-in is offered beside the default menu when it is at most so many pots: greater ones take ten times as long."""

REMEMBERED_BYTES = 500_000_000
"""Size of the solutions that are kept."""

PRECISION = "float32"
"""16 bits are too coarse where the stacks are a hundred pots: all-in for 19,900 into 200 on the turn stopped at 7 % of
the pot."""

DEEPEST_STACK = 10**8
"""Chips behind where the rules set no limit; limit games do not reach them."""


@dataclass(frozen=True)
class ResolvingOptions:
    """How the rest of the game is solved; see :func:`errai.solve`."""

    target: str | None = None
    """By default 0.3 % of the pot on the river, and 1 % before."""
    max_iterations: int = DEFAULT_ITERATIONS
    seconds: float | None = None
    """A limit of time; with one, the same seed need not play the same."""
    menu: str | None = None
    """Bet sizes in no-limit games, by default the pot, and all-in where that is at most three pots; in a spot those of
    the spot."""
    off_tree: str = "resolve"
    """What is done with a bet that the solution lacks: ``resolve`` with it, or ``translate`` it into the nearest."""
    threads: int = 1


@dataclass(frozen=True, eq=False)
class Root:
    """Where solving begins: the state when the street began, and what both players bring there."""

    state: PublicState
    ranges: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[H] by seat, each at most 1, and 1 for some hand."""


Extra = tuple[int, int, bool, int]
"""A bet of the opponent's that the menu lacks: round, player of the spot, whether it is a raise, chips above the bet
faced."""


class ResolvingAgent(StrategicAgent):
    """Plays a blueprint up to a street, and from there on solutions of the rest of the game.

    Parameters
    ----------
    blueprint:
        Who plays until then; it must be able to say how it plays every hand.
    subject:
        Hold'em with four rounds and 52 cards, limit or no-limit, or a spot of it.
    street:
        ``flop``, ``turn`` or ``river``: where solving begins.
    options:
        How it is solved.
    name:
        How the agent is called.

    Raises
    ------
    StrategyError
        The subject is no hold'em, the street none of these, or an option unfit.
    """

    def __init__(
        self,
        blueprint: StrategicAgent,
        subject: Subject,
        street: str,
        options: ResolvingOptions | None = None,
        name: str = "",
    ) -> None:
        if street not in STREETS[1:]:
            raise StrategyError(f"{street!r} is no street to solve from; choose flop, turn or river.")
        self.blueprint = blueprint
        self.subject = subject
        self.street = STREETS.index(street)
        self.options = ResolvingOptions() if options is None else options
        self.name = name or f"resolve:{street}:{blueprint.name}"
        self._oop = _out_of_position(subject, self.street)
        if self.options.off_tree not in ("resolve", "translate"):
            raise StrategyError(f"off-tree is 'resolve' or 'translate', not {self.options.off_tree!r}.")
        self._menu = self._bets()
        self._roots: OrderedDict[tuple[object, ...], Root] = OrderedDict()
        self._solved: OrderedDict[tuple[object, ...], SolvedAgent] = OrderedDict()
        self._known: OrderedDict[tuple[object, ...], Choices] = OrderedDict()
        self.solves = 0
        """How often something was solved."""
        self.seconds = 0.0
        """Time spent on that."""

    def start_match(self, start: MatchStart) -> None:
        """See :meth:`Agent.start_match`."""
        require_same(self.subject, start.subject, self.name)
        self.blueprint.start_match(start)
        super().start_match(start)

    def close(self) -> None:
        """See :meth:`Agent.close`."""
        self.blueprint.close()

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`."""
        if state.betting.round < self.street:
            return self.blueprint.strategy(state)
        key = (state.actions, state.board)
        if key not in self._known:
            self._known[key] = self._solve_and_look(state)
            if len(self._known) > 1_000:
                self._known.popitem(last=False)
        return self._known[key]

    def solution(self, state: PublicState) -> Solution:
        """The solution that is played at a state, with all bets so far in its tree where that was asked for."""
        solved = self._agent(self.root(state), state)
        assert isinstance(solved.solution, Solution)
        return solved.solution

    # --- ranges ------------------------------------------------------------------------------------------------------

    def root(self, state: PublicState) -> Root:
        """Where solving begins on the way to a state."""
        first = state.first_round
        before = max(self.street - first, 0)
        board = state.board[: rules_of(self.subject).board_cards_in(max(self.street, first))]
        key = (state.actions[:before], board)
        if key not in self._roots:
            self._roots[key] = self._follow(state.actions[:before], board)
            if len(self._roots) > 1_000:
                self._roots.popitem(last=False)
        return self._roots[key]

    def _follow(self, actions: tuple[tuple[Action, ...], ...], board: tuple[int, ...]) -> Root:
        """Both ranges after the actions of the streets before, by Bayes' rule from the blueprint."""
        state = PublicState.start(self.subject)
        if isinstance(self.subject, Spot):
            ranges = [np.asarray(held.weights, dtype=np.float64) for held in self.subject.ranges]
        else:
            ranges = [live_hands(state).astype(np.float64) for _ in (0, 1)]
        for action in (a for done in actions for a in done):
            choices = self.blueprint.strategy(state)
            ranges[state.actor] = ranges[state.actor] * probability_of(choices, state, action)
            state = state.after(action).dealt(board)
        live = live_hands(state)
        return Root(state, (_scaled(ranges[0], live), _scaled(ranges[1], live)))

    # --- solving -----------------------------------------------------------------------------------------------------

    def _solve_and_look(self, state: PublicState) -> Choices:
        root = self.root(state)
        solved = self._agent(root, state)
        choices = solved.strategy(_inside(solved.solution.subject, root, state))
        base, legal = max(root.state.betting.spent), state.betting.legal().raise_range
        actions = []
        for action in choices.actions:
            if action.kind == ActionKind.RAISE and legal is not None:
                # The shorter stack is all-in in the spot; the longer one may have more to put in, to no use.
                action = raise_to(min(max(action.total + base, legal[0]), legal[1]))
            actions.append(action)
        return merged_choices(actions, choices.probabilities)

    def _agent(self, root: Root, state: PublicState) -> SolvedAgent:
        """The solution for a state, with the opponent's bets in it that the menu lacks."""
        extras: tuple[Extra, ...] = ()
        while True:
            solved = self._solution(root, extras)
            lacking = (
                None if self._menu is None or self.options.off_tree == "translate" else _lacking(solved, root, state)
            )
            # Thresholds of a menu may keep a bet out of the tree for good; then it is taken for the nearest.
            if lacking is None or lacking in extras:
                return solved
            extras = (*extras, lacking)

    def _solution(self, root: Root, extras: tuple[Extra, ...]) -> SolvedAgent:
        key = (root.state.actions, root.state.board, extras)
        if key in self._solved:
            self._solved.move_to_end(key)
            return self._solved[key]
        spot = self.spot(root, extras)
        found = solve(
            spot,
            self.options.target or DEFAULT_TARGETS[STREETS[self.street]],
            max_iterations=self.options.max_iterations,
            seconds=self.options.seconds,
            threads=self.options.threads,
            precision=PRECISION,
        )
        self.solves += 1
        self.seconds += found.seconds
        self._solved[key] = SolvedAgent(found)
        while len(self._solved) > 1 and sum(_bytes(kept) for kept in self._solved.values()) > REMEMBERED_BYTES:
            self._solved.popitem(last=False)
        return self._solved[key]

    def spot(self, root: Root, extras: tuple[Extra, ...] = ()) -> Spot:
        """What is left of the game at a root, as a spot."""
        game, betting = rules_of(self.subject), root.state.betting
        left = [min(game.stacks[p] - betting.spent[p], DEEPEST_STACK) for p in (0, 1)]
        order = (self._oop, 1 - self._oop)
        data: dict[str, Any] = {
            "board": FULL_DECK.cards_text(root.state.board),
            "pot": int(root.state.pot_chips),
            "stacks": [left[p] for p in order],
            "ranges": {"oop": "random", "ip": "random"},
        }
        big_blind = self.subject.big_blind
        if big_blind:
            data["big_blind"] = big_blind
        if game.limit:
            rounds = range(betting.round, game.num_rounds)
            data["limit"] = {STREETS[r]: game.raise_sizes[r] for r in rounds}
            data["limit"]["raise_cap"] = [game.max_raises[r] for r in rounds]
        else:
            data["bets"] = {"bet": "a", "raise": "a"}
        made = Spot.from_dict(data)
        ranges = Range.from_weights(root.ranges[order[0]]), Range.from_weights(root.ranges[order[1]])
        menu = None if self._menu is None else _with_extras(self._menu, extras)
        rake = self.subject.rake if isinstance(self.subject, Spot) else None
        return replace(made, ranges=ranges, menu=menu, rake=rake)

    def _bets(self) -> BetMenu | None:
        """The bet sizes; None in limit games."""
        game = rules_of(self.subject)
        if game.limit:
            if self.options.menu is not None:
                raise StrategyError("The bets of a limit game are fixed; leave out the menu.")
            return None
        own = self.subject.menu if isinstance(self.subject, Spot) else None
        if self.options.menu is None and own is not None:
            swapped = {r: (menus[self._oop], menus[1 - self._oop]) for r, menus in own.streets.items()}
            return replace(own, streets=swapped)
        if self.options.menu is None:
            return BetMenu.uniform(game.num_rounds, DEFAULT_MENU, add_all_in=ALL_IN_POTS)
        return BetMenu.uniform(game.num_rounds, self.options.menu)


def read_resolving_agent(name: Name, subject: Subject, read_agent: Callable[[str, Subject], Agent]) -> Agent:
    """The agent of a name such as ``resolve:target=1%pot,menu=50%+100%+a:turn:always-call``.

    There are the options ``target``, ``iterations``, ``seconds``, ``menu`` (sizes joined by +), ``off-tree`` and
    ``threads``; ``read_agent`` makes the blueprint, whose name stands behind the street.

    Raises
    ------
    StrategyError
        The name has no street and blueprint, or the blueprint cannot say how it plays.
    """
    numbers: dict[str, Bounds] = {"iterations": (1, 10**9), "seconds": (1e-3, 1e9), "threads": (1, 4_096)}
    words = {"off-tree": ("resolve", "translate")}
    chosen = name.read(numbers, words, ("target", "menu"), source="STREET:AGENT")
    street, _, blueprint_name = name.source.partition(":")
    if not blueprint_name:
        raise StrategyError(f"{name.text!r} names no blueprint; write resolve:river:AGENT.")
    fields = {"iterations": "max_iterations", "off-tree": "off_tree"}
    options = ResolvingOptions(**{fields.get(key, key): value for key, value in chosen.items()})
    if options.menu is not None:
        options = replace(options, menu=options.menu.replace("+", ", "))
    blueprint = read_agent(blueprint_name, subject)
    if not isinstance(blueprint, StrategicAgent):
        raise StrategyError(
            f"{blueprint_name!r} cannot say how it plays every hand, so ranges cannot be followed; choose another."
        )
    return ResolvingAgent(blueprint, subject, street, options, name.text)


def _scaled(weights: NDArray[np.float64], live: NDArray[np.bool_]) -> NDArray[np.float64]:
    """A range with 1 as its greatest weight; all live hands where the blueprint brings none."""
    kept = np.where(live, weights, 0.0)
    most = float(kept.max())
    if not most > 0.0:
        return live.astype(np.float64)
    # Rounded, so that suits that the blueprint plays alike stay alike.
    return np.where(live, np.maximum(np.round(kept / most, 6), FLOOR), 0.0)


def _inside(spot: Any, root: Root, state: PublicState) -> PublicState:
    """A state as one of the spot that begins at the root."""
    base, rounds = max(root.state.betting.spent), len(root.state.actions) - 1
    inside = PublicState.start(spot)
    for action in (a for done in state.actions[rounds:] for a in done):
        most = inside.betting.legal().raise_range
        if action.kind == ActionKind.RAISE and most is not None:
            action = raise_to(min(action.total - base, most[1]))
        inside = inside.after(action).dealt(state.board)
    return inside


def _lacking(solved: SolvedAgent, root: Root, state: PublicState) -> Extra | None:
    """The first bet on the way to a state that the solution's tree lacks."""
    tree = solved.solution.tree.betting
    inside = _inside(solved.solution.subject, root, state)
    node, before = tree.after_chance(0), PublicState.start(solved.solution.subject).betting
    for action in inside.line:
        children = tree.children(node)
        if action.kind == ActionKind.RAISE:
            same = [
                c for c in children if tree.action_kind[c] == ActionKind.RAISE and tree.action_total[c] == action.total
            ]
        else:
            same = [c for c in children if tree.action_kind[c] == action.kind]
        if not same:
            return before.round, before.actor, before.raises > 0, action.total - max(before.spent)
        node, before = tree.after_chance(same[0]), before.apply(action.kind, action.total)
    return None


def _with_extras(menu: BetMenu, extras: tuple[Extra, ...]) -> BetMenu:
    streets = dict(menu.streets)
    for round, player, raises, chips in extras:
        menus = list(streets[round])
        old, size = menus[player], (BetSize(SizeKind.CHIPS, chips),)
        if raises:
            menus[player] = StreetMenu(old.bet, old.raise_ + size, old.donk)
        else:
            menus[player] = StreetMenu(old.bet + size, old.raise_, None if old.donk is None else old.donk + size)
        streets[round] = (menus[0], menus[1])
    return replace(menu, streets=streets)


def _out_of_position(subject: Subject, street: int) -> int:
    """The seat that acts first from a street on.  Raises :class:`StrategyError` where the rest is no spot."""
    game = rules_of(subject)
    cards = (game.num_rounds, game.num_hole_cards, game.num_board_cards, game.deck)
    if cards != (4, 2, (0, 3, 1, 1), FULL_DECK):
        raise StrategyError("The rest of the game can be solved in hold'em with four rounds and 52 cards only.")
    first = set(game.first_player[street:])
    if len(first) > 1:
        raise StrategyError("The rest of the game can be solved only where the same seat acts first on every street.")
    return first.pop()


def _bytes(solved: SolvedAgent) -> int:
    assert isinstance(solved.solution, Solution)
    return sum(array.nbytes for pair in solved.solution.strategy for array in pair)
