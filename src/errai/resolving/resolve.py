"""Re-solve a node of a solution or a blueprint in a finer tree, and measure exactly how much that improves."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from errai.blueprints.blueprint import SHIPPED, find_blueprint
from errai.cluster.folder import RunFolder
from errai.cluster.reading import open_run
from errai.engine.leaf_values import Function, HasLeafValues, LeafValues
from errai.engine.resources import default_threads
from errai.engine.units import Exploitability, Target, Units
from errai.errors import CardParseError, CardsError, InputError, LineError, SolverOptionError
from errai.games.game import Subject
from errai.games.hand import PublicState
from errai.games.lookahead import lookahead
from errai.games.sizing import BetMenu, BetSize, StreetMenu
from errai.options import HeldOptions
from errai.resolving.gadgets import MethodName, find_method
from errai.resolving.gadgets.adjusted import Reach
from errai.resolving.gadgets.method import Method, apply_method
from errai.resolving.subgame import Subgame
from errai.resolving.values import Known, LaidOut, gifts_at, lay_out, menu_of_known, ranges_at, strategy_of, subgame_of
from errai.solutions.artefact import load_solution
from errai.solutions.node import SolutionNode
from errai.solutions.solution import VERIFY_TOLERANCE, Solution, Verification, exploitability_pairs
from errai.solving.solve import solve
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.tree_walk import action_in
from errai.tree.betting_tree import BettingTree
from errai.tree.lines import is_deal, steps

TARGET = "0.05%pot"
"""Default exploitability, of the game with the gadget, at which re-solving stops."""


@dataclass(frozen=True, eq=False)
class Resolved:
    """A subgame before and after it was re-solved; made by :func:`resolve`.

    All numbers are computed in one tree, with the bets of the old strategy and those of the menu, and with both
    players' ranges at the node; chips are per hand that comes there.
    """

    method: str
    subgames: Mapping[int, Subgame]
    """By the player who was re-solved: the subgame at the node."""
    solutions: Mapping[int, Solution]
    """By player: the solution with this player's new strategy; its strategy of the opponent is not used."""
    old: LaidOut
    """The old strategy, in the finer tree."""
    new: LaidOut
    """The new strategies, in the finer tree."""
    before: Exploitability
    """Exact exploitability of the old strategy in the subgame."""
    after: Exploitability
    """Exact exploitability of the new strategy in the subgame."""
    margins: Mapping[int, float]
    """By player: the least margin over the opponent's hands, in chips per hand: the value to which the method holds a
    hand, less what a best response gets with it against the new strategy.  If it is not below 0, no hand of the
    opponent has gained, so the new strategy is safe against any range."""
    seconds: float

    @property
    def state(self) -> PublicState:
        """The public state that was re-solved."""
        return next(iter(self.subgames.values())).state

    @property
    def players(self) -> tuple[int, ...]:
        """The players who were re-solved."""
        return tuple(self.subgames)

    @property
    def units(self) -> Units:
        """Conversions of chips; the pot is that at the node."""
        return self.old.units

    @property
    def lost_before(self) -> dict[int, float]:
        """By player: net chips that a best response of the opponent gets against the old strategy."""
        return {p: self.old.best_chips(1 - p) for p in self.players}

    @property
    def lost_after(self) -> dict[int, float]:
        """By player: net chips that a best response of the opponent gets against the new strategy."""
        return {p: self.new.best_chips(1 - p) for p in self.players}

    @property
    def root(self) -> SolutionNode:
        """The node under the new strategies."""
        return self.new.root

    def verify(self) -> Verification:
        """Recompute all numbers from the strategies, and compare them with the stored ones."""
        new = self.old
        for player, solution in self.solutions.items():
            new = new.replaced(player, solution)
        old, new = replace(self.old), replace(new)  # copies have no cached values
        tolerance = VERIFY_TOLERANCE * self.units.initial_pot_chips
        before, after = old.exploitability(), new.exploitability()
        margins = {p: margin_chips(new, subgame) for p, subgame in self.subgames.items()}
        pairs = exploitability_pairs("earlier ", self.before, before)
        pairs |= {f"margin of player {p}": (self.margins[p], margins[p]) for p in self.players}
        return Verification.of(after, self.after, tolerance, pairs)


def resolve(
    known: Known | str | Path,
    line: str | PublicState = "",
    *,
    gadget: Method | MethodName = "maxmargin",
    menu: BetMenu | str | None = None,
    player: int | None = None,
    target: str | None = None,
    threads: int | None = None,
    **settings: Unpack[HeldOptions],
) -> Resolved:
    """Re-solve a node of a solution, a blueprint or any strategy in a finer tree, and measure the improvement.

    Each player's strategy is re-solved separately, with a gadget that limits what the opponent may get; then the new
    strategies are measured against the old ones in the same tree.

    Parameters
    ----------
    known:
        A solution, in memory or in the folder of a run; a blueprint; anything that answers at public states; or the
        name of a file, a folder or a blueprint that comes with Errai.
    line:
        The node: actions and cards of the tree that the strategy was made with, such as ``check bet 120 call / 7s``; or
        any public state.
    gadget:
        One of :data:`errai.resolving.gadgets.METHODS`, or its name.
    menu:
        Bet sizes to add to the old strategy's own, for both players, from the node on; by default none.
    player:
        The player whose strategy is re-solved; by default both.
    target:
        Exploitability of the game with the gadget at which solving stops, as for :func:`errai.solve`; by default
        ``TARGET``.
    threads:
        Number of threads; by default all processors that the process may use.
    settings:
        Passed to :func:`errai.solve`.

    Raises
    ------
    LineError
        If the line is not in the tree, or no player acts after it.
    InputError
        If there is no such file, a player never reaches the node, or bet sizes are given in a limit game.
    SubgameError, SizingError, SolverOptionError, TargetError, StrategyError
        If something about the request is wrong; nothing has been solved.
    TreeTooLargeError
        If the rest of the game does not fit in memory.
    ArtefactError
        If a file cannot be used.

    Examples
    --------
    >>> import errai
    >>> coarse = errai.solve(errai.load_game("leduc.nolimit"), "20mbb", menu="a")
    >>> found = errai.resolve(coarse, "check", menu="100%", target="5mbb")
    >>> found.after.chips < found.before.chips
    True
    """
    started = time.perf_counter()
    method = find_method(gadget)
    if player not in (None, 0, 1):
        raise SolverOptionError(f"The player to re-solve must be 0 or 1, not {player!r}.")
    if isinstance(known, str | Path):
        known = open_known(known)
    if isinstance(known, Solution) and known.tree.locks is not None:
        raise SolverOptionError(
            "The solution has locks, which re-solving would not keep; give a solution without locks."
        )
    strategy = strategy_of(known)
    if isinstance(line, PublicState):
        state = line
    elif isinstance(strategy, TreeStrategy):
        state = state_at(strategy.subject, strategy.walk.betting, line)
    else:
        raise LineError("This strategy has no betting tree, so it cannot follow a line; give a public state instead.")
    if state.actor < 0:
        raise LineError("No player acts at this state; deal the cards that come next, or give a state before the end.")
    target = TARGET if target is None else target
    Target.parse(target, Units.of(state.subject, float(state.pot_chips)))  # before the subgame is laid out
    bets = finer_menu(state, menu_of_known(known), menu)
    ranges = ranges_at(strategy, state)
    for p in (0, 1):
        if not ranges[p].any():
            raise InputError(f"Player {p} never reaches this node with any hand; there is nothing to re-solve.")
    threads = default_threads() if threads is None else threads
    old = lay_out(strategy, state, ranges, bets, threads=threads)
    if not old.entering.pair_weight > 0.0:
        raise InputError("Every hand of one player's range at this node shares a card with every hand of the other's.")
    new, subgames, solutions = old, {}, {}
    for p in (0, 1) if player is None else (player,):
        subgame = subgame_of(old.root, state, p)
        if isinstance(method, Reach):
            subgame = subgame.with_values(gifts=gifts_at(known, subgame, bets, threads))
        subgames[p] = subgame
        solutions[p] = solve_subgame(subgame, method, menu=bets, target=target, threads=threads, **settings)
        new = new.replaced(p, solutions[p])
    return Resolved(
        method=method.name,
        subgames=subgames,
        solutions=solutions,
        old=old,
        new=new,
        before=old.exploitability(),
        after=new.exploitability(),
        margins={p: margin_chips(new, subgame) for p, subgame in subgames.items()},
        seconds=time.perf_counter() - started,
    )


def solve_subgame(
    subgame: Subgame,
    method: Method | MethodName,
    *,
    menu: BetMenu | str | None = None,
    depth: str | int | None = None,
    leaf_values: LeafValues | HasLeafValues | Function | None = None,
    target: str | None = None,
    threads: int | None = None,
    **settings: Unpack[HeldOptions],
) -> Solution:
    """Re-solve the rest of a game at a public state, by one of the methods of :mod:`errai.resolving.gadgets`.

    Parameters
    ----------
    subgame:
        The state, with the ranges and values there.
    method:
        A :class:`~errai.resolving.gadgets.method.Method`, or its name.
    menu, depth:
        Bet sizes from here on, and the street after which the tree is cut: as for :func:`errai.lookahead`, but by
        default to the end of the game.
    leaf_values:
        Values at the leaves of a tree that is cut.
    target, threads, settings:
        Passed to :func:`errai.solve`: the target, limits, the algorithm, the precision and so on.

    Returns
    -------
    Solution
        Its certificate is that of the game with the gadget, in chips per hand of the ranges that enter.

    Raises
    ------
    SubgameError
        If there is no such method, or it needs values that the subgame does not have.
    InputError, SolverOptionError, TargetError
        As for :func:`errai.lookahead` and :func:`errai.solve`.
    """
    ranges, gadget = apply_method(find_method(method), subgame)
    rest = lookahead(subgame.state.subject, subgame.state, ranges, depth, menu=menu)
    return solve(rest, target, gadget=gadget, leaf_values=leaf_values, threads=threads, **settings)


def margin_chips(new: LaidOut, subgame: Subgame) -> float:
    """Return the least margin in chips per hand: a hand's value (and gift) less what the hand gets now.

    The least is over the opponent's hands that share no card with some hand of the player's range.
    """
    met = subgame.against
    kept = subgame.values if subgame.gifts is None else subgame.values + subgame.gifts
    now = new.root.counterfactual(subgame.opponent, best=True)
    return float(((kept - now)[met > 0] / met[met > 0]).min())


def open_known(place: str | Path) -> Known:
    """Open a solution file, the folder of a run, a blueprint file, or a blueprint of the package by its name."""
    path = Path(place)
    if path.is_dir():
        if not RunFolder(path).exists():
            raise InputError(f"{place} is a folder that holds no run; give one of `errai solve --store`, or a file.")
        return open_run(path)
    blueprint = find_blueprint(place)
    if blueprint is not None:
        return blueprint
    if not path.exists():
        names = ", ".join(SHIPPED)
        raise InputError(f"There is no file {str(place)!r}; give a solution, the folder of a run, or one of {names}.")
    return load_solution(path)


def finer_menu(state: PublicState, own: BetMenu | None, menu: BetMenu | str | None) -> BetMenu | None:
    """Return a menu with the bets of ``menu`` and those of the strategy's own menu; None in limit games.

    Thresholds are kept, except that near sizes are not merged.  Raises :class:`InputError` in a limit game, and
    :class:`SizingError` if the menu cannot be read.
    """
    rules = state.subject.rules
    if rules.limit:
        if menu is not None:
            raise InputError("The bets of a limit game are fixed; leave out the menu.")
        return None
    if isinstance(menu, str):
        menu = BetMenu.parse(rules.num_rounds, menu)
    if menu is None or own is None:
        return own if menu is None else menu
    streets = {}
    for number in range(rules.num_rounds):
        pairs = [m.streets.get(number, (StreetMenu(), StreetMenu())) for m in (own, menu)]
        streets[number] = _both(pairs[0][0], pairs[1][0]), _both(pairs[0][1], pairs[1][1])
    return replace(own, streets=streets, merging=0.0)


def _both(first: StreetMenu, second: StreetMenu) -> StreetMenu:
    """Join the sizes of two menus of a street; bet sizes stand for the donk bets of one that has none."""

    def joined(sizes: tuple[BetSize, ...], more: tuple[BetSize, ...]) -> tuple[BetSize, ...]:
        return tuple(dict.fromkeys((*sizes, *more)))

    donk = None
    if first.donk is not None or second.donk is not None:
        donk = joined(*(menu.bet if menu.donk is None else menu.donk for menu in (first, second)))
    return replace(first, bet=joined(first.bet, second.bet), raise_=joined(first.raise_, second.raise_), donk=donk)


def state_at(subject: Subject, betting: BettingTree, line: str) -> PublicState:
    """Return the public state after a line such as ``check bet 120 call / 7s`` of a subject's betting tree.

    The line of a lookahead begins at its state; it is written as :meth:`errai.Solution.at` takes it.  Raises
    :class:`LineError`, which says what is possible, if an action is not in the tree, cards are missing or cannot be
    dealt, or no player acts after the line.
    """
    state, node, done = PublicState.start(subject), 0, ""
    for step in steps(line):
        due = state.cards_due
        if due and not is_deal(step):
            raise LineError(f"After '{done}' {_cards(due)} must be dealt before {step!r}; name them.")
        if is_deal(step):
            try:
                cards = tuple(subject.deck.parse_cards(step))
            except (CardParseError, CardsError) as error:
                raise LineError(f"After '{done}': {step!r} cannot be dealt: {error}") from error
            if len(cards) != due:
                wanted = f"{_cards(due)} must be dealt" if due else "no cards are dealt"
                raise LineError(f"After '{done}' {wanted}, not {step!r}.")
            try:
                state = state.with_cards(cards)
            except CardsError as error:
                raise LineError(str(error)) from error
        else:
            child = betting.child(node, step)
            state = state.after(action_in(betting, child, state))
            node, step = child, betting.action[child]
        done = f"{done} {step}".strip()
    if state.cards_due and not state.betting.is_over:
        raise LineError(f"The street is closed after '{done}'; name {_cards(state.cards_due)} to deal.")
    if state.actor < 0:
        raise LineError(f"No player acts any more after '{done}', so there is nothing to solve.")
    return state


def _cards(count: int) -> str:
    return f"{count} card{'s' if count > 1 else ''}"
