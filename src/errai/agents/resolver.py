"""An agent that plays a blueprint up to a street, and from there on re-solves the rest of the game.

Up to the street another agent, the blueprint, plays.  When the street begins, both players' ranges are computed from
the blueprint's strategy by Bayes' rule, and the rest of the game is solved.  From there on the agent plays by continual
re-solving (:mod:`errai.resolving.player`): on the next street, and after a bet that the last solution lacks, the rest
is solved again under a gadget that holds the opponent to the values of the last solution, so any bet is understood.
The first solve is held to values too: those that the opponent's hands have if both players go on by the blueprint
(estimates in place of the values of a best response, Brown & Sandholm, "Safe and nested subgame solving", NeurIPS
2017), or those of the leaf values that are given.  Libratus's first solve had no gadget; it is right if the opponent
played the blueprint up to there, and may lose much otherwise (docs/resolving.md).

If solving begins on the flop, its lookaheads end with that street, and continuations of the blueprint
(:mod:`errai.resolving.continuations`), or other leaf values that are given, stand at their leaves.  Turn and river are
solved to the end of the hand.  With leaf values for it the first street can be re-solved too, from the start of the
hand, and the blueprint then only decides where there is no time.

The time for a decision is kept (:mod:`errai.resolving.budget`).  If it runs out before there is a solution, the
blueprint decides.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import MatchStart, StrategicAgent
from errai.agents.reader import read_strategic_agent
from errai.cards.deck import FULL_DECK
from errai.errors import ErraiError, StoppedError, StrategyError
from errai.games.game import Subject
from errai.games.hand import CALL, Observation, PublicState, raise_to
from errai.games.sizing import BetMenu, StreetMenu
from errai.games.streets import STREETS
from errai.resolving.below import ValuesBelow, values_of
from errai.resolving.budget import DEFAULT_SECONDS, Budget, CostBelow, least_seconds
from errai.resolving.continuations import BLUEPRINT, Continuations
from errai.resolving.gadgets import DEEPSTACK_MIXING, METHODS, find_method
from errai.resolving.gadgets.adjusted import Reach
from errai.resolving.gadgets.method import openings
from errai.resolving.player import Again, Depth, ResolvingPlayer, Settings, Start, to_the_end
from errai.resolving.values import moments, node_at, ranges_at
from errai.running.recent import Recent
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution
from errai.strategies.names import Bounds, Name
from errai.strategies.strategy import Choices, live_hands, require_same

FLOOR = 1e-6
"""Weight of hands with which the blueprint never reaches the street, where the greatest weight is 1.  They get a
strategy too, and they change that of the other hands by about as much."""

REMEMBERED_STARTS = 1_000

AHEAD_SHARES = (0.5, 1.0, 0.33, 0.75)
"""Bets for which an agent thinks ahead, as shares of the pot after a call; the likeliest first."""

STREETS_TO_SOLVE_FROM = STREETS[1:]


GADGETS = tuple(name for name, method in METHODS.items() if not isinstance(method, Reach))
"""The gadgets that agents may use: all but the reach gadgets, because the gifts of earlier decisions are not tracked.
"""

FIRST_BETS = "first-bets"
"""The option with the bets of the first action of each lookahead, of agents that choose bets by the time."""

YES_NO = ("yes", "no")
"""What may be said of an option that is True or False."""

_SOLVING: dict[str, Bounds] = {"iterations": (1, 10**9), "mixing": (0.0, 0.999), "threads": (1, 4_096)}


@dataclass(frozen=True)
class ResolverOptions:
    """How the rest of the game is solved."""

    street: str = "turn"
    """The street where solving begins."""
    seconds: float = DEFAULT_SECONDS
    """Time for a decision; it is never exceeded by more than a tenth."""
    iterations: int | None = None
    target: str | None = None
    """See :class:`errai.resolving.budget.Budget`."""
    gadget: str = "resolve"
    """The gadget that holds the opponent to the values before, one of ``GADGETS``."""
    mixing: float = DEEPSTACK_MIXING
    """With the gadget ``resolve``: weight of the opponent's estimated range at the player's first action on a street,
    as in DeepStack; 0 for none."""
    menu: str | None = None
    """Bet sizes in no-limit games, such as ``50%, 100%, a``; by default as many as the time allows."""
    first_bets: str | None = None
    """Bet sizes of the first action of each lookahead, such as ``100%, 200%``, where there is no menu: all-in is added
    as in DeepStack's sizes, whose first row they replace."""
    again: Again = "street"
    """When to solve again: see :class:`errai.resolving.player.Settings`.  Errors of successive solves add up: solving
    at every ``decision``, as DeepStack does, makes the agent about twice as exploitable on turn spots."""
    threads: int | None = None
    ahead: bool = False
    """Whether the agent thinks ahead while its opponent thinks: it solves what follows a check or call and bets of
    ``AHEAD_SHARES``, until it is its turn.  It plays the same strategy sooner."""


class ResolvingAgent(StrategicAgent):
    """An agent that solves the rest of the game again while it plays, from a round on; another may play until then."""

    thinks = True
    """A decision may take seconds."""

    def __init__(self, subject: Subject, first: int, before: StrategicAgent | None, name: str) -> None:
        self.subject, self.name = subject, name
        self.helpers = () if before is None else (before,)
        self._first = first
        self._starts: Recent[tuple[object, ...], Start] = Recent(REMEMBERED_STARTS)

    def start_match(self, start: MatchStart) -> None:
        require_same(self.subject, start.subject, self.name)
        super().start_match(start)

    def start(self, state: PublicState) -> Start:
        """Return where re-solving begins on the way to a state, with both ranges there."""
        way = moments(PublicState.start(self.subject), state)
        begun = next((before for before, _ in way if before.betting.round >= self._first), state)
        return self._starts.get_or_make((begun.actions, begun.board), lambda: self._begin(begun))

    @abstractmethod
    def _begin(self, begun: PublicState) -> Start:
        """Return the ranges, and the values if they are known, with which re-solving begins at a state."""


class ResolverAgent(ResolvingAgent):
    """Plays a blueprint up to a street, and from there on re-solves.

    Parameters
    ----------
    blueprint:
        The agent that plays until then, and whenever there is no time to solve; it must have a strategy for every hand.
    subject:
        Hold'em with four rounds and 52 cards, limit or no-limit, with any stacks, or a spot of it without rake.
    below:
        What gives the values at the leaves of a flop's lookahead; by default continuations of the blueprint.
    cost_below:
        What these values cost; by default what continuations cost.
    budget:
        Chooses bet sizes and solves; by default one with the options.
    above:
        The solution of the first street that the blueprint plays, if solving begins on the flop: the opponent is then
        held to the values that ``below`` gives under it.

    Raises :class:`StrategyError` if the subject is none of these, or an option has a wrong value.
    """

    def __init__(
        self,
        blueprint: StrategicAgent,
        subject: Subject,
        options: ResolverOptions | None = None,
        name: str = "",
        below: ValuesBelow | None = None,
        cost_below: CostBelow | None = None,
        budget: Budget | None = None,
        above: Solution | None = None,
    ) -> None:
        self.blueprint = blueprint
        self.options = options = ResolverOptions() if options is None else options
        check_subject(subject)
        streets = STREETS_TO_SOLVE_FROM if below is None else STREETS
        if options.street not in streets:
            raise StrategyError(f"{options.street!r} is not a street to solve from; choose {' or '.join(streets)}.")
        name = name or f"resolver:from={options.street}:{blueprint.name}"
        super().__init__(subject, STREETS.index(options.street), blueprint, name)
        if options.street == "flop" and below is None and options.seconds < least_seconds():
            raise StrategyError(
                f"Solving a flop takes at least {least_seconds()} seconds, not {options.seconds:g}, because the "
                "blueprint has to be evaluated on the streets below it. Give more time, as in "
                f"resolver:from=flop,seconds={least_seconds()}, or solve from the turn."
            )
        menu = _given_menu(subject, options)
        self.budget = budget or Budget(
            options.seconds,
            iterations=options.iterations,
            target=options.target,
            menu=menu,
            finest=subject.menu,
            first_bets=options.first_bets,
            threads=options.threads,
            below=cost_below,
        )
        self._above = above
        self.unsafe = 0
        """First solves without a gadget, because there was no time to compute the opponent's values."""
        self._thinking: Thread | None = None
        # What the opponent is held to where solving begins: the given leaf values, or the blueprint's.
        self._first_values: ValuesBelow = below or Continuations(
            blueprint,
            subject,
            continuations=(BLUEPRINT,),
            run_outs=None if options.street != "flop" else self.budget.run_outs,
            threads=options.threads,
            stop=self.budget.counting,
        )
        if options.street == "flop" and below is None:
            below = Continuations(
                blueprint,
                subject,
                run_outs=self.budget.run_outs,
                threads=options.threads,
                stop=self.budget.counting,
            )
        method = find_method(options.gadget)
        settings = Settings(
            method,
            self._menu,
            self.budget.solve,
            options.again,
            openings(method, options.mixing),
            _depth if below is not None else to_the_end,
            below=below,
            otherwise=blueprint,
        )
        self.player = ResolvingPlayer(subject, settings, self.start, self.name)

    def strategy(self, state: PublicState) -> Choices:
        self._stop_thinking()
        if state.betting.round < self._first:
            return self.blueprint.strategy(state)
        with self.budget.decision(state):
            return self.player.strategy(state)

    @property
    def unsolved(self) -> int:
        return self.player.out_of_time

    # --- thinking ahead ----------------------------------------------------------------------------------------------

    def watch(self, observation: Observation) -> None:
        """Solve what may come next, in a thread that ends when the agent is asked for something."""
        self._stop_thinking()
        state = observation.state
        if self.options.ahead and state.betting.round >= self._first and state.actor == 1 - observation.seat:
            self._thinking = Thread(target=self._think_ahead, args=(state,), daemon=True)
            self._thinking.start()

    def close(self) -> None:
        self._stop_thinking()
        super().close()

    def _think_ahead(self, state: PublicState) -> None:
        for action in (CALL, *map(raise_to, state.raise_totals(AHEAD_SHARES))):
            after = state.after(action)
            if after.actor < 0 or after.cards_due:
                continue
            try:
                with self.budget.decision(after):
                    self.player.strategy(after)
            except ErraiError:
                return  # It was abandoned, or the agent will fail in the same way when it is its turn.

    def _stop_thinking(self) -> None:
        """End what is solved ahead; the time that this takes is part of the next decision's."""
        if self._thinking is None:
            return
        started = time.perf_counter()
        self.budget.abandoned.set()
        self._thinking.join()
        self._thinking, self.budget.abandoned = None, StopToken()
        self.budget.waited = time.perf_counter() - started

    def solution(self, state: PublicState) -> Solution:
        """Return the solution that is played at a state on one of the solved streets.

        Raises :class:`StrategyError` if there was no time to solve anything.
        """
        self._stop_thinking()
        node = self.player.node(state)
        if node is None:
            raise StrategyError("There was no time to solve anything at this state; the blueprint decides.")
        found = node.solution
        assert isinstance(found, Solution)
        return found

    def _begin(self, begun: PublicState) -> Start:
        first, second = ranges_at(self.blueprint, begun)
        ranges = _in_play(begun, 0, first), _in_play(begun, 1, second)
        if not begun.line:
            return Start(begun, ranges)  # the ranges are those of the game, and its solve without a gadget is exact
        known = self._above is not None and node_at(self._above.root, begun) is not None
        above = self._above if known else None
        try:
            held = [values_of(self._first_values, begun, ranges, player, above) for player in (0, 1)]
        except StoppedError:
            self.unsafe += 1
            return Start(begun, ranges)
        return Start(begun, ranges, (held[0], held[1]), opened=above is None)

    def _menu(self, state: PublicState) -> BetMenu | None:
        # A method instead of a closure, because agents are sent to other processes.
        return self.budget.menu(state, _depth(state))


def _depth(state: PublicState) -> Depth:
    """Cut lookaheads up to the flop at the end of the street; solve turn and river to the end of the game."""
    return "street" if state.betting.round <= STREETS.index("flop") else None


def check_subject(subject: Subject) -> None:
    """Raise :class:`StrategyError` if the agent cannot re-solve this game."""
    game = subject.rules
    cards = (game.num_rounds, game.num_hole_cards, game.num_board_cards, game.deck)
    if cards != (4, 2, (0, 3, 1, 1), FULL_DECK):
        raise StrategyError("The resolver plays hold'em with four rounds and 52 cards, and spots of it.")
    if not subject.zero_sum:
        raise StrategyError(
            "The resolver cannot play for raked pots, because re-solving gadgets need a zero-sum game. Remove the rake "
            "from the spot, or solve the spot as a whole and play solution:FILE."
        )


def _given_menu(subject: Subject, options: ResolverOptions) -> BetMenu | None:
    """Return the menu of the options, if they have one; bets that cannot be used raise an error."""
    for given, name in ((options.menu, "menu"), (options.first_bets, "first bets")):
        if given is not None and subject.rules.limit:
            raise StrategyError(f"The bets of a limit game are fixed; leave out the {name}.")
    if options.first_bets is not None:
        if options.menu is not None:
            raise StrategyError("A menu has the bets of all actions; leave out the menu or the first bets.")
        StreetMenu.parse(options.first_bets)
    return None if options.menu is None else BetMenu.parse(subject.rules.num_rounds, options.menu)


def _in_play(state: PublicState, player: int, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale a range so that its greatest weight is 1 and every possible hand has some; an empty range becomes all 1."""
    possible = live_hands(state) & (state.subject.weights[player] > 0.0)
    most = float(weights.max())
    if not most > 0.0:
        return possible.astype(np.float64)
    # The weights are rounded so that hands that the blueprint plays symmetrically in the suits keep equal weights.
    return np.where(possible, np.maximum(np.round(weights / most, 6), FLOOR), 0.0)


def read_solving_options(
    name: Name,
    numbers: Mapping[str, Bounds] | None = None,
    words: Mapping[str, tuple[str, ...]] | None = None,
    texts: tuple[str, ...] = (),
    *,
    source: str = "[AGENT]",
) -> dict[str, Any]:
    """Return the options in the name of an agent that solves while it plays; parameters as for :meth:`Name.read`.

    All such agents have the options iterations, mixing, threads, gadget, again and menu; sizes of ``menu`` and of
    ``first-bets``, if ``texts`` has that, are joined by ``+`` in a name.  Raises :class:`StrategyError` for a wrong
    option.
    """
    words = {"gadget": GADGETS, "again": get_args(Again), **(words or {})}
    chosen = name.read({**_SOLVING, **(numbers or {})}, words, ("menu", *texts), source=source)
    for key in {"menu", FIRST_BETS} & chosen.keys():
        chosen[key.replace("-", "_")] = chosen.pop(key).replace("+", ", ")
    for switch in (word for word, allowed in words.items() if allowed == YES_NO and word in chosen):
        chosen[switch] = chosen[switch] == "yes"
    gadget = chosen.get("gadget", "resolve")
    if chosen.get("mixing") and gadget != "resolve":
        raise StrategyError(f"Only the gadget resolve can mix ranges, {gadget} cannot; leave out the mixing.")
    return chosen


def read_resolver(name: Name, subject: Subject) -> ResolverAgent:
    """Make the agent for a name such as ``resolver:from=river,seconds=1:blueprint:FILE``.

    The options are those of :class:`ResolverOptions`; the street is called ``from``, and sizes of ``menu`` are joined
    by ``+``.  The agent after the options is the blueprint; without one, that of the package is used.  Raises
    :class:`StrategyError` if an option is wrong, the blueprint has no strategy for every hand, or the game cannot be
    played.
    """
    words = {"from": STREETS_TO_SOLVE_FROM, "ahead": YES_NO}
    chosen = read_solving_options(name, {"seconds": (1e-3, 1e9)}, words, ("target", FIRST_BETS))
    chosen["street"] = chosen.pop("from", ResolverOptions.street)
    options = ResolverOptions(**chosen)
    check_subject(subject)
    blueprint = read_strategic_agent(name.source or default_blueprint(subject, options), subject)
    return ResolverAgent(blueprint, subject, options, name.text)


def default_blueprint(subject: Subject, options: ResolverOptions) -> str:
    """Return the name of the blueprint that plays where none is named; raises :class:`StrategyError` for none."""
    game = subject.rules
    if subject.whole_game is not None:
        return "blueprint" if game.limit else "blueprint-nl"
    if subject.first_round < STREETS.index(options.street):
        raise StrategyError(
            f"The spot begins before the {options.street}: name the agent that plays until then, as in "
            f"resolver:from={options.street}:solution:FILE."
        )
    if options.street == "flop" and subject.first_round == STREETS.index("flop"):
        raise StrategyError(
            "Solving on the flop needs a blueprint for the streets below it: name one, as in "
            "resolver:from=flop:solution:FILE."
        )
    # Nobody plays before the spot; this agent only acts where there is no time to solve anything.
    return "always-call"
