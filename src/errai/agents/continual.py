"""An agent that keeps no strategy: continual re-solving in games small enough for exact values below a lookahead.

At every decision what is left of the game is solved again (:mod:`errai.resolving.player`).  Lookaheads end with the
street that is played, and exact solves of the rest stand below them (:class:`errai.resolving.below.ExactLeaves`); on
the last street they end with the game.  The player needs no table: the first lookahead begins where the game does.  In
games too large for that it takes the first streets from another agent, and the opponent's values with them: what a best
response to that agent gets where re-solving begins, so that nothing is lost from there on.

What the agent does depends on the public state alone, and is the same in every run.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from errai.agents.agent import Agent, MatchStart, StrategicAgent
from errai.agents.resolver import GADGETS
from errai.agents.solved import SolvedAgent
from errai.engine.leaf_values import LeafValues
from errai.engine.root import Gadget
from errai.engine.schedules import DEFAULT, SCHEDULES, Schedule
from errai.errors import StrategyError, TreeTooLargeError
from errai.games.hand import PublicState, Subject, rules_of
from errai.games.lookahead import Lookahead, lookahead
from errai.games.sizing import BetMenu
from errai.games.spot import Spot
from errai.games.streets import street_name
from errai.resolving.below import Below, ExactLeaves
from errai.resolving.gadgets import find_method
from errai.resolving.gadgets.mixing import openings
from errai.resolving.laid_out import lay_out
from errai.resolving.oracle import ALONGSIDE
from errai.resolving.player import Again, ResolvingPlayer, Settings, Start, street_by_street, to_the_end
from errai.resolving.values import moments, node_at, ranges_at
from errai.solutions.solution import Solution
from errai.solving.solve import solve
from errai.strategies.alike import SuitsAlike
from errai.strategies.names import Bounds, Name
from errai.strategies.strategy import Choices, require_same

MOST_ENTRIES = 1_000_000
"""Strategy entries of what is left of the game where re-solving begins, at most: a second or two for the first solve
of 100,000 with a thousand iterations, and far less for those that follow."""

REMEMBERED_STARTS = 1_000

MOST_LINES = 200_000
"""Betting nodes of a game that are listed to find how large it is."""


@dataclass(frozen=True)
class ContinualOptions:
    """How the agent solves."""

    iterations: int = 1_000
    """Of each solve, at most."""
    target: str | None = None
    """Where a solve ends before, as for :func:`errai.solve`."""
    gadget: str = "resolve"
    """What holds the opponent to his values: a name of :data:`errai.resolving.gadgets.METHODS`, but none that asks for
    gifts, which a player who keeps no strategy does not know."""
    mixing: float = 0.0
    """With the gadget ``resolve``: weight of the opponent's estimated range at the first action on a street."""
    again: Again = "decision"
    """When to solve again: see :class:`errai.resolving.player.Settings`."""
    depth: str = "street"
    """Whether lookaheads are cut after their ``street``, or go to the ``end`` of the game."""
    leaves: str = "alongside"
    """What stands below the cut: exact solves that learn ``alongside`` the lookahead, or such as are a function of the
    ``ranges`` alone; see :class:`errai.resolving.oracle.ExactLeafValues`."""
    menu: str | None = None
    """Bet sizes of a no-limit game, by default the pot and all-in; a spot has its own."""
    first: int | str | None = None
    """The round of the game with which re-solving begins, by its number or name; None where the game begins."""
    threads: int = 1
    schedule: Schedule = SCHEDULES[DEFAULT]
    """The variant of counterfactual regret minimisation."""


class ContinualAgent(StrategicAgent):
    """Solves again whenever it has to act.

    Parameters
    ----------
    subject:
        A game, or a spot without rake, of at most ``MOST_ENTRIES`` strategy entries from where solving begins.
    options:
        How it solves.
    before:
        Who plays the rounds before ``options.first``; it must say what every hand does.
    name:
        How the agent is called.
    below:
        What stands below lookaheads that are cut; by default exact solves as ``options.leaves`` says.

    Raises
    ------
    StrategyError
        The game is too large, has no such round, or an option is unfit; nothing has been solved.
    """

    suits_alike = True
    thinks = True
    """An answer may take seconds."""
    text = ""
    """The name that it was read from."""

    def __init__(
        self,
        subject: Subject,
        options: ContinualOptions | None = None,
        before: StrategicAgent | None = None,
        name: str = "continual",
        below: Below | None = None,
    ) -> None:
        self.subject = subject
        self.options = options = ContinualOptions() if options is None else options
        self.before = before
        self.name = name
        game = rules_of(subject)
        if isinstance(subject, Spot) and subject.rake is not None:
            raise StrategyError("What holds an opponent to his values counts on a pot without rake.")
        if options.menu is not None and (game.limit or isinstance(subject, Spot)):
            raise StrategyError("The bets of a limit game and of a spot are given; leave out the menu.")
        self.menu = options.menu
        self._menu = self._bets()
        start = PublicState.start(subject)
        self._first = start.first_round if options.first is None else _round_of(subject, options.first)
        if (self._first > start.first_round) != (before is not None):
            raise StrategyError("Re-solving from a later round takes an agent that plays before it, and only then.")
        self._check_size()
        self._below = below
        if below is None:
            below = ExactLeaves(self._menu, alongside=ALONGSIDE if options.leaves == "alongside" else 0)
        if options.gadget not in GADGETS:
            raise StrategyError(f"A player who keeps no strategy has {', '.join(GADGETS)}, not {options.gadget!r}.")
        method = find_method(options.gadget)
        settings = Settings(
            method,
            lambda state: self._menu,
            self._solve,
            options.again,
            openings(method, options.mixing),
            street_by_street if options.depth == "street" else to_the_end,
            below,
        )
        self.player = ResolvingPlayer(subject, settings, None if before is None else self._start, name)
        self._asked = SuitsAlike(self.player, subject)
        self._starts: OrderedDict[tuple[object, ...], Start] = OrderedDict()

    def __reduce__(self) -> tuple[Any, ...]:
        # A process makes its own, with a memory of its own.
        if self.text:
            return _read_again, (self.text, self.subject)
        return type(self), (self.subject, self.options, self.before, self.name, self._below)

    def start_match(self, start: MatchStart) -> None:
        """See :meth:`Agent.start_match`."""
        require_same(self.subject, start.subject, self.name)
        if self.before is not None:
            self.before.start_match(start)
        super().start_match(start)

    def close(self) -> None:
        """See :meth:`Agent.close`."""
        if self.before is not None:
            self.before.close()

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`."""
        if self.before is not None and state.betting.round < self._first:
            return self.before.strategy(state)
        return self._asked.strategy(state)

    # --- solving -----------------------------------------------------------------------------------------------------

    def _solve(self, subject: Lookahead, gadget: Gadget | None, leaf_values: LeafValues | None) -> Solution:
        return solve(
            subject,
            self.options.target,
            max_iterations=self.options.iterations,
            gadget=gadget,
            leaf_values=leaf_values,
            algorithm=self.options.schedule,
            updates="simultaneous" if self.options.schedule.simultaneous else "alternating",
            precision="float64",
            threads=self.options.threads,
        )

    def _start(self, state: PublicState) -> Start:
        """Where the round begins on the way to a state, with what both players bring there and what they then get."""
        begun = next(
            (s for s, _ in moments(PublicState.start(self.subject), state) if s.betting.round >= self._first), state
        )
        key = (begun.actions, begun.board)
        if key not in self._starts:
            self._starts[key] = self._begin(begun)
            if len(self._starts) > REMEMBERED_STARTS:
                self._starts.popitem(last=False)
        return self._starts[key]

    def _begin(self, begun: PublicState) -> Start:
        assert self.before is not None
        known = self.before.solution if isinstance(self.before, SolvedAgent) else None
        node = node_at(known.root, begun) if isinstance(known, Solution) else None
        if node is None:
            node = lay_out(self.before, begun, ranges_at(self.before, begun), self._menu).root
        first, second = (node.counterfactual(p, best=True) for p in (0, 1))
        return Start(begun, (np.nan_to_num(node.ranges[0]), np.nan_to_num(node.ranges[1])), (first, second))

    # --- what can be played ------------------------------------------------------------------------------------------

    def _bets(self) -> BetMenu | None:
        game = rules_of(self.subject)
        if isinstance(self.subject, Spot):
            return self.subject.menu
        return None if game.limit else BetMenu.uniform(game.num_rounds, self.options.menu or "100%, a")

    def _check_size(self) -> None:
        entries = self._entries()
        if entries is not None and entries <= MOST_ENTRIES:
            return
        size = "more strategy entries" if entries is None else f"{entries:,.0f} strategy entries"
        game = rules_of(self.subject)
        raise StrategyError(
            f"continual solves all that is left of a game, and from the {street_name(game, self._first)} on "
            f"'{getattr(self.subject, 'title', '') or game.name}' has {size}, where {MOST_ENTRIES:,} are taken: let it "
            "begin with a later round (continual:from=ROUND:AGENT), or take resolver, which plays hold'em."
        )

    def _entries(self) -> float | None:
        """Strategy entries below one board of the round where solving begins; None where they are too many to count."""
        from errai.tree.public_tree import plan_public_tree

        whole = lookahead(self.subject, depth=None, menu=None if isinstance(self.subject, Spot) else self._menu)
        try:
            plan = plan_public_tree(whole, max_nodes=MOST_LINES)
        except TreeTooLargeError:
            return None
        size, first = plan.deal_size, self._first - plan.betting.first_round
        found = sum(
            plan.betting.num_rows(s, p) * size.classes[s][p]
            for s in range(first, plan.betting.num_streets)
            for p in (0, 1)
        )
        return found / size.boards[first]


def _round_of(subject: Subject, given: int | str) -> int:
    """A round of the game after the subject's first, by its number or its name; raises :class:`StrategyError`."""
    game, first = rules_of(subject), PublicState.start(subject).first_round
    rounds = range(first + 1, game.num_rounds)
    names = [street_name(game, number) for number in rounds]
    for number, name in zip(rounds, names, strict=True):
        if str(given) in (name, str(number)):
            return number
    offered = f"{', '.join(names)}, or its number" if names else "none here"
    raise StrategyError(f"Re-solving begins with a round after the first: {offered}; not with {given!r}.")


_NUMBERS: dict[str, Bounds] = {"iterations": (1, 10**9), "mixing": (0.0, 0.999), "threads": (1, 4_096)}


def read_continual(name: Name, subject: Subject, read_agent: Callable[[str, Subject], Agent]) -> Agent:
    """The agent of a name such as ``continual:iterations=200`` or ``continual:from=flop:solution:FILE``.

    The options are those of :class:`ContinualOptions`, with ``from`` for the round, and sizes of ``menu`` joined by
    ``+``.  ``read_agent`` makes the agent that plays before it.

    Raises
    ------
    StrategyError
        An option is wrong, the agent before cannot say how it plays, or the game is too large.
    """
    words = {
        "gadget": GADGETS,
        "again": get_args(Again),
        "depth": ("street", "end"),
        "leaves": ("alongside", "ranges"),
    }
    chosen = name.read(_NUMBERS, words, ("target", "menu", "from"), source="[AGENT]")
    if "menu" in chosen:
        chosen["menu"] = chosen["menu"].replace("+", ", ")
    if "from" in chosen:
        chosen["first"] = chosen.pop("from")
    if chosen.get("mixing") and chosen.get("gadget", ContinualOptions.gadget) != ContinualOptions.gadget:
        raise StrategyError(f"Mixing belongs to the gadget resolve; {chosen['gadget']} has none.")
    before = read_agent(name.source, subject) if name.source else None
    if not (before is None or isinstance(before, StrategicAgent)):
        raise StrategyError(f"{name.source!r} cannot say how it plays every hand; choose another.")
    made = ContinualAgent(subject, ContinualOptions(**chosen), before, name.text)
    made.text = name.text
    return made


def _read_again(text: str, subject: Subject) -> Agent:
    from errai.agents.reader import read_agent

    return read_agent(text, subject)
