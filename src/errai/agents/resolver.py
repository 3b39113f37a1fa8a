"""An agent that plays a blueprint up to a street, and solves what is left of the hand anew from there on.

Before the street it plays another agent.  When the street begins, both players' ranges follow by Bayes' rule from how
that one plays every hand, and the rest of the game is solved to its end.  From there on it is continual re-solving
(:mod:`errai.resolving.player`): on the next street, and after a bet that the last solution lacks, the rest is solved
again under a gadget that holds the opponent to what he could get before, so any bet is understood.  The first solve has
no gadget, as in Libratus (Brown & Sandholm, Science 2018): it is optimal if the opponent got there as the blueprint
says, and nothing is certain against one who did not.

Where solving begins with the flop, its lookaheads are cut where it ends, and continuations of the blueprint stand below
(:mod:`errai.resolving.continuations`), or whatever else is given; turn and river are solved to the end of the hand.

Thinking time is kept (:mod:`errai.resolving.budget`).  Where it is over before there is any solution, the decision is
the blueprint's.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent, MatchStart, StrategicAgent
from errai.cards.deck import FULL_DECK
from errai.engine.leaf_values import LeafValues
from errai.engine.root import Gadget
from errai.errors import StrategyError
from errai.games.hand import PublicState, Subject, rules_of
from errai.games.lookahead import Lookahead
from errai.games.sizing import BetMenu
from errai.games.spot import Spot
from errai.games.spot_tables import STREETS
from errai.resolving.below import Below
from errai.resolving.budget import DEFAULT_SECONDS, Budget, least_seconds
from errai.resolving.continuations import Continuations
from errai.resolving.gadgets import DEEPSTACK_MIXING, METHODS, find_method
from errai.resolving.gadgets.mixing import openings
from errai.resolving.player import Again, Depth, ResolvingPlayer, Settings, Start, to_the_end
from errai.resolving.values import ranges_at
from errai.solutions.solution import Solution
from errai.strategies.names import Bounds, Name
from errai.strategies.strategy import Choices, live_hands, require_same

FLOOR = 1e-6
"""Weight, beside the greatest of 1, of hands that the blueprint never brings to the street: they get a strategy too,
and change that of the others by about as much."""

REMEMBERED_STARTS = 1_000

STREETS_TO_SOLVE_FROM = STREETS[1:]

GADGETS = tuple(name for name in METHODS if "reach" not in name)
"""What can hold the opponent to his values here: what he gave up on the way is not followed while playing."""


class Thinking(Protocol):
    """Who chooses how finely a lookahead is solved, and solves it."""

    def menu(self, state: PublicState, depth: str | int | None = None) -> BetMenu | None:
        """Bet sizes of a lookahead from a state that is cut after a street; None in limit games."""

    def solve(
        self, subject: Lookahead, gadget: Gadget | None = None, leaf_values: LeafValues | None = None
    ) -> Solution:
        """Solve a lookahead; raises :class:`~errai.errors.StoppedError` where there is no time for it."""

    def decision(self, state: PublicState | None = None) -> AbstractContextManager[None]:
        """Everything in here is for one decision, at that state."""


@dataclass(frozen=True)
class ResolverOptions:
    """How the rest of the game is solved."""

    street: str = "turn"
    """Where solving begins."""
    seconds: float = DEFAULT_SECONDS
    """Of a decision; never exceeded by more than a tenth."""
    iterations: int | None = None
    target: str | None = None
    """See :class:`errai.resolving.budget.Budget`."""
    gadget: str = "resolve"
    """What holds the opponent to his values, one of ``GADGETS``."""
    mixing: float = DEEPSTACK_MIXING
    """With the gadget ``resolve``: weight of the opponent's estimated range at the player's first action on a street,
    as in DeepStack; 0 for none."""
    menu: str | None = None
    """Bet sizes in no-limit games, such as ``50%, 100%, a``; by default as fine as the time is enough for."""
    again: Again = "street"
    """When to solve again: see :class:`errai.resolving.player.Settings`.  Solves that follow each other add up their
    errors: at every ``decision``, as in DeepStack, the agent is about twice as exploitable on turn spots."""
    threads: int | None = None


class ResolverAgent(StrategicAgent):
    """Plays a blueprint up to a street, and from there on what it solves while it plays.

    Parameters
    ----------
    blueprint:
        Who plays until then, and where the time is not enough; it must be able to say how it plays every hand.
    subject:
        Hold'em with four rounds and 52 cards, limit or no-limit, with any stacks, or a spot of it without rake.
    options:
        How it is solved.
    name:
        How the agent is called.
    below:
        What stands below flops; by default continuations of the blueprint.
    solver:
        Chooses menus and solves; by default a :class:`~errai.resolving.budget.Budget` of the options.

    Raises
    ------
    StrategyError
        The subject is none of these, or an option is unfit.
    """

    def __init__(
        self,
        blueprint: StrategicAgent,
        subject: Subject,
        options: ResolverOptions | None = None,
        name: str = "",
        below: Below | None = None,
        solver: Thinking | None = None,
    ) -> None:
        self.blueprint = blueprint
        self.subject = subject
        self.options = options = ResolverOptions() if options is None else options
        self.name = name or f"resolver:from={options.street}:{blueprint.name}"
        check_subject(subject)
        if options.street not in STREETS_TO_SOLVE_FROM:
            raise StrategyError(
                f"{options.street!r} is no street to solve from; choose {' or '.join(STREETS_TO_SOLVE_FROM)}."
            )
        self._round = STREETS.index(options.street)
        if options.street == "flop" and below is None and options.seconds < least_seconds():
            raise StrategyError(
                f"A flop takes at least {least_seconds()} seconds, not {options.seconds:g}: the blueprint's rest of "
                "the game has to be counted below it. Give more, as in "
                f"resolver:from=flop,seconds={least_seconds()}, or begin with the turn."
            )
        self.budget = Budget(
            options.seconds,
            iterations=options.iterations,
            target=options.target,
            menu=self._given_menu(),
            finest=subject.menu if isinstance(subject, Spot) else None,
            threads=options.threads,
        )
        self.solver: Thinking = self.budget if solver is None else solver
        if options.street == "flop" and below is None:
            below = self._continuations()
        method = find_method(options.gadget)
        settings = Settings(
            method,
            self._menu,
            self.solver.solve,
            options.again,
            openings(method, options.mixing),
            to_the_end if options.street != "flop" else _depth,
            below=below,
            otherwise=blueprint,
        )
        self.player = ResolvingPlayer(subject, settings, self.start, self.name)
        self._starts: OrderedDict[tuple[object, ...], Start] = OrderedDict()

    def start_match(self, start: MatchStart) -> None:
        """See :meth:`Agent.start_match`."""
        require_same(self.subject, start.subject, self.name)
        self.blueprint.start_match(start)
        super().start_match(start)

    @property
    def out_of_time(self) -> int:
        """Decisions that were the blueprint's because the time was over before anything was solved."""
        return self.player.out_of_time

    def close(self) -> None:
        """See :meth:`Agent.close`."""
        self.blueprint.close()

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`."""
        if state.betting.round < self._round:
            return self.blueprint.strategy(state)
        with self.solver.decision(state):
            return self.player.strategy(state)

    def solution(self, state: PublicState) -> Solution:
        """The solution that is played at a state of the streets that are solved.

        Raises :class:`StrategyError` where there was no time for any.
        """
        node = self.player.node(state)
        if node is None:
            raise StrategyError("There was no time to solve anything at this state; the blueprint decides.")
        found = node.solution
        assert isinstance(found, Solution)
        return found

    def start(self, state: PublicState) -> Start:
        """Where solving begins on the way to a state: the street when it began, with both ranges."""
        before = max(self._round - state.first_round, 0)
        street = max(self._round, state.first_round)
        board = state.board[: rules_of(self.subject).board_cards_in(street)]
        key = (state.actions[:before], board)
        if key not in self._starts:
            root = PublicState.start(self.subject)
            for action in (a for done in state.actions[:before] for a in done):
                root = root.after(action).dealt(board)
            first, second = ranges_at(self.blueprint, root)
            self._starts[key] = Start(root, (_in_play(root, 0, first), _in_play(root, 1, second)))
            if len(self._starts) > REMEMBERED_STARTS:
                self._starts.popitem(last=False)
        return self._starts[key]

    def _continuations(self) -> Continuations:
        """Continuations of the blueprint, counted as far as the time goes."""
        return Continuations(
            self.blueprint,
            self.subject,
            run_outs=self.budget.run_outs,
            threads=self.options.threads,
            stop=self.budget.counting,
        )

    def _menu(self, state: PublicState) -> BetMenu | None:
        # No function of its own making: agents go to other processes.
        return self.solver.menu(state, _depth(state))

    def _given_menu(self) -> BetMenu | None:
        if self.options.menu is None:
            return None
        game = rules_of(self.subject)
        if game.limit:
            raise StrategyError("The bets of a limit game are fixed; leave out the menu.")
        return BetMenu.uniform(game.num_rounds, self.options.menu)


def _depth(state: PublicState) -> Depth:
    """The flop is cut where it ends; turn and river are solved to the end of the game."""
    return "street" if state.betting.round == STREETS.index("flop") else None


def check_subject(subject: Subject) -> None:
    """Raise :class:`StrategyError` where the rest of a game cannot be solved while it is played."""
    game = rules_of(subject)
    cards = (game.num_rounds, game.num_hole_cards, game.num_board_cards, game.deck)
    if cards != (4, 2, (0, 3, 1, 1), FULL_DECK):
        raise StrategyError("The resolver plays hold'em with four rounds and 52 cards, and spots of it.")
    if isinstance(subject, Spot) and subject.rake is not None:
        raise StrategyError(
            "The resolver does not play for raked pots: what holds the opponent to his values counts on the players "
            "winning from each other alone. Take the spot without its rake, or solve it as a whole: solution:FILE."
        )


def _in_play(state: PublicState, player: int, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """A range with 1 as its greatest weight and no possible hand without any; all are 1 where nothing is brought."""
    possible = live_hands(state)
    if isinstance(state.subject, Spot):
        possible = possible & (np.asarray(state.subject.ranges[player].weights) > 0.0)
    most = float(weights.max())
    if not most > 0.0:
        return possible.astype(np.float64)
    # Rounded, so that suits that the blueprint plays alike stay alike.
    return np.where(possible, np.maximum(np.round(weights / most, 6), FLOOR), 0.0)


# --- names -----------------------------------------------------------------------------------------------------------

_NUMBERS: dict[str, Bounds] = {
    "seconds": (1e-3, 1e9),
    "iterations": (1, 10**9),
    "mixing": (0.0, 0.999),
    "threads": (1, 4_096),
}


def read_resolver(name: Name, subject: Subject, read_agent: Callable[[str, Subject], Agent]) -> Agent:
    """The agent of a name such as ``resolver:from=river,seconds=1:blueprint:FILE``.

    The options are those of :class:`ResolverOptions`, with ``from`` for the street, and sizes of ``menu`` joined by
    ``+``.  ``read_agent`` makes the blueprint, whose name stands behind them; without one it is that of the package.

    Raises
    ------
    StrategyError
        An option is wrong, the blueprint cannot say how it plays, or the game cannot be played.
    """
    words = {"from": STREETS_TO_SOLVE_FROM, "gadget": GADGETS, "again": get_args(Again)}
    chosen = name.read(_NUMBERS, words, ("target", "menu"), source="[AGENT]")
    chosen["street"] = chosen.pop("from", ResolverOptions.street)
    if "menu" in chosen:
        chosen["menu"] = chosen["menu"].replace("+", ", ")
    if "mixing" in chosen and chosen.get("gadget", ResolverOptions.gadget) != ResolverOptions.gadget:
        raise StrategyError(f"Mixing belongs to the gadget resolve; {chosen['gadget']} has none.")
    options = ResolverOptions(**chosen)
    check_subject(subject)
    blueprint_name = name.source or _default_blueprint(subject, options)
    blueprint = read_agent(blueprint_name, subject)
    if not isinstance(blueprint, StrategicAgent):
        raise StrategyError(
            f"{blueprint_name!r} cannot say how it plays every hand, so ranges cannot be followed; choose another."
        )
    return ResolverAgent(blueprint, subject, options, name.text)


def _default_blueprint(subject: Subject, options: ResolverOptions) -> str:
    game = rules_of(subject)
    if not isinstance(subject, Spot):
        return "blueprint" if game.limit else "blueprint-nl"
    if subject.first_round < STREETS.index(options.street):
        raise StrategyError(
            f"The spot begins before the {options.street}: name who plays until then, as in "
            f"resolver:from={options.street}:solution:FILE."
        )
    if options.street == "flop" and subject.first_round == STREETS.index("flop"):
        raise StrategyError(
            "Below the flop stand continuations of a blueprint: name it, as in resolver:from=flop:solution:FILE."
        )
    # Nobody plays before; this is what is done where the time is not enough for any solution.
    return "always-call"


def moved(name: Name, subject: Subject) -> Agent:
    """Raise :class:`StrategyError` for the spelling of before, ``resolve:STREET:AGENT``, and say the new one."""
    street, _, source = name.source.partition(":")
    options = [f"from={street}", *(o for o in name.options.split(",") if o and not o.startswith("off-tree"))]
    raise StrategyError(f"{name.text!r} is now written 'resolver:{','.join(options)}:{source or 'AGENT'}'.")
