"""An agent that plays by continual re-solving, with exact values below its lookaheads.

At every decision the agent solves the rest of the game again (:mod:`errai.resolving.player`).  A lookahead ends with
the current street, and exact solves of the rest give the values at its leaves
(:class:`errai.resolving.below.ExactBelow`); on the last street it ends with the game.  No precomputed strategy is
needed, because the first lookahead begins at the start of the game.  In games too large for that, another agent plays
the first streets; where re-solving begins, the opponent is held to what a best response to that agent gets, so that
nothing is lost from there on.

The agent's strategy depends only on the public state and is the same in every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from errai.agents.agent import StrategicAgent
from errai.agents.reader import read_agent, read_strategic_agent
from errai.agents.resolver import GADGETS, ResolvingAgent, read_solving_options
from errai.agents.solved import SolvedAgent
from errai.engine.leaf_values import LeafValues
from errai.engine.root import Gadget
from errai.engine.schedules import DEFAULT, SCHEDULES, Schedule
from errai.errors import StrategyError, TreeTooLargeError
from errai.games.game import Subject
from errai.games.hand import PublicState
from errai.games.lookahead import Lookahead, lookahead
from errai.games.sizing import BetMenu
from errai.games.streets import street_name
from errai.resolving.below import ExactBelow, ValuesBelow
from errai.resolving.gadgets import find_method
from errai.resolving.gadgets.method import openings
from errai.resolving.oracle import ALONGSIDE
from errai.resolving.player import Again, ResolvingPlayer, Settings, Start, street_by_street, to_the_end
from errai.resolving.values import lay_out, node_at
from errai.solutions.solution import Solution
from errai.solving.solve import solve
from errai.strategies.names import Name
from errai.strategies.strategy import Choices
from errai.strategies.suits import SuitsAlike

MOST_ENTRIES = 1_000_000
"""The most strategy entries that the rest of the game may have where re-solving begins.  With 100,000 entries and a
thousand iterations the first solve takes a second or two, and the following ones far less."""

MOST_LINES = 200_000
"""The most betting nodes that are listed to find out how large a game is."""


@dataclass(frozen=True)
class ContinualOptions:
    """How the agent solves."""

    iterations: int = 1_000
    """The most iterations of each solve."""
    target: str | None = None
    """Exploitability at which a solve ends earlier, as for :func:`errai.solve`."""
    gadget: str = "resolve"
    """The gadget: a name of :data:`errai.resolving.gadgets.METHODS`.  The reach gadgets need the strategy of the whole
    game, which this agent does not have."""
    mixing: float = 0.0
    """With the gadget ``resolve``: weight of the opponent's estimated range at the first action on a street."""
    again: Again = "decision"
    """When to solve again: see :class:`errai.resolving.player.Settings`."""
    depth: str = "street"
    """Whether lookaheads are cut at the end of their ``street``, or go to the ``end`` of the game."""
    leaves: str = "alongside"
    """Exact solves below the cut that iterate ``alongside`` the lookahead, or that start afresh for the ``ranges`` at
    every query; see :class:`errai.resolving.oracle.ExactLeafValues`."""
    menu: str | None = None
    """Bet sizes of a no-limit game, by default the pot and all-in; a spot has its own."""
    first: int | str | None = None
    """The round of the game where re-solving begins, by number or name; None for the start of the game."""
    threads: int = 1
    schedule: Schedule = SCHEDULES[DEFAULT]
    """The variant of counterfactual regret minimisation."""


class ContinualAgent(ResolvingAgent):
    """Solves the rest of the game again whenever it has to act.

    Parameters
    ----------
    subject:
        A game, or a spot without rake, with at most ``MOST_ENTRIES`` strategy entries from where re-solving begins.
    before:
        The agent that plays the rounds before ``options.first``; it must have a strategy for every hand.
    below:
        What gives the values at the leaves of lookaheads that are cut; by default exact solves, as ``options.leaves``
        says.

    Raises :class:`StrategyError` if the game is too large, has no such round, or an option has a wrong value; nothing
    has been solved by then.
    """

    suits_alike = True
    text = ""
    """The text that named the agent, if it was made by :func:`read_continual`."""

    def __init__(
        self,
        subject: Subject,
        options: ContinualOptions | None = None,
        before: StrategicAgent | None = None,
        name: str = "continual",
        below: ValuesBelow | None = None,
    ) -> None:
        self.options = options = ContinualOptions() if options is None else options
        self.before = before
        game = subject.rules
        if not subject.zero_sum:
            raise StrategyError("Re-solving needs a pot without rake; remove the rake from the spot.")
        if options.menu is not None and (game.limit or subject.whole_game is None):
            raise StrategyError("A limit game and a spot have their own bet sizes; leave out the menu.")
        self._menu = subject.menu
        if subject.whole_game is not None and not game.limit:
            self._menu = BetMenu.parse(game.num_rounds, options.menu or "100%, a")
        begins = PublicState.start(subject).first_round
        first = begins if options.first is None else _round_of(subject, options.first)
        super().__init__(subject, first, before, name)
        if first > begins and before is None:
            raise StrategyError(
                f"Re-solving starts in the {street_name(game, first)}: name an agent for the rounds before, as "
                "in continual:from=ROUND:AGENT."
            )
        if first == begins and before is not None:
            raise StrategyError(
                f"Re-solving starts with the game, so {before.name} is no agent for the rounds before; leave it out, "
                "or say from=ROUND."
            )
        self._check_size()
        self._below = below
        if below is None:
            below = ExactBelow(self._menu, alongside=ALONGSIDE if options.leaves == "alongside" else 0)
        if options.gadget not in GADGETS:
            raise StrategyError(
                f"{options.gadget!r} is no gadget for continual re-solving; choose one of {', '.join(GADGETS)}."
            )
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
        self.player = ResolvingPlayer(subject, settings, None if before is None else self.start, name)
        self._queried = SuitsAlike(self.player, subject)

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process makes its own agent, with its own stored solutions.
        if self.text:
            return read_agent, (self.text, self.subject)
        return type(self), (self.subject, self.options, self.before, self.name, self._below)

    def strategy(self, state: PublicState) -> Choices:
        if self.before is not None and state.betting.round < self._first:
            return self.before.strategy(state)
        return self._queried.strategy(state)

    # --- solving -----------------------------------------------------------------------------------------------------

    def _solve(self, subject: Lookahead, gadget: Gadget | None, leaf_values: LeafValues | None) -> Solution:
        return solve(
            subject,
            self.options.target,
            max_iterations=self.options.iterations,
            gadget=gadget,
            leaf_values=leaf_values,
            algorithm=self.options.schedule,
            precision="float64",
            threads=self.options.threads,
        )

    def _begin(self, begun: PublicState) -> Start:
        assert self.before is not None
        known = self.before.solution if isinstance(self.before, SolvedAgent) else None
        node = node_at(known.root, begun) if isinstance(known, Solution) else None
        if node is None:
            node = lay_out(self.before, begun, menu=self._menu).root
        first, second = (node.counterfactual(p, best=True) for p in (0, 1))
        return Start(begun, (np.nan_to_num(node.ranges[0]), np.nan_to_num(node.ranges[1])), (first, second))

    def _check_size(self) -> None:
        """Raise :class:`StrategyError` if too many strategy entries lie below one board where re-solving begins."""
        from errai.tree.public_tree import plan_public_tree

        whole = lookahead(self.subject, depth=None, menu=self._menu if self.subject.menu is None else None)
        size = "more strategy entries"
        try:
            plan = plan_public_tree(whole, max_nodes=MOST_LINES)
        except TreeTooLargeError:
            pass
        else:
            deals, first = plan.deal_size, self._first - plan.betting.first_round
            entries = (
                sum(
                    plan.betting.num_rows(s, p) * deals.classes[s][p]
                    for s in range(first, plan.betting.num_streets)
                    for p in (0, 1)
                )
                / deals.boards[first]
            )
            if entries <= MOST_ENTRIES:
                return
            size = f"{entries:,.0f} strategy entries"
        game = self.subject.rules
        raise StrategyError(
            f"continual solves the whole rest of a game, and from the {street_name(game, self._first)} on "
            f"'{getattr(self.subject, 'title', '') or game.name}' has {size}; at most {MOST_ENTRIES:,} are allowed. "
            "Start in a later round (continual:from=ROUND:AGENT), or use the agent resolver, which plays hold'em."
        )


def _round_of(subject: Subject, given: int | str) -> int:
    """Return the number of a round after the first, given its number or name; raises :class:`StrategyError`."""
    game, first = subject.rules, PublicState.start(subject).first_round
    rounds = range(first + 1, game.num_rounds)
    names = [street_name(game, number) for number in rounds]
    for number, name in zip(rounds, names, strict=True):
        if str(given) in (name, str(number)):
            return number
    offered = f"choose {', '.join(names)}, or its number" if names else "this game has none"
    raise StrategyError(f"{given!r} is not a round after the first, from which re-solving can start: {offered}.")


def read_continual(name: Name, subject: Subject) -> ContinualAgent:
    """Make the agent for a name such as ``continual:iterations=200`` or ``continual:from=flop:solution:FILE``.

    The options are those of :class:`ContinualOptions`; the round is called ``from``, and sizes of ``menu`` are joined
    by ``+``.  The agent after the options plays the rounds before.  Raises :class:`StrategyError` if an option is
    wrong, that agent has no strategy for every hand, or the game is too large.
    """
    words = {"depth": ("street", "end"), "leaves": ("alongside", "ranges")}
    chosen = read_solving_options(name, None, words, ("target", "from"))
    if "from" in chosen:
        chosen["first"] = chosen.pop("from")
    before = read_strategic_agent(name.source, subject) if name.source else None
    made = ContinualAgent(subject, ContinualOptions(**chosen), before, name.text)
    made.text = name.text
    return made
